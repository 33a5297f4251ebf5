"""A table of HTML as a Markdown table, cells that span others repeated in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# What a cell may span at most: more is a mistake or made to exhaust us.
_MAX_COLUMNS = 100
_MAX_ROWS = 1000


def data_rows(table: LexborNode) -> tuple[list[LexborNode], int] | None:
    """The rows of a table and how many of them are its header.

    Args:
        table: a `<table>`.

    Returns:
        None for a table that has no header or is there for the layout of the page.
    """
    rows = list(_rows(table))
    header = 0
    for row in rows:
        tags = [cell.tag for cell in _cells(row)]
        in_head = row.parent is not None and row.parent.tag == "thead"
        if not in_head and (len(tags) < 2 or set(tags) != {"th"}):
            break
        header += 1
    columns = max((len(list(_cells(row))) for row in rows), default=0)
    if not header or columns < 2:
        return None
    inside = {node.mem_id for node in table.css("table, pre")}
    return None if inside - {table.mem_id} else (rows, header)


def markdown_table(
    rows: list[LexborNode], header: int, text_of: Callable[[LexborNode], str]
) -> str:
    """The lines of a Markdown table.

    Args:
        rows: the `<tr>` of the table.
        header: how many of them are its header; they become one row.
        text_of: the text of a cell, on one line.
    """
    grid = _grid(rows, text_of)
    width = max(map(len, grid))
    grid = [row + [""] * (width - len(row)) for row in grid]
    titles = [
        " / ".join(dict.fromkeys(filter(None, (row[column] for row in grid[:header]))))
        for column in range(width)
    ]
    lines = [titles, ["---"] * width, *(row for row in grid[header:] if any(row))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _grid(rows: list[LexborNode], text_of: Callable[[LexborNode], str]) -> list[list[str]]:
    grid: list[list[str]] = []
    spanning: dict[int, tuple[int, str]] = {}  # by column: rows still to go, and the text
    for row in rows:
        line: list[str] = []

        def fill(line: list[str] = line) -> None:
            while len(line) in spanning:
                left, text = spanning.pop(len(line))
                if left > 1:
                    spanning[len(line)] = (left - 1, text)
                line.append(text)

        for cell in _cells(row):
            fill()
            text = text_of(cell).replace("|", "\\|")
            down = min(_span(cell, "rowspan"), _MAX_ROWS)
            for _ in range(min(_span(cell, "colspan"), _MAX_COLUMNS - len(line))):
                if down > 1:
                    spanning[len(line)] = (down - 1, text)
                line.append(text)
        fill()
        grid.append(line)
    return grid


def _span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name) or "1"
    return max(1, int(value)) if value.isdecimal() and len(value) < 6 else 1


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for child in _children(table):
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in _children(child) if row.tag == "tr")


def _cells(row: LexborNode) -> Iterator[LexborNode]:
    return (cell for cell in _children(row) if cell.tag in ("td", "th"))


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next
