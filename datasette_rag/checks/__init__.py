"""Cheap tests of a finished answer against its sources; they warn and never block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from ..events import Check, Source
from .figures import figures, folded
from .grounds import Grounds
from .statements import Statement, statements

__all__ = ["run_checks"]

_MOST_NAMED = 6


def run_checks(answer: str, sources: Sequence[Source], *, says_unknown: bool) -> list[Check]:
    """Test an answer against the sources that it was given.

    `citations`: the cited numbers exist, and there is at least one unless the answer says
    that it does not know. `numbers`: the numbers in each sentence stand, by value, in the
    sources cited there.

    Args:
        answer: the answer in Markdown with `[n]`.
        sources: the sources that it could cite.
        says_unknown: whether the answer says that the sources do not answer the question.

    Returns:
        One check each, with a message for the visitor; none for an empty answer.
    """
    if not answer.strip():
        return []
    said = statements(answer)
    return [_citations(said, sources, says_unknown), _numbers(said, sources)]


def _citations(said: Sequence[Statement], sources: Sequence[Source], says_unknown: bool) -> Check:
    existing = {source.number for source in sources}
    cited = list(dict.fromkeys(number for statement in said for number in statement.own))
    wrong = [f"[{number}]" for number in cited if number not in existing]
    if wrong:
        count = len(existing)
        there = f"there {'is' if count == 1 else 'are'} only {_count(count, 'source')}"
        return Check("citations", False, f"The answer cites {_list(wrong)}, but {there}.")
    if cited:
        return Check("citations", True, "Every source that the answer cites exists.")
    if says_unknown:
        return Check("citations", True, "The answer says that it does not know, and cites nothing.")
    return Check("citations", False, "The answer cites no source.")


def _numbers(said: Sequence[Statement], sources: Sequence[Source]) -> Check:
    by_number = {source.number: source for source in sources}

    @cache
    def grounds(number: int) -> Grounds:
        return Grounds.of(by_number[number])

    missed: dict[str, _Missed] = {}
    checked = False
    for statement in said:
        cites = tuple(number for number in statement.cites if number in by_number)
        for figure in figures(statement.text):
            checked = True
            if any(grounds(number).hold(figure) for number in cites or by_number):
                continue
            elsewhere = tuple(number for number in by_number if grounds(number).hold(figure))
            missed.setdefault(folded(figure.text), _Missed(figure.text, cites, elsewhere))
    if missed:
        return Check("numbers", False, _missed_message(list(missed.values())))
    if not checked:
        return Check("numbers", True, "The answer has no numbers that need checking.")
    return Check("numbers", True, "Every number in the answer stands in the sources cited for it.")


class _Missed(NamedTuple):
    """A number that is in none of the sources that its sentence `cites`, and where it is."""

    text: str
    cites: tuple[int, ...]
    elsewhere: tuple[int, ...]


def _missed_message(missed: Sequence[_Missed]) -> str:
    """One sentence for all numbers that are missing in the same sources."""
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[str]] = {}
    for one in missed[:_MOST_NAMED]:
        groups.setdefault((one.cites, one.elsewhere), []).append(_short(one.text))
    sentences = []
    for (cites, elsewhere), texts in groups.items():
        verb = "is" if len(texts) == 1 else "are"
        places = f"the cited {_sources(cites)}" if cites else "any of the sources"
        other = f", but in {_sources(elsewhere)}" if elsewhere else ""
        sentences.append(f"{_list(texts)} {verb} not in {places}{other}.")
    more = len(missed) - _MOST_NAMED
    if more > 0:
        sentences.append(f"The same is true of {_count(more, 'more number')}.")
    return " ".join(sentences)


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def _sources(numbers: Sequence[int]) -> str:
    marks = _list([f"[{number}]" for number in numbers])
    return f"source {marks}" if len(numbers) == 1 else f"sources {marks}"


def _list(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
