"""Which texts hold which keywords, found out as the index of their table does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from .match import match_query
from .tables import SearchableTable

# FTS4's names for tokenizers, as FTS5 calls the same thing.
_FTS4_TOKENIZERS = {"": "ascii", "simple": "ascii", "porter": "porter ascii"}


def tokenizer_of(table: SearchableTable) -> str:
    """The tokenizer of a table's index, as FTS5 takes it."""
    tokenizer = table.index.tokenize
    if not table.is_fts4:
        return tokenizer or "unicode61"
    return _FTS4_TOKENIZERS.get(tokenizer, tokenizer.replace('"', " "))


def keyword_hits(
    tokenizer: str, texts: Sequence[str], keywords: Sequence[str]
) -> list[set[int]] | None:
    """For each text the numbers of the keywords in it; None if the tokenizer is unknown here.

    An FTS5 table in memory decides, so that stems, accents and scripts count as they did in
    the search.
    """
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


def coverage(hits: Iterable[int], rarity: Sequence[float]) -> float:
    """The share of the keywords that was hit, 0 to 1, the rarer ones counting more."""
    return sum(rarity[number] for number in hits) / (sum(rarity) or 1.0)
