"""Writes the text of HTML elements, with the white space that a browser would show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def names(names: str) -> frozenset[str]:
    """The names in a string."""
    return frozenset(names.split())


_LEFT_OUT = names(
    "script style template noscript iframe object svg math audio video canvas datalist"
)
_PARAGRAPHS = names("p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre figure hr title")
_BLOCKS = names(
    "address article aside body button caption center dd details dialog div dt fieldset "
    "figcaption footer form header html li main nav optgroup option section summary tbody tfoot "
    "thead tr"
)
_WHITE_SPACE = re.compile(r"\s+")

# What is to stand before the next word, from nothing to a blank line.
_NOTHING, _SPACE, _LINE, _BLANK_LINE = range(4)
_SEPARATORS = ("", " ", "\n", "\n\n")


class Writer:
    """Puts plain text together: blocks on lines of their own, cells with ` | ` between them."""

    def __init__(self, left_out: frozenset[int] = frozenset()) -> None:
        self.left_out = left_out  # nodes that are not wanted, by their `mem_id`
        self.parts: list[str] = []
        self.wanted = _NOTHING
        self.mark = ""  # of a list item whose first word is still to come
        self.lists: list[int | None] = []  # the number of the last item, None for bullets
        self.flat = [False]  # whether we are in a cell that has to stay on one line
        self.verbatim: list[str] | None = None  # the text of the <pre> that we are in
        self.pre_depth = 0

    def enter(self, node: LexborNode) -> bool:
        """Begin a node; whether its children are wanted."""
        tag = node.tag or ""
        if tag == "-text":
            self._write(node.text_content or "")
            return False
        if not tag[:1].isalpha() or tag in _LEFT_OUT or node.mem_id in self.left_out:
            return False
        if self.verbatim is not None:
            self.verbatim.append("\n" if tag == "br" else "")
            self.pre_depth += tag == "pre"
        elif tag == "br":
            self._want(_BLANK_LINE if self.wanted >= _LINE else _LINE)
        elif tag in ("td", "th"):
            before, after = _has_cell(node, "prev"), _has_cell(node, "next")
            if before:
                self.parts.append("\n| " if self.wanted >= _LINE else " | ")
                self.wanted = _NOTHING
            self.flat.append(before or after)
        else:
            self._break(tag)
            self._begin_block(tag)
        return True

    def leave(self, node: LexborNode) -> None:
        """End a node that `enter` began."""
        tag = node.tag or ""
        if self.verbatim is not None:
            self.pre_depth -= tag == "pre"
            if self.pre_depth:
                return
            text = "".join(self.verbatim).strip("\n")
            self.verbatim = None
            self._add_verbatim(text)
        if tag in ("td", "th", "table"):
            self.flat.pop()
        elif tag in ("ul", "ol"):
            self.lists.pop()
        if tag not in ("td", "th"):
            self._break(tag)

    def written(self, root: LexborNode | None) -> str:
        """The text of all that is in a node."""
        # A loop and no recursion, since HTML can be nested as deep as it likes.
        end = root.mem_id if root is not None else None
        node = root.first_child if root is not None else None
        while node is not None:
            if self.enter(node):
                if node.first_child is not None:
                    node = node.first_child
                    continue
                self.leave(node)
            while node is not None and node.next is None:
                node = node.parent
                if node is None or node.mem_id == end:
                    return self._text()
                self.leave(node)
            node = node.next if node is not None else None
        return self._text()

    def _text(self) -> str:
        return "".join(self.parts).strip("\n").rstrip()

    def _begin_block(self, tag: str) -> None:
        if tag == "pre":
            self.verbatim = []
            self.pre_depth = 1
        elif tag == "table":
            # Within a cell it makes that cell a part of the page's layout.
            self.flat.append(False)
        elif tag in ("ul", "ol"):
            self.lists.append(0 if tag == "ol" else None)
        elif tag == "li" and not self.flat[-1]:
            number = self.lists[-1] if self.lists else None
            if number is None:
                self.mark = "- "
            else:
                self.lists[-1] = number + 1
                self.mark = f"{number + 1}. "

    def _break(self, tag: str) -> None:
        """What a block wants at its beginning and at its end."""
        if tag in _PARAGRAPHS and not (tag in ("ul", "ol") and self.lists):
            self._want(_BLANK_LINE)
        elif tag in _PARAGRAPHS or tag in _BLOCKS:
            self._want(_LINE)

    def _want(self, separator: int) -> None:
        if self.flat[-1]:
            separator = _SPACE
        if not self.mark:
            self.wanted = max(self.wanted, separator)

    def _write(self, text: str) -> None:
        text = text.replace("\xad", "")  # where a word may be broken
        if self.verbatim is not None:
            self.verbatim.append(text)
            return
        words = _WHITE_SPACE.sub(" ", text)
        if words.startswith(" "):
            self._want(_SPACE)
        self._add(words.strip(" "))
        if words.endswith(" "):
            self._want(_SPACE)

    def _add_verbatim(self, text: str) -> None:
        """Write what stood in a `<pre>`."""
        self._add(text)

    def _starts_line(self) -> bool:
        """Whether what is written next begins a line."""
        return self.wanted >= _LINE

    def _add(self, words: str) -> None:
        if not words:
            return
        if self.parts and not (self.wanted == _SPACE and self.parts[-1].endswith(" ")):
            self.parts.append(_SEPARATORS[self.wanted])
        self.parts.append(self.mark + words)
        self.wanted = _NOTHING
        self.mark = ""


def _has_cell(node: LexborNode, direction: Literal["prev", "next"]) -> bool:
    """Whether the row has a cell before or after this one."""
    sibling = getattr(node, direction)
    while sibling is not None and sibling.tag not in ("td", "th"):
        sibling = getattr(sibling, direction)
    return sibling is not None
