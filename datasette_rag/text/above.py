"""The headings above a place in a long text, found without parsing what stands before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from .anchors import anchor
from .headings import Heading, headings
from .html import html_to_text

_LINE = r" {0,3}(?:(?P<fence>`{3,}|~{3,})|(?P<marks>#{1,6})[ \t][^\n]*)"
_FIRST_LINE = re.compile(_LINE)
_LATER_LINE = re.compile(r"\n" + _LINE)  # faster than `^` by far
_HTML = re.compile(r"<h([1-6])\b", re.IGNORECASE)
_LONGEST = 1_000  # characters of HTML that a heading takes at most


def headings_above(
    source: str, starts: Sequence[int], *, is_html: bool
) -> list[tuple[Heading, ...]]:
    """The headings that each of several places stands under, outermost first.

    Args:
        source: Markdown or HTML. The time taken grows linearly with its length.
        starts: offsets in it, in order.
        is_html: whether it is HTML. In Markdown, headings that are underlined are not seen.
    """
    found = []
    above: list[_Mark] = []
    following = (_html_headings if is_html else _markdown_headings)(source)
    mark = next(following, None)
    for start in starts:
        while mark is not None and mark.start < start:
            while above and above[-1].level >= mark.level:
                above.pop()
            above.append(mark)
            mark = next(following, None)
        # What they say is read only here: most headings stand above none of the places.
        found.append(tuple(_heading(source, mark, is_html) for mark in above))
    return found


@dataclass(frozen=True)
class _Mark:
    """`source[start:end]` is a heading of this level."""

    level: int
    start: int
    end: int


def _markdown_headings(source: str) -> Iterator[_Mark]:
    fence = ""
    first = _FIRST_LINE.match(source)
    for found in chain([first] if first else [], _LATER_LINE.finditer(source)):
        mark = found["fence"]
        if mark:
            if not fence:
                fence = mark
            elif mark.startswith(fence):
                fence = ""
        elif not fence:
            yield _Mark(len(found["marks"]), found.start("marks"), found.end())


def _html_headings(source: str) -> Iterator[_Mark]:
    for found in _HTML.finditer(source):
        end = source.find("</h", found.end(), found.end() + _LONGEST)
        if end >= 0:
            yield _Mark(int(found[1]), found.start(), end)


def _heading(source: str, mark: _Mark, is_html: bool) -> Heading:
    written = source[mark.start : mark.end]
    if is_html:
        words = " ".join(html_to_text(written).split())
        return Heading(mark.level, words, mark.start, mark.end, anchor(words))
    found = headings(written)[0]
    return Heading(mark.level, found.text, mark.start, mark.end, found.anchor)
