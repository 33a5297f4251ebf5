"""MDX to Markdown: without its imports, exports, tags and expressions, with all their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from .headings import line_starts
from .html_writer import names
from .jsx import Brackets, Tag, statement_end, string_of, tag_at
from .sentences import code_spans

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_MODULE = re.compile(
    r"import\s+(?:[\"'{*]|[\w$]+\s*(?:,|from\b))"
    r"|export\s+(?:default|const|let|var|function|async|class|type|interface|[{*])"
)
_STARTS = re.compile(r"[<{\\]")
_INDENT = re.compile(r"\n([ \t]*)(?=(\S?))")
# What a tag says to the reader rather than to the program.
_SPOKEN = ("title", "label", "summary")
_IN_A_WORD = names("a abbr b code del em font i ins kbd mark s small span strong sub sup u var")
_NEVER_CLOSED = names("br hr img input wbr")


def mdx_to_markdown(text: str) -> str:
    """Make Markdown of MDX.

    Imports, exports, tags of JSX and HTML, expressions and comments go; what stands between
    the tags stays, and so do the titles and labels that tags have as strings. Content that is
    indented within a tag is moved to the left, where Markdown does not take it for code.

    Args:
        text: MDX with `\\n` as its only line end, without front matter. The time taken grows
            linearly with its length.
    """
    text = _without_modules(text)
    writer = _Writer()
    position = 0
    for start, end, found in _jsx(text):
        writer.keep(text[position:start])
        if isinstance(found, Tag):
            writer.tag(found)
        else:
            writer.instead(found)
        position = end
    writer.keep(text[position:])
    return "".join(writer.parts)


def _without_modules(text: str) -> str:
    """The text without its imports and exports, which are paragraphs of their own."""
    starts = line_starts(text)
    brackets = Brackets(text)
    parts = []
    position = 0
    for token in _parser().parse(text):
        if token.type == "paragraph_open" and token.level == 0 and token.map is not None:
            start = starts[token.map[0]]
            if start >= position and _MODULE.match(text, start):
                parts.append(text[position:start])
                position = statement_end(text, start, brackets)
    parts.append(text[position:])
    return "".join(parts)


def _jsx(text: str) -> Iterator[tuple[int, int, Tag | str]]:
    """Tags and expressions outside of code, in order: offsets, and the tag or what to say."""
    code = _code(text)
    brackets = Brackets(text)
    place = position = 0
    while found := _STARTS.search(text, position):
        start = found.start()
        position = start + 1
        while place < len(code) and code[place][1] <= start:
            place += 1
        if place < len(code) and code[place][0] <= start:
            position = code[place][1]
        elif found[0] == "\\":
            position = start + 2
        elif text.startswith("<!--", start):
            end = text.find("-->", start)
            if end >= 0:
                position = end + 3
                yield start, position, ""
        elif found[0] == "<":
            tag = tag_at(text, start, brackets)
            if tag is not None:
                position = tag.end
                yield start, position, tag
        else:
            closed = brackets.end(start)
            if closed is not None:
                position = closed
                yield start, position, string_of(text[start:closed])


def _code(text: str) -> list[tuple[int, int]]:
    """Blocks of code and code within lines, as offsets in order."""
    starts = line_starts(text)
    spans = []
    for token in _parser().parse(text):
        if token.map is None or token.type not in ("fence", "inline"):
            continue
        start, end = starts[token.map[0]], starts[token.map[1]]
        spans += [(start, end)] if token.type == "fence" else code_spans(text, start, end)
    return sorted(spans)


@cache
def _parser() -> MarkdownIt:
    """A parser of what MDX leaves of Markdown: indented code and HTML are not part of it."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable(["code", "html_block"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


class _Writer:
    """Puts together what is kept."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.open: list[tuple[str, int | None]] = []  # tags, and how far their content is indented
        self.spoken = ""  # what tags say, before it is known what follows
        self.apart = False  # whether a tag that parts words was left out since the last text

    def keep(self, text: str) -> None:
        """Write text between tags."""
        if not text:
            return
        if text.strip():
            # A heading says it all, and would part it from what it is said of.
            self._speak(not text.lstrip().startswith("#"))
        if self.apart and self._last().isalnum() and text[0].isalnum():
            self.parts.append(" ")
        self.apart = False
        self.parts.append(_INDENT.sub(self._outdented, text) if self.open else text)

    def instead(self, text: str) -> None:
        """Write what an expression says."""
        if text:
            self.parts.append(text)

    def tag(self, tag: Tag) -> None:
        """Leave a tag out, but for what it says to the reader."""
        self.apart = self.apart or tag.name not in _IN_A_WORD
        line_begins = self._begins_line()
        if line_begins and self.parts:
            self.parts[-1] = self.parts[-1].rstrip(" \t")
        if tag.kind != "open":
            self._speak(True)
        if tag.kind == "close":
            names = [name for name, _ in self.open]
            if tag.name in names:
                del self.open[len(names) - 1 - names[::-1].index(tag.name) :]
        elif tag.kind == "open" and tag.name not in _NEVER_CLOSED and line_begins:
            self.open.append((tag.name, None))
        if tag.name == "br":
            self.parts.append("\n")
        said = " ".join(filter(None, map(tag.attributes.get, _SPOKEN)))
        if said and tag.kind == "whole":
            self.parts.append(said)
        elif said:
            self.spoken += said + ("\n" if line_begins else " ")

    def _speak(self, wanted: bool) -> None:
        if self.spoken and wanted:
            self.parts.append(self.spoken)
        self.spoken = ""

    def _outdented(self, found: re.Match[str]) -> str:
        name, indent = self.open[-1]
        if not found[2]:
            return found[0]
        if indent is None:
            indent = len(found[1])
            self.open[-1] = (name, indent)
        return "\n" + found[1][indent:]

    def _last(self) -> str:
        return self.parts[-1][-1:] if self.parts else ""

    def _begins_line(self) -> bool:
        written = "".join(self.parts[-2:]).rstrip(" \t")
        return not written or written.endswith("\n")
