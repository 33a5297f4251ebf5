"""Found rows → their best passages, by the keywords in them, found as the index finds them."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..text.blocks import coarse_blocks
from ..text.passages import Passage, cut
from ..text.plain import is_markdown, to_text
from .match import match_query
from .search import FoundRow
from .tables import SearchableTable

# A row of more than this is looked at in blocks, and only the best blocks are cut: so a
# long row takes hardly longer than a short one.
_BLOCK_CHARS = 6_000
_BEST_BLOCKS = 3
# FTS4's names for tokenizers, as FTS5 calls the same thing.
_FTS4_TOKENIZERS = {"": "ascii", "simple": "ascii", "porter": "porter ascii"}


@dataclass(frozen=True)
class WeighedRow:
    """A found row with its text in blocks, and the keywords that each block or the title holds.

    `coverage`, 0 to 1, is the rarity-weighted share of the keywords in the best block: a
    long row does not get more of it for its length.
    """

    row: FoundRow
    title: str
    blocks: Sequence[str]
    hits: Sequence[frozenset[int]]
    coverage: float


@dataclass(frozen=True)
class WeighedRows:
    """Rows that hold keywords, how rare each keyword is, and the tables with wrong index rows."""

    rows: Sequence[WeighedRow]
    rarity: Sequence[float]
    out_of_date: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class RowPassage:
    """A passage of a row, with its share of the keywords (0 to 1)."""

    row: FoundRow
    title: str
    passage: Passage
    coverage: float


def row_title(row: FoundRow) -> str:
    """What to call a row: its title column, else its table and key."""
    table = row.table
    if table.title_column is not None:
        title = " ".join(to_text(row.values[table.title_column]).split())
        if title:
            return title
    key = ", ".join(str(row.values[name]) for name in table.pks) or str(row.rowid)
    return f"{table.table} {key}"


def row_text(row: FoundRow) -> str:
    """The text of a row that passages are cut from: its columns one after the other."""
    texts = (to_text(row.values[name]).strip() for name in row.table.text_columns)
    text = "\n\n".join(filter(None, texts))
    return text or row_title(row)


def weigh_rows(rows: Sequence[FoundRow], keywords: Sequence[str]) -> WeighedRows:
    """Find out which keywords each row holds, and where.

    That is decided by an FTS5 table in memory with the tokenizer of the row's own index,
    so that stems, accents and scripts count here exactly as they did in the search. A row
    without any keyword in it was found by an index that is out of date: it is left out
    and its table named.
    """
    titles = [row_title(row) for row in rows]
    blocks = [coarse_blocks(row_text(row), _BLOCK_CHARS) for row in rows]
    hits: dict[int, list[frozenset[int]]] = {}
    stale: set[int] = set()
    for tokenizer, places in _by_tokenizer(rows).items():
        found = _hits_by_place(tokenizer, places, titles, blocks, keywords)
        verified = found is not None
        for place in places:
            hits[place] = found[place] if found else [frozenset() for _ in blocks[place]]
        if verified:
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
                max(_coverage(hit, rarity) for hit in hits[place]),
            )
            for place in kept
        ],
        rarity,
        frozenset((rows[place].table.database, rows[place].table.table) for place in stale),
    )


def cut_passages(
    rows: Sequence[WeighedRow], keywords: Sequence[str], rarity: Sequence[float]
) -> list[list[RowPassage]]:
    """Cut each row's best blocks into passages; a row's best passages come first."""
    titles = [one.title for one in rows]
    passages = [
        [
            passage
            for block in _best_blocks(one, rarity)
            for passage in cut(block, markdown=is_markdown(block))
        ]
        for one in rows
    ]
    texts = [[passage.text for passage in of_row] for of_row in passages]
    ordered: list[list[RowPassage]] = [[] for _ in rows]
    for tokenizer, places in _by_tokenizer([one.row for one in rows]).items():
        found = _hits_by_place(tokenizer, places, titles, texts, keywords)
        for place in places:
            hits = found[place] if found else [frozenset[int]() for _ in passages[place]]
            scored = [
                RowPassage(rows[place].row, titles[place], passage, _coverage(hit, rarity))
                for passage, hit in zip(passages[place], hits)
            ]
            ordered[place] = sorted(scored, key=lambda one: -one.coverage)
    return ordered


def _best_blocks(row: WeighedRow, rarity: Sequence[float]) -> list[str]:
    """The blocks of a row that are worth cutting, in their order in the row."""
    if len(row.blocks) <= _BEST_BLOCKS:
        return list(row.blocks)
    numbers = sorted(
        range(len(row.blocks)), key=lambda number: -_coverage(row.hits[number], rarity)
    )
    return [row.blocks[number] for number in sorted(numbers[:_BEST_BLOCKS])]


def _coverage(hits: Iterable[int], rarity: Sequence[float]) -> float:
    return sum(rarity[number] for number in hits) / (sum(rarity) or 1.0)


def _hits_by_place(
    tokenizer: str,
    places: Sequence[int],
    titles: Sequence[str],
    texts: Sequence[Sequence[str]],
    keywords: Sequence[str],
) -> dict[int, list[frozenset[int]]] | None:
    """For each place, the keywords in each of its texts or its title; None if unknowable."""
    flat = [text for place in places for text in (titles[place], *texts[place])]
    found = _keyword_hits(tokenizer, flat, keywords)
    if found is None:
        return None
    remaining = iter(found)
    by_place = {}
    for place in places:
        of_title = next(remaining)
        by_place[place] = [frozenset(next(remaining) | of_title) for _ in texts[place]]
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
    hits = _keyword_hits(tokenizer, [_indexed_text(rows[place]) for place in verifiable], keywords)
    return {place for place, hit in zip(verifiable, hits or ()) if not hit}


def _by_tokenizer(rows: Sequence[FoundRow]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(_tokenizer(row.table), []).append(place)
    return places


def _tokenizer(table: SearchableTable) -> str:
    tokenizer = table.index.tokenize
    if not table.is_fts4:
        return tokenizer or "unicode61"
    return _FTS4_TOKENIZERS.get(tokenizer, tokenizer.replace('"', " "))


def _indexed_text(row: FoundRow) -> str:
    """All that the index can have seen of a row, as it is in the table."""
    values = (row.values.get(name) for name in row.table.index.columns)
    return "\n".join(
        value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        for value in values
        if value is not None
    )


def _keyword_hits(
    tokenizer: str, texts: Sequence[str], keywords: Sequence[str]
) -> list[set[int]] | None:
    """For each text the numbers of the keywords in it; None if the tokenizer is unknown here."""
    hits: list[set[int]] = [set() for _ in texts]
    if not texts:
        return hits
    conn = sqlite3.connect(":memory:")
    try:
        tokenize = tokenizer.replace("'", "''")
        try:
            conn.execute(f"create virtual table passage using fts5(text, tokenize='{tokenize}')")
        except sqlite3.OperationalError:
            return None
        conn.executemany("insert into passage(rowid, text) values (?, ?)", enumerate(texts))
        for number, keyword in enumerate(keywords):
            match = match_query([keyword])
            if match:
                for (place,) in conn.execute(
                    "select rowid from passage where passage match ?", [match]
                ):
                    hits[place].add(number)
    finally:
        conn.close()
    return hits


def _rarity(hits: Iterable[frozenset[int]], count: int) -> list[float]:
    """The weight of each keyword: Lucene's inverse document frequency over the found rows."""
    rows = 0
    holding = [0] * count
    for hit in hits:
        rows += 1
        for number in hit:
            holding[number] += 1
    return [math.log(1 + (rows - number + 0.5) / (number + 0.5)) for number in holding]
