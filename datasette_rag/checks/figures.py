"""Text → the numbers, dates, times and identifiers in it, comparable across ways of writing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Literal

Kind = Literal["number", "date", "time", "name"]
Date = tuple["int | None", int, "int | None"]

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero",
            "february feb februar février febrero",
            "march mar märz mars marzo",
            "april apr avril abril",
            "may mai mayo",
            "june jun juni juin junio",
            "july jul juli juillet julio",
            "august aug août agosto",
            "september sep sept septembre septiembre",
            "october oct oktober octobre octubre okt",
            "november nov novembre noviembre",
            "december dec dezember décembre diciembre dez",
        ),
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ORDINAL = r"(?:st|nd|rd|th|er|\.|º)?"
_WORDS = {
    word: value
    for value, words in (
        (0, "zero null"), (1, "one eins eine einen un une uno una"), (2, "two zwei deux dos twice both"),
        (3, "three drei trois tres"), (4, "four vier quatre cuatro"), (5, "five fünf cinq cinco"),
        (6, "six sechs seis"), (7, "seven sieben sept siete"), (8, "eight acht huit ocho"),
        (9, "nine neun neuf nueve"), (10, "ten zehn dix diez"), (11, "eleven elf onze once"),
        (12, "twelve zwölf douze doce dozen"), (13, "thirteen"), (14, "fourteen"), (15, "fifteen"),
        (16, "sixteen"), (17, "seventeen"), (18, "eighteen"), (19, "nineteen"), (20, "twenty"),
        (30, "thirty"), (40, "forty"), (50, "fifty"), (60, "sixty"), (70, "seventy"),
        (80, "eighty"), (90, "ninety"), (100, "hundred hundert cent cien"), (1000, "thousand tausend"),
        (1, "first"), (2, "second"), (3, "third"), (4, "fourth"), (5, "fifth"),
    )
    for word in words.split()
}  # fmt: skip
_SCALES = {
    **dict.fromkeys(("k", "thousand", "tausend", "mille", "mil"), 10**3),
    **dict.fromkeys(("m", "mn", "mio", "million", "millions", "millionen", "millones"), 10**6),
    **dict.fromkeys(("bn", "b", "mrd", "billion", "billions", "milliarden", "milliards"), 10**9),
}
_SCALE = "|".join(sorted(_SCALES, key=len, reverse=True))

# Identifiers are written with these alphabets: in "2023年9月4日" nothing is one.
_LETTER = r"[A-Za-z\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff]"
_CURRENCY = r"(?:EUR|USD|GBP|CHF|JPY|CAD|AUD|INR)"

_FIGURE = rf"""
    (?P<url> (?: https?:// | www\. )\S+ | (?<![\w.+-])[\w.+-]{{1,64}}@[\w.-]{{1,99}} )
    | (?P<iso> (?<!\d) (?P<y>\d{{4}})[-/.](?P<mo>\d\d?)[-/.](?P<d>\d\d?) (?!\d) )
    | (?P<dotted> (?<![\d.]) (?P<d1>\d\d?)[./-](?P<d2>\d\d?)[./-](?P<dy>\d{{4}}) (?!\d) )
    | (?P<dmy> (?<![\w.]) (?P<dd>\d\d?){_ORDINAL} \s+ (?:of\s+|de\s+)? (?P<dm>{_MONTH})\b\.? (?:,?\s+(?:de\s+)?(?P<dmyear>\d{{4}})\b)? )
    | (?P<mdy> \b(?P<mm>{_MONTH})\b\.? \s+ (?: (?P<md>\d\d?)(?:st|nd|rd|th)?\b(?!:) (?:,?\s+(?P<mdyear>\d{{4}})\b)? | (?P<my>\d{{4}})\b ) )
    | (?P<time> (?<![\d:.]) (?P<h>[01]?\d|2[0-4]):(?P<mi>[0-5]\d)(?::[0-5]\d)? (?![\d:]) (?:\s*(?P<pm>[ap])\.?m\b)? )
    | (?P<norm> \b(?:ISO|RFC|DIN|EN|IEC|IEEE|ANSI|ECMA|PEP|CVE)[ \u00a0-]\d[\d.:-]*\d )
    | (?P<name> (?<!\w) \#\d+\b
        | (?<![\w.]) (?!{_CURRENCY}\d) {_LETTER}{{1,20}}(?:[-_./]{_LETTER}{{1,20}}){{0,3}}[-_.]?\d(?:{_LETTER}|\d)*(?:[-_./:](?:{_LETTER}|\d)+)*
        | (?<![\w.,]) \d+(?-i:(?:-[A-Z]{{1,4}})+)\b
        | (?<![\w.,]) \d+{_LETTER}+\d(?:{_LETTER}|\d|-)*
        | (?<![\w.,]) \d+(?:\.\d+){{2,}}(?!\d|[.,]\d) )
    | (?P<number> (?:(?<!{_LETTER})|(?<={_CURRENCY})|(?<=\bv)) (?<![\d_.,])
        (?: \d{{1,3}}(?:[ \u00a0\u202f]\d{{3}})+(?!\d)(?:[.,]\d+)? | \d+(?:[.,'’]\d+)* | [.,]\d+ )
      ) (?P<scale> [ \u00a0]?(?:{_SCALE})(?![^\W\d_]) )?
    | (?P<word> (?<![\w-]) [^\W\d_]{{3,}}(?:-[^\W\d_]{{3,}})? )
"""
_GROUPED = re.compile(r"\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*")
_INDIAN = re.compile(r"\d{1,2}(?:,\d\d)+,\d{3}")


@dataclass(frozen=True)
class Figure:
    """A number, date, time or identifier as it is written (`text`), and what it can mean.

    `values` are the readings of a number: `1.250` has two. `parts` are the numbers of a group
    that may be several numbers after all (`12 500`). `minutes` are the readings of a time,
    counted from midnight, and `dates` those of a date, as (year or None, month, day or None).
    """

    kind: Kind
    text: str
    values: frozenset[Decimal] = frozenset()
    parts: tuple[Decimal, ...] = ()
    minutes: frozenset[int] = frozenset()
    dates: frozenset[Date] = frozenset()


def figures(text: str, *, words: bool = False) -> Iterator[Figure]:
    """The figures in a text, in order.

    Args:
        text: plain text; list markers and citation marks are to be taken out before.
        words: whether words for numbers (`three`) count as figures.
    """
    for found in _pattern().finditer(text):
        whole = found[0].strip()
        if found["url"]:
            continue
        if found["word"]:
            value = _word_value(whole) if words else None
            if value is not None:
                yield Figure("number", whole, frozenset((value,)))
        elif found["time"]:
            yield Figure("time", whole, minutes=_minutes(found))
        elif found["norm"] or (found["name"] and not _GROUPED.fullmatch(whole)):
            yield Figure("name", whole)
        elif found["number"] or found["name"]:
            yield _number(found, text)
        else:
            dates = _dates(found)
            if dates:
                yield Figure("date", whole, dates=frozenset(dates))
            else:
                values = [Decimal(digits) for digits in re.findall(r"\d+", whole)]
                yield Figure("number", whole, parts=tuple(values))


@cache
def _pattern() -> re.Pattern[str]:
    # Compiled when first needed: it takes longer than the rest of the package's imports.
    return re.compile(_FIGURE, re.VERBOSE | re.IGNORECASE)


def folded(text: str) -> str:
    """The text in one way of writing case and white space, to be compared as it stands."""
    return " ".join(text.casefold().split())


def _word_value(word: str) -> Decimal | None:
    first, _, second = word.casefold().partition("-")
    tens, ones = _WORDS.get(first), _WORDS.get(second)
    if tens is None:
        return None
    return Decimal(tens + ones if ones is not None and tens >= 20 > ones else tens)


def _minutes(found: re.Match[str]) -> frozenset[int]:
    minutes = int(found["h"]) * 60 + int(found["mi"])
    if not found["pm"]:
        return frozenset((minutes,))
    return frozenset((minutes % 720 + (720 if found["pm"] in "pP" else 0),))


def _number(found: re.Match[str], text: str) -> Figure:
    digits = (found["number"] or found["name"]).strip()
    scale = (found["scale"] or "").strip().casefold()
    readings = _readings(digits)
    values = {value * _SCALES[scale] for value in readings} if scale else set(readings)
    if len(scale) == 1:
        values |= readings  # "5 m" may be five metres
    parts = tuple(Decimal(part) for part in re.findall(r"\d+", digits))
    several = len(parts) > 1 and (not readings or re.search(r"\s", digits))
    percent = "%" if text[found.end() : found.end() + 1] == "%" else ""
    return Figure("number", found[0].strip() + percent, frozenset(values), parts if several else ())


def _readings(digits: str) -> set[Decimal]:
    """The values that a number can have: `1.250` is 1250 in Berlin and 1.25 in London."""
    plain = re.sub("[ \u00a0\u202f'’]", "", digits)
    points = re.findall("[.,]", plain)
    if not points or _INDIAN.fullmatch(plain):
        return {Decimal(plain.replace(",", ""))}
    readings = set()
    last = points[-1]
    whole, _, decimals = plain.rpartition(last)
    if points.count(last) == 1 and (len(points) == 1 or _GROUPED.fullmatch(whole)):
        bare = whole.replace(".", "").replace(",", "")
        readings.add(Decimal(f"{bare or 0}.{decimals}"))
    if _GROUPED.fullmatch(plain):
        readings.add(Decimal(plain.replace(".", "").replace(",", "")))
    return readings


def _dates(found: re.Match[str]) -> set[Date]:
    if found["iso"]:
        return _valid(int(found["y"]), int(found["mo"]), int(found["d"]))
    if found["dotted"]:
        year, one, two = int(found["dy"]), int(found["d1"]), int(found["d2"])
        return _valid(year, two, one) | _valid(year, one, two)
    if found["dmy"]:
        year_text = found["dmyear"]
        month = _MONTHS[found["dm"].casefold()]
        return _valid(int(year_text) if year_text else None, month, int(found["dd"]))
    if found["mdy"]:
        month = _MONTHS[found["mm"].casefold()]
        if found["my"]:
            return {(int(found["my"]), month, None)}
        year_text = found["mdyear"]
        return _valid(int(year_text) if year_text else None, month, int(found["md"]))
    return set()


def _valid(year: int | None, month: int, day: int) -> set[Date]:
    return {(year, month, day)} if 1 <= month <= 12 and 1 <= day <= 31 else set()
