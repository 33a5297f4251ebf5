"""An answer → its statements: the text of each sentence, and the sources that it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ..text.sentences import sentence_spans

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# `[1]`, and what models write as well: `[1, 3]`, `[1-3]`, `[1,2;4]`, `[ 2 ]`, `【2】`.
_INSIDE = r"[ \t]*([1-9]\d{0,3}(?:[ \t]*[,;–-][ \t]*\d{1,4})*)[ \t]*"
_MARK = re.compile(rf"\[{_INSIDE}\]|【{_INSIDE}】")
_LEADING_MARKS = re.compile(rf"(?:\s*(?:{_MARK.pattern}))+[ \t]*[.,;:]?")
_RANGE = re.compile(r"(\d+)(?:[ \t]*[–-][ \t]*(\d+))?")
_LONGEST_RANGE = 50
_HEADING_NUMBER = re.compile(r"\s*\d+(?:\.\d+)*[.)]?\s+")
# Stand-ins of the same length: what is written in code or with a backslash is no citation.
_CODE_BRACKETS = str.maketrans("[]【】", "()()")


@dataclass(frozen=True)
class Statement:
    """A sentence of an answer, or a block of code, without its citation marks.

    `cites` are the numbers that it is to be held against: its own, or where it has none those
    of its neighbours. `own` are the ones written in it.
    """

    text: str
    own: tuple[int, ...]
    cites: tuple[int, ...]


@dataclass
class _Block:
    """A paragraph, list, table or code block as plain text, citation marks left in."""

    lines: list[str]
    is_code: bool = False
    leads_on: bool = False


def statements(answer: str) -> list[Statement]:
    """The statements of an answer in Markdown, in order.

    Marks in code (also in a fence that is never closed) and escaped ones cite nothing. A
    sentence without a mark takes those of the next one with a mark in its paragraph or list,
    else of the one before; code takes those of the block before it, else after it.
    """
    groups: list[tuple[bool, list[tuple[str, tuple[int, ...]]]]] = []
    joins = False
    for block in _blocks(answer):
        if block.is_code:
            groups.append((True, [("\n".join(block.lines), ())]))
            continue
        found = [sentence for line in block.lines for sentence in _sentences(line)]
        if joins and groups and not groups[-1][0]:
            groups[-1][1].extend(found)
        else:
            groups.append((False, found))
        joins = block.leads_on
    return [
        Statement(text, own, own or _borrowed(groups, group, place))
        for group, (_, members) in enumerate(groups)
        for place, (text, own) in enumerate(members)
    ]


def _borrowed(
    groups: Sequence[tuple[bool, list[tuple[str, tuple[int, ...]]]]], group: int, place: int
) -> tuple[int, ...]:
    """The citations that a sentence without any is to be held against."""
    is_code, members = groups[group]
    if not is_code:
        around = [*members[place + 1 :], *reversed(members[:place])]
        return next((own for _, own in around if own), ())
    before = [own for _, members in reversed(groups[:group]) for _, own in reversed(members)]
    after = [own for _, members in groups[group + 1 :] for _, own in members]
    return next((own for own in (*before, *after) if own), ())


def _sentences(line: str) -> list[tuple[str, tuple[int, ...]]]:
    found: list[tuple[str, tuple[int, ...]]] = []
    for start, end in sentence_spans(line):
        text = line[start:end]
        # "It costs 10. [1] It is red. [2]": a mark behind the full stop belongs before it.
        leading = _LEADING_MARKS.match(text) if found else None
        if leading:
            before, own = found[-1]
            found[-1] = (before, _unique(own, _numbers(leading[0])))
            text = text[leading.end() :].strip()
        if text:
            found.append((_MARK.sub(" ", text).strip(), _unique(_numbers(text))))
    return found


def _numbers(text: str) -> list[int]:
    """The source numbers of all marks in a text."""
    numbers: list[int] = []
    for mark in _MARK.finditer(text):
        for found in _RANGE.finditer(mark[1] or mark[2]):
            first = int(found[1])
            last = int(found[2] or first)
            if first <= last < first + _LONGEST_RANGE:
                numbers.extend(range(first, last + 1))
    return numbers


def _unique(*numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for some in numbers for number in some))


def _blocks(answer: str) -> list[_Block]:
    blocks: list[_Block] = []
    heading = ""
    for token in _parser().parse(answer):
        if token.level == 0 and token.nesting >= 0:
            blocks.append(_Block([], token.type in ("fence", "code_block")))
            heading = token.type if token.type == "heading_open" else ""
        if token.type in ("fence", "code_block"):
            # Code inside a list is text of the list, in which nothing is a citation.
            blocks[-1].lines.append(token.content.translate(_CODE_BRACKETS))
        elif token.type == "inline":
            line, open_code = _line(token)
            line = _HEADING_NUMBER.sub("", line) if heading else line
            blocks[-1].lines.append(line)
            blocks[-1].leads_on = bool(heading) or line.rstrip("*_ ").endswith((":", "："))
            if open_code:
                blocks[-1].leads_on = False
    return [block for block in blocks if any(line.strip() for line in block.lines)]


def _line(token: Token) -> tuple[str, bool]:
    """The text of an inline token, and whether a fence was opened in the middle of it."""
    text = ""
    open_code = in_link = False
    for child in token.children or ():
        if child.type in ("link_open", "link_close"):
            in_link = child.type == "link_open"
        elif in_link and child.type == "text" and _MARK.fullmatch(f"[{child.content}]"):
            text += f"[{child.content}]"  # `[1](https://…)` is shown as a citation, too
        elif child.type in ("softbreak", "hardbreak"):
            text += " "
        elif child.type in ("code_inline", "text_special") or open_code:
            text += child.content.translate(_CODE_BRACKETS)
        elif child.type == "text":
            before, fence, behind = child.content.partition("```")
            text += before + fence + behind.translate(_CODE_BRACKETS)
            open_code = bool(fence)
        elif child.type == "image":
            text += " ".join(part.content for part in child.children or ())
    return text, open_code


@cache
def _parser() -> MarkdownIt:
    """A parser that sees code where the page shows code, and keeps escaped characters apart."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return parser.disable(["reference", "text_join"])
