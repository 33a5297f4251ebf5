"""A found row → its title, and its text in blocks that are worth looking at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..text.blocks import Block, coarse_blocks, html_blocks, promising
from ..text.clean import clean
from ..text.html import html_to_markdown
from ..text.plain import is_html, to_markdown, to_text
from .search import FoundRow

_BLOCK_CHARS = 6_000
# Of a longer row only the most promising blocks are looked at, and nothing is done to all of
# its text that takes long: so it takes hardly longer than a short one.
_MOST_BLOCKS = 12
_LONG = _BLOCK_CHARS * _MOST_BLOCKS


def row_title(row: FoundRow) -> str:
    """What to call a row: its title column, else its table and key."""
    table = row.table
    if table.title_column is not None:
        title = " ".join(to_text(row.values[table.title_column]).split())
        if title:
            return title
    key = ", ".join(str(row.values[name]) for name in table.pks) or str(row.rowid)
    return f"{table.table} {key}"


def text_length(row: FoundRow) -> int:
    """How many characters the text of a row has."""
    values = (row.values[name] for name in row.table.text_columns)
    return sum(len(value) for value in values if isinstance(value, str))


def row_blocks(row: FoundRow, keywords: Sequence[str], max_chars: int) -> list[Block]:
    """The text of a row: its columns one after the other, HTML as Markdown, in blocks.

    Args:
        row: the row.
        keywords: what a block has to hold to be promising.
        max_chars: how much of each value of a long row to look at.

    Returns:
        All of the row's text, or of a long row the most promising blocks. At least one.
    """
    texts = []
    blocks: list[Block] = []
    for name in row.table.text_columns:
        value = row.values[name]
        if isinstance(value, str) and len(value) > _LONG:
            cut = html_blocks if is_html(value) else coarse_blocks
            blocks += cut(value[: max(max_chars, _LONG)], _BLOCK_CHARS)
        else:
            text = to_markdown(value).strip()
            texts += [text] if text else []
    if texts or not blocks:
        blocks = [*coarse_blocks("\n\n".join(texts) or row_title(row), _BLOCK_CHARS), *blocks]
    return [_readable(block) for block in promising(blocks, keywords, _MOST_BLOCKS)]


def _readable(block: Block) -> Block:
    text = html_to_markdown(block.text) if block.is_html else clean(block.text)
    return replace(block, text=text)
