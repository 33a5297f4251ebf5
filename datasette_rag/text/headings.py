"""The headings of Markdown, as a Markdown parser sees them: what they say, and their anchors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from .anchors import Anchors

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# The parser ends lines at these and at nothing else.
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Heading:
    """A heading: `text[start:end]` is its lines as written, `.text` what they say.

    `level` is 1 to 6. `text` is plain, on one line, and empty for a heading without words.
    `anchor` is the one that GitHub gives it, without `#`; no two of a document are equal.
    """

    level: int
    text: str
    start: int
    end: int
    anchor: str


def headings(text: str) -> list[Heading]:
    """The headings of a Markdown document, in order.

    Headings inside quotations and list items belong to what is quoted or listed and are left
    out, as is whatever only looks like a heading (in code, in HTML, in comments).

    Args:
        text: Markdown.
    """
    return found_headings(parse_blocks(text), line_starts(text), Anchors())


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


def parse_blocks(text: str) -> list[Token]:
    """The blocks of Markdown as the parser's tokens; what is in a paragraph stays unparsed."""
    return _block_parser().parse(text)


def line_starts(text: str, start: int = 0, count: int | None = None) -> list[int]:
    """The offset of each line, and of the end of the text for the line after the last.

    Args:
        text: the text.
        start: the offset of the first line.
        count: how many lines to look at; all by default.
    """
    ends = (found.end() for found in islice(_LINE_END.finditer(text, start), count))
    return [start, *ends, len(text)]


def found_headings(
    tokens: Sequence[Token], starts: Sequence[int], anchors: Anchors
) -> list[Heading]:
    """The headings among the tokens of `parse_blocks`.

    Args:
        tokens: the parsed text.
        starts: its `line_starts`.
        anchors: those of the document that the text is a part of.
    """
    found = []
    for index, token in enumerate(tokens):
        if token.type != "heading_open" or token.map is None:
            continue
        words, shown = _said(tokens[index + 1].content)
        # Those in quotations and lists have anchors too, which none after them can have.
        anchor = anchors.next(shown)
        if token.level == 0:
            first, last = token.map
            level = int(token.tag[1:])
            found.append(Heading(level, words, starts[first], starts[last], anchor))
    return found


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _said(content: str) -> tuple[str, str]:
    """The words of inline Markdown on one line, and as a browser has them, without images."""
    if not re.search(r"[^\w\s.,:;?()'\"/-]|_", content):
        return " ".join(content.split()), content
    words: list[str] = []
    shown: list[str] = []
    for token in _inline_parser().parseInline(content):
        _collect(token.children or (), words, shown)
    return " ".join("".join(words).split()), "".join(shown)


def _collect(tokens: Iterable[Token], words: list[str], shown: list[str]) -> None:
    for token in tokens:
        if token.type in ("text", "text_special", "code_inline"):
            words.append(token.content)
            shown.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif token.children:  # an image: its alternative text
            _collect(token.children, words, [])
