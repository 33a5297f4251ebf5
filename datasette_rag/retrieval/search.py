"""One searchable table → its rows that match, best first, and what became of the search."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasette.utils import sqlite_timelimit

from ..events import TableStatus
from ..sql import quoted
from .findings import rebuild
from .fit import lacks_newest_row
from .match import match_query, match_query_fts4, match_query_without_phrases
from .queries import ranked_rowids_sql, row_columns, rows_sql
from .schema import is_empty
from .tables import SearchableTable

if TYPE_CHECKING:
    from datasette.app import Datasette

# Writing systems that put no space between words: Thai, Lao, Burmese, Khmer, kana, Han.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


_TRIGRAM = 3


@dataclass(frozen=True)
class FoundRow:
    """A row that matches: its place in its table's ranking (from 1) and the values read of it."""

    table: SearchableTable
    rowid: int
    rank: int
    values: Mapping[str, Any]


@dataclass(frozen=True)
class TableResult:
    """What a search found in one table. `matched` counts the rows that match, at most 100."""

    table: SearchableTable
    match: str
    status: TableStatus
    matched: int
    rows: Sequence[FoundRow] = ()
    message: str = ""


class Budget:
    """The time that the searches of a question have together, in milliseconds.

    Only what they run counts: on a busy site they wait for a thread, which is not theirs to
    help.
    """

    def __init__(self, milliseconds: float) -> None:
        self.left_ms = milliseconds

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Take off what the block takes."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.left_ms -= (time.perf_counter() - began) * 1000


@contextmanager
def _one_state(conn: sqlite3.Connection) -> Iterator[None]:
    """Read the index and the rows as of one moment, also while somebody writes them."""
    if conn.in_transaction:
        yield
        return
    conn.execute("begin")
    try:
        yield
    finally:
        conn.rollback()


async def search_table(
    datasette: Datasette,
    table: SearchableTable,
    keywords: Sequence[str],
    *,
    row_count: int,
    budget: Budget,
) -> TableResult:
    """Search one table and read its `row_count` best rows.

    It gets Datasette's own time limit for a query, and no more than what is left of the
    budget. A database error becomes the result's status: it concerns this table only, and
    is never an empty result.
    """
    match = _match_for(table, keywords)

    def search(conn: sqlite3.Connection) -> TableResult:
        if budget.left_ms <= 0:
            return TableResult(table, match, "timed_out", 0, (), _TIMED_OUT)
        limit_ms = min(budget.left_ms, datasette.setting("sql_time_limit_ms"))
        with budget.spending(), sqlite_timelimit(conn, limit_ms), _one_state(conn):
            return _search(conn, table, match, keywords, row_count)

    try:
        return await datasette.databases[table.database].execute_fn(search)
    except sqlite3.Error as error:
        if str(error) == "interrupted":
            return TableResult(table, match, "timed_out", 0, (), _TIMED_OUT)
        return TableResult(
            table,
            match,
            "error",
            0,
            (),
            f"The search of {table.table} failed. If its index is damaged, this mends it: "
            f"{mending_command(table)}",
        )


def _match_for(table: SearchableTable, keywords: Sequence[str]) -> str:
    if table.is_fts4:
        return match_query_fts4(keywords)
    if table.index.detail != "full":
        return match_query_without_phrases(keywords)
    return match_query(keywords)


def mending_command(table: SearchableTable) -> str:
    """The command that builds the table's index anew."""
    # Visitors see it, too: the path of the file is not theirs to know.
    return rebuild(f"{table.database}.db", table.index)


def out_of_date_message(table: SearchableTable) -> str:
    """What to tell of an index that no longer fits its table."""
    return (
        f"The full-text index of {table.table} is out of date. "
        f"This mends it: {mending_command(table)}"
    )


_TIMED_OUT = "The search took longer than this site allows."


def _search(
    conn: sqlite3.Connection,
    table: SearchableTable,
    match: str,
    keywords: Sequence[str],
    row_count: int,
) -> TableResult:
    ranked = [
        rowid
        for rowid, score in conn.execute(ranked_rowids_sql(table), {"search": match})
        # A row with the keywords only in columns that the owner left out scores nothing.
        if score is not None and score < 0
    ]
    if not ranked:
        return _nothing_found(conn, table, match, keywords)
    columns = row_columns(table)
    wanted = ranked[:row_count]
    by_rowid = {
        values[0]: dict(zip(columns, values[1:]))
        for values in map(tuple, conn.execute(rows_sql(table, len(wanted)), wanted))
    }
    rows = [
        FoundRow(table, rowid, rank, by_rowid[rowid])
        for rank, rowid in enumerate(wanted, start=1)
        if rowid in by_rowid
    ]
    if len(rows) < len(wanted):
        # The index still has rows that the table has not: they are left out.
        return TableResult(
            table, match, "out_of_date", len(ranked), rows, out_of_date_message(table)
        )
    return TableResult(table, match, "ok", len(ranked), rows)


def _nothing_found(
    conn: sqlite3.Connection,
    table: SearchableTable,
    match: str,
    keywords: Sequence[str],
) -> TableResult:
    has_rows = conn.execute(f"select 1 from {quoted(table.table)} limit 1").fetchone()
    if has_rows and is_empty(conn, table.index):
        return TableResult(
            table,
            match,
            "out_of_date",
            0,
            (),
            f"The full-text index of {table.table} is empty: it was never built. "
            f"This mends it: {mending_command(table)}",
        )
    if lacks_newest_row(conn, table):
        return TableResult(
            table,
            match,
            "out_of_date",
            0,
            (),
            f"The full-text index of {table.table} lacks rows that were added to the table. "
            f"This mends it: {mending_command(table)}",
        )
    problem = ""
    if "trigram" in table.index.tokenize:
        if all(len(keyword) < _TRIGRAM for keyword in keywords):
            problem = (
                f"The full-text index of {table.table} finds no words of one or two characters."
            )
    elif all(map(_is_unspaced, keywords)):
        problem = (
            f"The full-text index of {table.table} can't find words in this script; one with "
            "tokenize='trigram' can, if they have three characters or more."
        )
    return TableResult(table, match, "wrong_script" if problem else "ok", 0, (), problem)


def _is_unspaced(keyword: str) -> bool:
    return any(low <= ord(character) <= high for character in keyword for low, high in _UNSPACED)
