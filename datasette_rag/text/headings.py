"""Markdown to its headings and the borders of its blocks, as a Markdown parser sees them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# The parser ends lines at these and at nothing else.
_LINE_END = re.compile(r"\r\n|\r|\n")

# Where a block can be cut: the nesting depth of what begins there, 0 being outermost.
# Lines inside a block of code come after every depth that the parser can reach (20).
AFTER_BLANK_LINE = 50
CODE_LINE = 51


@dataclass(frozen=True)
class Heading:
    """A heading: `text[start:end]` is its lines as written, `.text` what they say.

    `level` is 1 to 6. `text` is plain, on one line, and empty for a heading without words.
    """

    level: int
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Outline:
    """The structure of a document.

    `headings` are in order. `borders` maps the offsets at which the document can be cut to
    their depth: the smaller, the better a place it is. `wholes` maps the offset of each table
    and each block of code or HTML to the offset behind it: these are best kept whole.
    """

    headings: Sequence[Heading]
    borders: dict[int, int]
    wholes: dict[int, int]


def headings(text: str) -> list[Heading]:
    """The headings of a Markdown document, in order.

    Headings inside quotations and list items belong to what is quoted or listed and are left
    out, as is whatever only looks like a heading (in code, in HTML, in comments).

    Args:
        text: Markdown.
    """
    return _headings(_parser().parse(text), _line_starts(text))


def document_title(text: str) -> str | None:
    """The title of a Markdown document: its first heading of level 1, else its first heading.

    Args:
        text: Markdown.

    Returns:
        The heading as plain text, or None if no heading has any words.
    """
    # A level 1 heading mostly stands at the top, and what comes later cannot undo it: so
    # longer and longer beginnings are parsed until one is found.
    reach = 400
    while True:
        end = text.find("\n", reach)
        found = headings(text if end < 0 else text[: end + 1])
        for heading in found:
            if heading.level == 1 and heading.text:
                return heading.text
        if end < 0:
            return next((heading.text for heading in found if heading.text), None)
        reach = end * 4


def markdown_outline(text: str) -> Outline:
    """The headings, borders and uncut blocks of a Markdown document.

    Args:
        text: Markdown. The time taken grows linearly with its length.
    """
    tokens = _parser().parse(text)
    starts = _line_starts(text)
    borders: dict[int, int] = {}
    wholes: dict[int, int] = {}

    def border(line: int, depth: int) -> None:
        offset = starts[line]
        borders[offset] = min(depth, borders.get(offset, depth))

    for token in tokens:
        if token.map is None or token.nesting < 0 or token.type == "inline":
            continue
        first, last = token.map
        border(first, token.level)
        if token.type in ("fence", "code_block", "html_block", "table_open"):
            border(last, token.level)
            wholes[starts[first]] = starts[last]
            if token.type != "table_open":
                for line in range(first + 1, last):
                    blank = not text[starts[line - 1] : starts[line]].strip()
                    border(line, AFTER_BLANK_LINE if blank else CODE_LINE)
    return Outline(_headings(tokens, starts), borders, wholes)


_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


def plain_outline(text: str) -> Outline:
    """The borders of a text without markup: the ends of its blank lines.

    Args:
        text: any text.
    """
    return Outline([], {found.end(): 0 for found in _BLANK_LINES.finditer(text)}, {})


@cache
def _parser() -> MarkdownIt:
    """A parser of blocks only: what stands inside a paragraph is of no concern here."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _line_starts(text: str) -> list[int]:
    """The offset of each line, and of the end of the text for the line after the last."""
    starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
    starts.append(len(text))
    return starts


def _headings(tokens: Sequence[Token], starts: list[int]) -> list[Heading]:
    found = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            first, last = token.map
            words = _plain(tokens[index + 1].content)
            found.append(Heading(int(token.tag[1:]), words, starts[first], starts[last]))
    return found


def _plain(content: str) -> str:
    """The words of inline Markdown, on one line."""
    if not re.search(r"[^\w\s.,:;?()'\"/-]|_", content):
        return " ".join(content.split())
    parts: list[str] = []
    for token in _inline_parser().parseInline(content):
        _collect(token.children or (), parts)
    return " ".join("".join(parts).split())


def _collect(tokens: Iterable[Token], parts: list[str]) -> None:
    for token in tokens:
        if token.type in ("text", "text_special", "code_inline"):
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.children:  # an image: its alternative text
            _collect(token.children, parts)
