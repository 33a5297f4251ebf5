"""What a cited source says in figures, and whether a figure of the answer is among it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from ..events import Source
from .figures import Date, Figure, figures, folded

_VERSION = re.compile(r"(?:v|ver|version)[ .-]?(\d+(?:\.\d+)?)")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Grounds:
    """The figures of a source, gathered once for all sentences that cite it."""

    text: str
    numbers: frozenset[Decimal]
    dates: frozenset[Date]
    minutes: frozenset[int]
    shapes: frozenset[str]

    @classmethod
    def of(cls, source: Source) -> Grounds:
        """Gather the figures of a source: of its passage, title, heading and date."""
        text = f"{source.title}\n{source.heading}\n{source.date or ''}\n{source.passage}"
        numbers: set[Decimal] = set()
        dates: set[Date] = set()
        minutes: set[int] = set()
        shapes: set[str] = set()
        for figure in figures(text, words=True):
            numbers.update(figure.values, figure.parts)
            dates.update(figure.dates)
            minutes.update(figure.minutes)
            if figure.kind == "name":
                name = folded(figure.text)
                shapes.add(_shape(name))
                version = _VERSION.fullmatch(name)
                if version:
                    numbers.add(Decimal(version[1]))
        for year, _, day in dates:
            numbers.update(Decimal(value) for value in (year, day) if value is not None)
        return cls(
            folded(text),
            frozenset(numbers),
            frozenset(dates),
            frozenset(minutes),
            frozenset(shapes),
        )

    def hold(self, figure: Figure) -> bool:
        """Whether the figure stands in the source, written in whatever way.

        An identifier is only missed where the source has one that differs in nothing but
        its digits (`MZ-2044-B` and `MZ-2045-B`): others are names of things, not quantities.
        """
        if figure.kind == "number":
            return not self.numbers.isdisjoint(figure.values) or bool(
                figure.parts and self.numbers.issuperset(figure.parts)
            )
        if self._has_as_it_stands(figure.text):
            return True
        if figure.kind == "time":
            return not self.minutes.isdisjoint(figure.minutes)
        if figure.kind == "date":
            return any(self._has_date(date) for date in figure.dates)
        shape = _shape(folded(figure.text))
        return shape not in self.shapes and bool(re.search(r"[^\d.]", shape))

    def _has_as_it_stands(self, text: str) -> bool:
        wanted = folded(text)
        at = self.text.find(wanted)
        while at >= 0:
            before = self.text[at - 1 : at]
            behind = self.text[at + len(wanted) : at + len(wanted) + 1]
            if not before.isalnum() and not behind.isalnum():
                return True
            at = self.text.find(wanted, at + 1)
        return False

    def _has_date(self, wanted: Date) -> bool:
        year, month, day = wanted
        return any(
            month == other_month
            and (year is None or other_year is None or year == other_year)
            # "from 4 to 6 September": the 4 stands there as a number only.
            and (
                day is None or other_day is None or day == other_day or Decimal(day) in self.numbers
            )
            for other_year, other_month, other_day in self.dates
        )


def _shape(name: str) -> str:
    return _DIGITS.sub("0", name)
