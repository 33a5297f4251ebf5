"""Weighed rows → their best passages, by the keywords in them; good neighbours joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ..text.above import headings_above
from ..text.blocks import Block
from ..text.headings import Heading
from ..text.passages import Passage, cut
from ..text.plain import is_markdown
from .hits import coverage
from .row_text import row_blocks
from .search import FoundRow
from .weighing import MOST_CHARS, WeighedRow, by_tokenizer, hits_by_place

# Of a row with more blocks only the best are cut.
_BEST_BLOCKS = 3
# A neighbour that holds this share of what the best passage holds is joined to it, if the two
# take no more than this together: half as much again as a passage mostly has.
_AS_GOOD = 0.6
_JOINED_CHARS = 1_500


@dataclass(frozen=True)
class RowPassage:
    """A passage of a row, with its share of the keywords (0 to 1)."""

    row: FoundRow
    title: str
    passage: Passage
    coverage: float


@dataclass(frozen=True)
class _Piece:
    """A passage of the text `source`, and the keywords in it."""

    source: str
    passage: Passage
    hits: frozenset[int] = frozenset()


def cut_passages(
    rows: Sequence[WeighedRow], keywords: Sequence[str], rarity: Sequence[float]
) -> list[list[RowPassage]]:
    """Cut each row's best blocks into passages; a row's best passages come first.

    A passage knows the headings that it stands under, also those far above it.
    """
    titles = [one.title for one in rows]
    pieces = [_pieces(one, rarity) for one in rows]
    texts = [[piece.passage.text for piece in of_row] for of_row in pieces]
    ordered: list[list[RowPassage]] = [[] for _ in rows]
    for tokenizer, places in by_tokenizer([one.row for one in rows]).items():
        found = hits_by_place(tokenizer, places, titles, texts, keywords)
        for place in places:
            hits, of_title = found[place] if found else ([frozenset() for _ in texts[place]], set())
            weighed = [
                _Piece(piece.source, piece.passage, frozenset(hit))
                for piece, hit in zip(pieces[place], hits)
            ]
            scored = [
                RowPassage(
                    rows[place].row,
                    titles[place],
                    piece.passage,
                    coverage(piece.hits | of_title, rarity),
                )
                for piece in _joined(weighed, rarity)
            ]
            ordered[place] = sorted(scored, key=lambda one: -one.coverage)
    return ordered


def possible_passages(row: FoundRow, keywords: Sequence[str]) -> list[str]:
    """The text of every passage that `cut_passages` can make of this row.

    Which ones it makes depends on the rows that are found besides.
    """
    blocks = row_blocks(row, keywords, MOST_CHARS)
    pieces = _cut(blocks)
    joined = [
        _join(first, second)
        for first, second in zip(pieces, pieces[1:])
        if _can_be_joined(first, second)
    ]
    return [piece.passage.text for piece in (*pieces, *joined)]


def _pieces(row: WeighedRow, rarity: Sequence[float]) -> list[_Piece]:
    blocks = list(row.blocks)
    if len(blocks) > _BEST_BLOCKS:
        numbers = sorted(range(len(blocks)), key=lambda number: -coverage(row.hits[number], rarity))
        blocks = [blocks[number] for number in sorted(numbers[:_BEST_BLOCKS])]
    return _cut(blocks)


def _cut(blocks: Sequence[Block]) -> list[_Piece]:
    if 1 < len(blocks) <= _BEST_BLOCKS and all(
        block.source is blocks[0].source for block in blocks
    ):
        whole = blocks[0].source
        if not blocks[0].is_html and sum(len(block.text) for block in blocks) == len(whole):
            blocks = [Block(whole, whole, 0)]
    pieces = []
    for block, headings in zip(blocks, _above(blocks)):
        passages = cut(block.text, markdown=is_markdown(block.text), above=headings)
        pieces += [_Piece(block.text, passage) for passage in passages]
    return pieces


def _above(blocks: Sequence[Block]) -> list[tuple[Heading, ...]]:
    """The headings above each block."""
    found: list[tuple[Heading, ...]] = []
    for _, of_source in groupby(blocks, key=lambda block: id(block.source)):
        group = list(of_source)
        starts = [block.start for block in group]
        found += headings_above(group[0].source, starts, is_html=group[0].is_html)
    return found


def _joined(pieces: Sequence[_Piece], rarity: Sequence[float]) -> list[_Piece]:
    """The pieces, the best of them joined with a neighbour that is nearly as good."""
    if not pieces:
        return []
    best = max(range(len(pieces)), key=lambda number: coverage(pieces[number].hits, rarity))
    enough = _AS_GOOD * coverage(pieces[best].hits, rarity)
    neighbours = [
        number
        for number in (best - 1, best + 1)
        if 0 <= number < len(pieces)
        and 0 < enough <= coverage(pieces[number].hits, rarity)
        and _can_be_joined(pieces[min(number, best)], pieces[max(number, best)])
    ]
    if not neighbours:
        return list(pieces)
    other = max(neighbours, key=lambda number: coverage(pieces[number].hits, rarity))
    place = min(other, best)
    return [*pieces[:place], _join(pieces[place], pieces[place + 1]), *pieces[place + 2 :]]


def _join(first: _Piece, second: _Piece) -> _Piece:
    between = first.source[first.passage.end : second.passage.end]
    passage = replace(first.passage, text=first.passage.text + between, end=second.passage.end)
    return _Piece(first.source, passage, first.hits | second.hits)


def _can_be_joined(first: _Piece, second: _Piece) -> bool:
    """Whether two pieces stand in one section, and are small enough to be one passage."""
    return (
        first.source is second.source
        and first.passage.heading == second.passage.heading
        and first.passage.anchor == second.passage.anchor
        and len(first.passage.text) + second.passage.end - first.passage.end <= _JOINED_CHARS
    )
