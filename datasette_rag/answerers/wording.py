"""A piece of a source → Markdown that stands in an answer without breaking it.

The words stay the source's own; only what would turn into structure, or into a citation that
the answer does not make, is taken away or escaped.
"""

from __future__ import annotations

import re
import textwrap

from .pieces import Piece

_QUOTE_MARKS = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_HARD_BREAK = re.compile(r"\\\n")
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
# A link that leads nowhere from an answer: to a file beside the source, or defined elsewhere.
_LINK = re.compile(
    r"\[([^\[\]\n]+)\](?:\((?!https?://)[^()\n]*\)|\[[^\]\n]*[^\d\s\],;–-][^\]\n]*\])"
)
_DEFINITION = re.compile(r"^\[[^\]\n]+\]:[^\n]*$", re.MULTILINE)
_CITATION_LIKE = re.compile(r"\\*[\[【](?=\s*\d[\d\s,;–-]*[\]】])")
_STRUCTURE_START = re.compile(r"(?:#{1,6}(?=\s|$)|[-+*>|](?=\s)|>|\||~~~|(?:={2,}|-{2,})$)")
_NUMBER_START = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:.+?)(?<!`)\1(?!`)", re.DOTALL)
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_LANGUAGE = re.compile(r"[`~][ \t]*([\w+#.-]{1,40})\s*$")
_BACKTICK = re.compile(r"\\*`")
_BACKTICKS = re.compile(r"`+")


def worded(piece: Piece) -> str:
    """The piece as Markdown for the answer: on one line, or a fenced block for code."""
    if piece.kind == "code":
        return _fenced(piece.text)
    text = _row(piece) if piece.kind == "row" else _inline(piece.text)
    return ("… " if piece.cut_before else "") + text + (" …" if piece.cut_after else "")


def _fenced(block: str) -> str:
    """The code block with a fence of our own, which nothing inside can close.

    In the source it may be indented or quoted, so that its own fence would not close here.
    """
    first, *lines = block.split("\n")
    named = _LANGUAGE.search(first)
    if first.count(">"):
        lines = [re.sub(r"^[ \t]*>[ \t]?", "", line) for line in lines]
    if lines and not lines[-1].strip("`~ \t\r"):
        lines.pop()
    body = textwrap.dedent("\n".join(lines))
    longest = max((len(run) for run in _BACKTICKS.findall(body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{named[1] if named else ''}\n{body}\n{fence}"


def _row(piece: Piece) -> str:
    """A table row as `Header: cell; Header: cell`, or its cells alone where no header fits."""
    cells = [_inline(cell) for cell in _cells(piece.text)]
    heads = [_inline(head) for head in _cells(piece.header)]
    if len(heads) != len(cells):
        return " · ".join(filter(None, cells))
    pairs = [
        f"{head}: {cell}" if head else cell for head, cell in zip(heads, cells, strict=True) if cell
    ]
    return "; ".join(pairs)


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _CELL_BORDER.split(inner)] if inner else []


def _inline(text: str) -> str:
    text = _DEFINITION.sub("", _QUOTE_MARKS.sub("\n", _HARD_BREAK.sub("\n", text)))
    parts = _around_code(text)
    if "\\`" in text or any("`" in part for part in parts[::2]):
        # Half a code span would reach into the next sentence, half a fence to the end.
        parts = [_BACKTICK.sub("", text)]
    prose = [_without_dead_links(part) for part in parts[::2]]
    for mark in ("**", "__", "~~"):
        if sum(part.count(mark) for part in prose) % 2:
            # Between two code spans a space must remain, or they become one.
            prose = [part.replace(mark, "") or part and " " for part in prose]
    if sum(part.count("*") - part.count("\\*") for part in prose) % 2:
        prose = [re.sub(r"(?<!\\)\*", r"\\*", part) for part in prose]
    parts[::2] = [_CITATION_LIKE.sub(r"\\[", part) for part in prose]
    line = " ".join("".join(parts).split())
    if "\\`" in line:  # what stood between the two was taken out
        line = _CITATION_LIKE.sub(r"\\[", _BACKTICK.sub("", line))
    if _STRUCTURE_START.match(line):
        return "\\" + line
    return _NUMBER_START.sub(r"\1\\\2", line, count=1) if _NUMBER_START.match(line) else line


def _around_code(text: str) -> list[str]:
    """The text cut into prose (even places) and code spans (odd places)."""
    parts, at = [], 0
    for code in _CODE.finditer(text):
        parts += [text[at : code.start()], code[0]]
        at = code.end()
    return [*parts, text[at:]]


def _without_dead_links(text: str) -> str:
    return _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
