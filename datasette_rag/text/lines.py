"""Text to the runs of lines that no sentence crosses."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE = re.compile(r"[^\n]*\n?")
_MARKER = r"(?:[-*+•‣◦]|\d{1,3}[.)]|[a-z]\))[ \t]"
_FENCE = re.compile(
    rf"[ \t>]*(?:{_MARKER}[ \t]*)?(?P<mark>`{{3,}}(?=[^`\n]*\n?$)|~{{3,}})(?P<info>[^\n]*)"
)
# A line that begins something new: heading, table row, list item, quotation.
_BEGINS = re.compile(rf"[ \t>]*(?:(?P<heading>#{{1,6}}[ \t])|(?P<row>\|)|{_MARKER})")


def segments(text: str) -> Iterator[tuple[int, int, bool]]:
    """Runs of lines that no sentence crosses: paragraphs, list items, table rows, headings.

    Args:
        text: any text. The time taken grows linearly with its length.

    Yields:
        (start, end, whole): offsets in order, together all of the text, and whether the run
        is a fenced code block or a table row, of which no sentences are to be cut.
    """
    lines = [(line.start(), line.end()) for line in _LINE.finditer(text) if line[0]]
    fences = _fenced_blocks(text, lines)
    begin = 0
    cells_above = False
    index = 0
    while index < len(lines):
        start, end = lines[index]
        if index in fences:
            yield from _some(begin, start, False)
            begin = lines[fences[index]][1]
            yield start, begin, True
            index = fences[index] + 1
            cells_above = False
            continue
        line = text[start:end]
        begins = _BEGINS.match(line)
        cells = " | " in line
        if not line.strip() or _is_rule(line):
            # A blank line or a rule goes with what it ends.
            yield begin, end, False
            begin = end
        elif begins or (cells and cells_above) or _FENCE.match(line):
            yield from _some(begin, start, False)
            begin = start
            row = cells if not begins else begins["row"] is not None
            if row or not begins or begins["heading"]:
                yield start, end, row
                begin = end
        index += 1
        cells_above = cells
    yield from _some(begin, len(text), False)


def _some(start: int, end: int, whole: bool) -> Iterator[tuple[int, int, bool]]:
    if start < end:
        yield start, end, whole


def _is_rule(line: str) -> bool:
    """Whether the line is nothing but a rule: it underlines the line above or divides."""
    marks = line.strip()
    if not marks or marks[0] not in "=-*_":
        return False
    marks = marks.replace(" ", "").replace("\t", "")
    return len(marks) >= (2 if marks[0] in "=-" else 3) and not marks.strip(marks[0])


def _fenced_blocks(text: str, lines: list[tuple[int, int]]) -> dict[int, int]:
    """The fenced code blocks: index of the opening line → index of the closing line.

    A fence that is never closed is none here: a passage may begin inside a code block, and
    its first fence is then the end of the code and not its beginning. For the same reason a
    fence is none if a fence as long that names a language stands before the next bare one.
    """
    fences = []
    for index, (start, end) in enumerate(lines):
        found = _FENCE.match(text, start, end)
        if found:
            fences.append((index, found["mark"], bool(found["info"].strip())))
    # For every fence the next of its kind that is at least as long, found from the end with
    # a stack of those that still can be one.
    following: dict[int, int] = {}
    open_fences: dict[str, list[int]] = {"`": [], "~": []}
    for place in reversed(range(len(fences))):
        mark = fences[place][1]
        stack = open_fences[mark[0]]
        while stack and len(fences[stack[-1]][1]) < len(mark):
            stack.pop()
        if stack:
            following[place] = stack[-1]
        stack.append(place)
    blocks: dict[int, int] = {}
    place = 0
    while place < len(fences):
        closing = following.get(place)
        if closing is not None and not fences[closing][2]:
            blocks[fences[place][0]] = fences[closing][0]
            place = closing
        place += 1
    return blocks
