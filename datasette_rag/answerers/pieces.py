"""A source → the pieces of it that could be an answer: sentences, list items, table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..events import Source
from ..text.sentences import sentence_spans

Kind = Literal["prose", "item", "row", "code"]

MAX_PIECE_CHARS = 400

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:`{3,}|~{3,})[^`\n]*(?:\n|$)")
_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_UNDERLINED = re.compile(r"\n[ \t]*(?:=+|-{2,})[ \t]*$")
_QUOTED = re.compile(r"^(?:>[ \t]?)+", re.MULTILINE)
_MARKER = re.compile(r"(?:[-*+•‣◦]|\d{1,3}[.)]|[a-z]\))[ \t]+(?:\[[ xX]\][ \t]+)?")
_NOT_WORDS = re.compile(
    r"!\[[^\]\n]*\]\([^)\n]*\)"  # an image
    r"|<[^>\n]{1,300}>"  # a tag or comment
    r"|\[[^\]\n]+\]:[^\n]*"  # the definition of a link
    r"|\[![A-Za-z]+\]"  # a call-out: [!NOTE]
)
_CLAUSE_END = re.compile(r"(?:[,;:—–、，；：])\s*|\s+-\s+|\)\s+")


@dataclass(frozen=True)
class Piece:
    """A possible answer: `source.passage[start:end]`.

    `heading` are the words that it stands under (title, trail, headings in the passage, the
    question of an FAQ), `header` the header row of its table. `number` counts the pieces of a
    source, `block` what belongs together in it. `cut_before` and `cut_after` say that a long
    sentence goes on there.
    """

    source: Source
    start: int
    end: int
    kind: Kind
    heading: str
    header: str = ""
    number: int = 0
    block: int = 0
    cut_before: bool = False
    cut_after: bool = False

    @property
    def text(self) -> str:
        return self.source.passage[self.start : self.end]


def pieces(source: Source) -> list[Piece]:
    """The possible answers in a source, in their order.

    Headings, questions, images, link definitions, table rules and the like are none, but
    headings and questions are kept with what follows them.
    """
    passage = source.passage
    title = f"{source.title}\n{source.heading}"
    heading, header = title, ""
    found: list[Piece] = []
    previous_end, block = 0, 0
    spans = sentence_spans(passage)
    for index, (start, end) in enumerate(spans):
        text = passage[start:end]
        if "\n" in passage[previous_end:start].replace("\r", "").strip(" \t")[1:]:
            block += 1
        previous_end = end
        fence = _FENCE.match(text)
        if fence:
            if any(char.isalnum() for char in text[fence.end() :]):
                found.append(Piece(source, start, end, "code", heading, "", len(found), block))
            continue
        plain = _NOT_WORDS.sub("", text)
        if not any(char.isalnum() for char in plain):
            continue
        if _is_heading(text, passage, spans, index):
            heading = f"{title}\n{plain}"
            header = ""
            continue
        is_row = text.startswith("|") or _is_open_row(text)
        if is_row and _is_rule(passage, spans, index + 1):
            header = text
            continue
        header = header if is_row else ""
        quote = _QUOTED.match(text)
        start += quote.end() if quote else 0
        marker = _MARKER.match(passage, start, end)
        kind: Kind = "row" if is_row else "item" if marker else "prose"
        start = marker.end() if marker and not is_row else start
        for first, last in _short_enough(passage, start, end):
            found.append(
                Piece(
                    source, first, last, kind, heading, header, len(found), block,
                    cut_before=first > start, cut_after=last < end,
                )
            )  # fmt: skip
    return found


def _is_heading(text: str, passage: str, spans: list[tuple[int, int]], index: int) -> bool:
    """Whether this says what follows it: a heading, a question, a short line of its own."""
    if _HEADING.match(text) or _UNDERLINED.search(text):
        return True
    if index + 1 == len(spans) or "|" in text:
        return False
    gap = passage[spans[index][1] : spans[index + 1][0]]
    if text.rstrip("*_").endswith(("?", "？", "؟")):
        return True
    alone = gap.count("\n") > 1 and (
        index == 0 or passage[spans[index - 1][1] : spans[index][0]].count("\n") > 0
    )
    return (
        alone and len(text) <= 80 and "\n" not in text
        and not _MARKER.match(text) and text.rstrip("*_")[-1:] not in ".!:;,…。！）)\"”'`"
    )  # fmt: skip


def _is_open_row(text: str) -> bool:
    return text.count(" | ") >= 1 and "\n" not in text


def _is_rule(passage: str, spans: list[tuple[int, int]], index: int) -> bool:
    if index >= len(spans):
        return False
    text = passage[spans[index][0] : spans[index][1]]
    return "-" in text and not text.strip("|:- \t")


def _short_enough(passage: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The piece, or where it is too long its parts, cut between clauses, else between words."""
    while end - start > MAX_PIECE_CHARS:
        limit = start + MAX_PIECE_CHARS
        ends = [match.end() for match in _CLAUSE_END.finditer(passage, start + 120, limit)]
        cut = ends[-1] if ends else passage.rfind(" ", start + 120, limit)
        cut = cut if cut > start else limit
        last = cut
        while last > start and passage[last - 1].isspace():
            last -= 1
        yield start, last
        start = cut
        while start < end and passage[start].isspace():
            start += 1
    if start < end:
        yield start, end
