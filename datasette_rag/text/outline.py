"""The structure of a text: its headings, where it can be cut, and what should stay together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .anchors import Anchors
from .headings import Heading, found_headings, line_starts, parse_blocks
from .sentences import sentence_spans

if TYPE_CHECKING:
    from markdown_it.token import Token

# Where a block can be cut: the nesting depth of what begins there, 0 being outermost.
# Lines inside a block of code come after every depth that the parser can reach (20).
AFTER_BLANK_LINE = 50
CODE_LINE = 51

_CODE = ("fence", "code_block", "html_block")
_INTRODUCED = (*_CODE, "bullet_list_open", "ordered_list_open", "table_open")
# Closing marks may stand behind the colon: "**Note:**", "(as follows:)".
_INTRODUCES = re.compile(r"[:：﹕][*_`\"'”’)\]]{0,4}\s*\Z")
_PART = 500_000  # characters that are parsed at once
_LONGEST_PARAGRAPH = 4_000  # characters; none that introduces a list is longer


@dataclass(frozen=True)
class Lead:
    """What has to be known to read a part: the header of a table, the introduction of a list.

    `text[start:body]` is the lead with the white space behind it, `text[body:end]` the part
    that it belongs to.
    """

    start: int
    body: int
    end: int


@dataclass(frozen=True)
class Outline:
    """The structure of a document.

    `headings` are in order. `borders` maps the offsets at which the document can be cut to
    their depth: the smaller, the better a place it is. `wholes` maps the offset of each table
    and each block of code or HTML to the offset behind it: these are best kept whole.
    `introductions` maps the end of each sentence that introduces what follows, and of each
    table's header, to its start.
    `leads` are ordered by where their part begins; a lead lies inside the part of another or
    outside of it.
    """

    headings: Sequence[Heading] = ()
    borders: dict[int, int] = field(default_factory=dict)
    wholes: dict[int, int] = field(default_factory=dict)
    introductions: dict[int, int] = field(default_factory=dict)
    leads: Sequence[Lead] = ()


def markdown_outline(text: str) -> Outline:
    """The structure of a Markdown document.

    Args:
        text: Markdown. The time taken grows linearly with its length.
    """
    outline = _Outliner(text)
    for start, tokens in _parts(text):
        outline.add(start, tokens)
    return Outline(
        outline.headings, outline.borders, outline.wholes, outline.introductions, outline.leads
    )


def _parts(text: str) -> Iterator[tuple[int, list[Token]]]:
    """The parsed text, a long one in parts that begin at headings, so that memory stays bounded."""
    start = 0
    size = _PART
    while True:
        end = text.find("\n", start + size) + 1 or len(text)
        tokens = parse_blocks(text[start:end])
        if end == len(text):
            yield start, tokens
            return
        # Whatever follows, the last heading is one, and all before it is what it is.
        for index in range(len(tokens) - 1, 0, -1):
            token = tokens[index]
            if token.type == "heading_open" and token.level == 0 and token.map is not None:
                yield start, tokens[:index]
                start = line_starts(text, start, token.map[0])[token.map[0]]
                size = _PART
                break
        else:
            size *= 2


class _Outliner:
    """Puts the outline of a document together, part by part."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.anchors = Anchors()
        self.headings: list[Heading] = []
        self.borders: dict[int, int] = {}
        self.wholes: dict[int, int] = {}
        self.introductions: dict[int, int] = {}
        self.leads: list[Lead] = []

    def add(self, offset: int, tokens: Sequence[Token]) -> None:
        """Add the part that begins at `offset`."""
        last_line = max((token.map[1] for token in tokens if token.map), default=0)
        starts = line_starts(self.text, offset, last_line)
        self.headings += found_headings(tokens, starts, self.anchors)
        for index, token in enumerate(tokens):
            if token.map is None or token.nesting < 0 or token.type == "inline":
                continue
            first, last = starts[token.map[0]], starts[token.map[1]]
            self._border(first, token.level)
            if token.type in (*_CODE, "table_open"):
                self._border(last, token.level)
                self.wholes[first] = last
            if token.type in _CODE:
                for line in range(token.map[0] + 1, token.map[1]):
                    blank = not self.text[starts[line - 1] : starts[line]].strip()
                    self._border(starts[line], AFTER_BLANK_LINE if blank else CODE_LINE)
            if token.type in _INTRODUCED:
                for start, end in _introduction(self.text, tokens, index, starts):
                    self.introductions[end] = start
                    self.leads.append(Lead(start, first, last))
            if token.type == "table_open" and token.map[1] - token.map[0] > 2:
                body = starts[token.map[0] + 2]
                self.introductions[first + len(self.text[first:body].rstrip())] = first
                self.leads.append(Lead(first, body, last))

    def _border(self, offset: int, depth: int) -> None:
        self.borders[offset] = min(depth, self.borders.get(offset, depth))


_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


def plain_outline(text: str) -> Outline:
    """The borders of a text without markup: the ends of its blank lines.

    Args:
        text: any text.
    """
    return Outline(borders={found.end(): 0 for found in _BLANK_LINES.finditer(text)})


def _introduction(
    text: str, tokens: Sequence[Token], index: int, starts: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """The sentence before the block `tokens[index]` that introduces it, as offsets, if any does."""
    # A paragraph is three tokens: its opening, what it says, its closing.
    if index < 3 or tokens[index - 1].type != "paragraph_close":
        return
    opening = tokens[index - 3]
    if opening.map is None or not _INTRODUCES.search(tokens[index - 2].content[-9:]):
        return
    start, end = starts[opening.map[0]], starts[opening.map[1]]
    if end - start > _LONGEST_PARAGRAPH:
        return
    spans = sentence_spans(text[start:end])
    if spans:
        first, last = spans[-1]
        # The mark of a list item is no part of its sentence, and belongs to it all the same.
        yield start + (first if len(spans) > 1 else 0), start + last
