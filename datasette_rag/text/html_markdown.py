"""Writes HTML elements as Markdown, so that a page is cut as a Markdown document is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .headings import headings
from .html_tables import data_rows, markdown_table
from .html_writer import Writer, names

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_HEADINGS = names("h1 h2 h3 h4 h5 h6")
_CODE = names("code kbd samp tt")
# At the beginning of a line these would be the structure of a Markdown document.
_STRUCTURE = re.compile(
    r"(#{1,6})(?=\s|$)|```|~~~|<(?=[!?]|(?:script|pre|style|textarea)\b)|[=-]+$", re.IGNORECASE
)
_MARKUP = re.compile(r"[\\`*_\[\]<>&#!]")
_BACKTICKS = re.compile(r"`+")
_LANGUAGE = re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]+)")


class MarkdownWriter(Writer):
    """Puts Markdown together: `#` before headings, fences around code, tables with a header."""

    def __init__(self, left_out: frozenset[int] = frozenset(), *, one_line: bool = False) -> None:
        super().__init__(left_out)
        self.one_line = one_line
        self.flat = [one_line]
        self.items: list[str] = []  # how far the text of each open list item is indented
        self.heading: tuple[int, int] | None = None  # where the heading that we are in begins
        self.code: list[bool] = []  # for each open element of code, whether it got its mark
        self.language = ""

    def enter(self, node: LexborNode) -> bool:
        tag = node.tag or ""
        if tag == "a" and _is_permalink(node):
            return False
        if tag == "table" and not self.one_line and self.verbatim is None:
            data = data_rows(node)
            if data is not None:
                self._table(node, *data)
                return False
        wanted = super().enter(node)
        if wanted and self.verbatim is None:
            if tag in _HEADINGS and self.heading is None and not self.flat[-1] and not self.items:
                self.heading = (len(self.parts), self.wanted)
                self.flat.append(True)
            elif tag in _CODE:
                self._begin_code(node)
        elif tag == "pre" or (tag == "code" and not self.language):
            self.language = _language(node)
        return wanted

    def leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if self.verbatim is None:
            if tag in _CODE:
                self._end_code()
            elif tag in _HEADINGS and self.heading is not None:
                self._end_heading(int(tag[1]))
        super().leave(node)
        if tag == "li" and self.items and self.verbatim is None and not self.flat[-1]:
            self.items.pop()
            self.mark = ""

    def _begin_block(self, tag: str) -> None:
        super()._begin_block(tag)
        if tag == "li" and not self.flat[-1]:
            self.items.append(" " * len(self.mark))

    def _begin_code(self, node: LexborNode) -> None:
        marked = self.heading is None and "`" not in node.text()
        self.code.append(marked)
        self.mark += "`" if marked else ""

    def _end_code(self) -> None:
        if self.code and self.code.pop():
            if self.mark.endswith("`"):
                self.mark = self.mark[:-1]
            else:
                self.parts.append("`")

    def _end_heading(self, level: int) -> None:
        assert self.heading is not None
        begin, self.wanted = self.heading
        self.heading = None
        self.flat.pop()
        words = " ".join("".join(self.parts[begin:]).split())
        del self.parts[begin:]
        if words:
            line = f"{'#' * level} {words}"
            if [heading.text for heading in headings(line)] != [words]:
                line = f"{'#' * level} " + _MARKUP.sub(r"\\\g<0>", words)
            self._put(line)

    def _table(self, node: LexborNode, rows: list[LexborNode], header: int) -> None:
        self.flat.append(False)
        self._break("table")
        caption = node.css_first("caption")
        if caption is not None:
            self._add(self._one_line(caption))
            self._break("table")
        self._put(markdown_table(rows, header, self._one_line))
        self._break("table")
        self.flat.pop()

    def _one_line(self, node: LexborNode) -> str:
        return MarkdownWriter(self.left_out, one_line=True).written(node)

    def _add_verbatim(self, text: str) -> None:
        language, self.language = self.language, ""
        if self.flat[-1]:
            self._add(" ".join(text.split()))
        elif text.strip():
            longest = max(map(len, _BACKTICKS.findall(text)), default=0)
            fence = "`" * max(3, longest + 1)
            self._put(f"{fence}{language}\n{text}\n{fence}")

    def _add(self, words: str) -> None:
        if words and not self.mark and self.heading is None and self._at_line_start():
            words = _STRUCTURE.sub(r"\\\g<0>", words, count=1) if _STRUCTURE.match(words) else words
        self._put(words)

    def _put(self, lines: str) -> None:
        """Write Markdown as it is, indented as the list item that it stands in."""
        indent = "".join(self.items[:-1] if self.mark else self.items)
        if indent and self._at_line_start():
            lines = indent + (self.mark + lines).replace("\n", "\n" + "".join(self.items))
            self.mark = ""
        super()._add(lines)

    def _at_line_start(self) -> bool:
        return not self.parts or self._starts_line()


def _is_permalink(link: LexborNode) -> bool:
    """Whether a link only leads to the place where it stands: the `¶` behind a heading."""
    if not (link.attributes.get("href") or "").startswith("#"):
        return False
    return not any(map(str.isalnum, link.text()))


def _language(node: LexborNode) -> str:
    found = _LANGUAGE.search(node.attributes.get("class") or "")
    return found[1] if found else ""
