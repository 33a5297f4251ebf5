"""Cut a passage into marked and unmarked pieces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..events import Quote


class Segment(NamedTuple):
    """A piece of a passage, and whether the answer quotes it."""

    text: str
    marked: bool


def segments(passage: str, quotes: Iterable[Quote]) -> list[Segment]:
    """Cut `passage` at the borders of its quotes.

    Overlapping and touching quotes become one marked piece; a span that does not lie in the
    passage is left out. The pieces joined are the passage again.
    """
    spans = sorted(
        (quote.start, quote.end) for quote in quotes if 0 <= quote.start < quote.end <= len(passage)
    )
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    pieces = []
    position = 0
    for start, end in merged:
        if position < start:
            pieces.append(Segment(passage[position:start], False))
        pieces.append(Segment(passage[start:end], True))
        position = end
    if position < len(passage):
        pieces.append(Segment(passage[position:], False))
    return pieces
