"""Found rows → which keywords each holds and where, and which rows hold none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..text.blocks import Block
from .hits import coverage, keyword_hits, tokenizer_of
from .row_text import row_blocks, row_title, text_length
from .search import FoundRow

# All rows of a question together are looked at for this many characters, the best ones first;
# then only at the beginning of long ones. That takes about a quarter of a second.
MOST_CHARS = 20_000_000


@dataclass(frozen=True)
class WeighedRow:
    """A found row with its text in blocks, and the keywords that each block or the title holds.

    `coverage`, 0 to 1, is the rarity-weighted share of the keywords in the best block: a
    long row does not get more of it for its length.
    """

    row: FoundRow
    title: str
    blocks: Sequence[Block]
    hits: Sequence[frozenset[int]]
    coverage: float


@dataclass(frozen=True)
class WeighedRows:
    """Rows that hold keywords, how rare each keyword is, and the tables with wrong index rows."""

    rows: Sequence[WeighedRow]
    rarity: Sequence[float]
    out_of_date: frozenset[tuple[str, str]]


def weigh_rows(rows: Sequence[FoundRow], keywords: Sequence[str]) -> WeighedRows:
    """Find out which keywords each row holds, and where.

    That is decided with the tokenizer of the row's own index. A row without any keyword in
    it was found by an index that is out of date: it is left out and its table named.
    """
    titles = [row_title(row) for row in rows]
    blocks = _blocks(rows, keywords)
    texts = [[block.text for block in of_row] for of_row in blocks]
    hits: dict[int, list[frozenset[int]]] = {}
    stale: set[int] = set()
    for tokenizer, places in by_tokenizer(rows).items():
        found = hits_by_place(tokenizer, places, titles, texts, keywords)
        for place in places:
            own, of_title = found[place] if found else ([frozenset() for _ in texts[place]], set())
            hits[place] = [hit | of_title for hit in own]
        if found is not None:
            without = [place for place in places if not any(hits[place])]
            stale |= _stale(rows, without, tokenizer, keywords)
    kept = [place for place in range(len(rows)) if place not in stale]
    rarity = _rarity([frozenset().union(*hits[place]) for place in kept], len(keywords))
    return WeighedRows(
        [
            WeighedRow(
                rows[place],
                titles[place],
                blocks[place],
                hits[place],
                max(coverage(hit, rarity) for hit in hits[place]),
            )
            for place in kept
        ],
        rarity,
        frozenset((rows[place].table.database, rows[place].table.table) for place in stale),
    )


def _blocks(rows: Sequence[FoundRow], keywords: Sequence[str]) -> list[list[Block]]:
    blocks: list[list[Block]] = [[] for _ in rows]
    left = MOST_CHARS
    for place in sorted(range(len(rows)), key=lambda place: rows[place].rank):
        blocks[place] = row_blocks(rows[place], keywords, left)
        left = max(0, left - text_length(rows[place]))
    return blocks


def by_tokenizer(rows: Sequence[FoundRow]) -> dict[str, list[int]]:
    """The places of the rows for each tokenizer that their indexes have."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(tokenizer_of(row.table), []).append(place)
    return places


def hits_by_place(
    tokenizer: str,
    places: Sequence[int],
    titles: Sequence[str],
    texts: Sequence[Sequence[str]],
    keywords: Sequence[str],
) -> dict[int, tuple[list[frozenset[int]], frozenset[int]]] | None:
    """For each place, the keywords in each of its texts and in its title; None if unknowable."""
    flat = [text for place in places for text in (titles[place], *texts[place])]
    found = keyword_hits(tokenizer, flat, keywords)
    if found is None:
        return None
    remaining = iter(found)
    by_place = {}
    for place in places:
        of_title = frozenset(next(remaining))
        by_place[place] = [frozenset(next(remaining)) for _ in texts[place]], of_title
    return by_place


def _stale(
    rows: Sequence[FoundRow], places: Sequence[int], tokenizer: str, keywords: Sequence[str]
) -> set[int]:
    """Those of the places whose row holds no keyword in anything that its index covers.

    The text made of a row is not all that the index saw: tags of HTML, say, are gone from it.
    """
    verifiable = [
        place
        for place in places
        if all(
            name in rows[place].values
            for name, weight in zip(rows[place].table.index.columns, rows[place].table.weights)
            if weight
        )
    ]
    hits = keyword_hits(tokenizer, [_indexed_text(rows[place]) for place in verifiable], keywords)
    return {place for place, hit in zip(verifiable, hits or ()) if not hit}


def _indexed_text(row: FoundRow) -> str:
    """All that the index can have seen of a row, as it is in the table."""
    values = (row.values.get(name) for name in row.table.index.columns)
    return "\n".join(
        value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        for value in values
        if value is not None
    )


def _rarity(hits: Iterable[frozenset[int]], count: int) -> list[float]:
    """The weight of each keyword: Lucene's inverse document frequency over the found rows."""
    rows = 0
    holding = [0] * count
    for hit in hits:
        rows += 1
        for number in hit:
            holding[number] += 1
    return [math.log(1 + (rows - number + 0.5) / (number + 0.5)) for number in holding]
