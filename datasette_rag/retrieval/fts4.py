"""bm25 for FTS4, which has no ranking of its own."""

from __future__ import annotations

import math
import sqlite3
import struct

FUNCTION = "datasette_rag_bm25"
_K1 = 1.2
_B = 0.75


def register(conn: sqlite3.Connection) -> None:
    """Give a connection the SQL function that FTS4's canned queries are ordered by."""
    conn.create_function(FUNCTION, -1, bm25, deterministic=True)


def bm25(matchinfo: bytes, *weights: float) -> float:
    """Score a row from `matchinfo(table, 'pcnalx')`, with one weight a column.

    Smaller is better, as with FTS5's `bm25()`, and the formula is the same: Robertson and
    Zaragoza's BM25 (k1 = 1.2, b = 0.75) over the whole row, a term counted as often as
    the weight of its column says. Two things differ: rows with a phrase are known by
    column only, so the column with the most stands for the row; and the inverse document
    frequency is Lucene's, which does not turn negative for frequent words.
    """
    numbers = struct.unpack(f"@{len(matchinfo) // 4}I", matchinfo)
    phrases, columns, rows = numbers[:3]
    average = sum(numbers[3 : 3 + columns])
    length = sum(numbers[3 + columns : 3 + 2 * columns])
    hits = numbers[3 + 2 * columns :]
    norm = _K1 * (1 - _B + _B * (length / average if average else 1.0))
    score = 0.0
    for phrase in range(phrases):
        frequency = 0.0
        rows_with = 0
        for column in range(columns):
            here, _, rows_with_it = hits[3 * (phrase * columns + column) :][:3]
            frequency += here * (weights[column] if column < len(weights) else 1.0)
            rows_with = max(rows_with, rows_with_it)
        if frequency:
            idf = math.log(1 + (rows - rows_with + 0.5) / (rows_with + 0.5))
            score += idf * frequency * (_K1 + 1) / (frequency + norm)
    return -score
