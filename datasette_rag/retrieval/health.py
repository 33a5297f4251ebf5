"""Whether an index still fits its table, and whether it could be better."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from datasette.utils import detect_fts

from . import findings
from .ddl import parse_full_text_index
from .findings import Finding
from .fit import Depth, misfit
from .schema import rowids_may_change
from .tables import SearchableTable
from .triggers import filling

_VACUUM = (
    "it has neither an INTEGER PRIMARY KEY nor an index, so VACUUM gives its rows other rowids"
)


def index_findings(
    conn: sqlite3.Connection, table: SearchableTable, file: str, depth: Depth
) -> list[Finding]:
    """What is wrong with a table's index, or could be better.

    Args:
        conn: a connection to the database.
        table: the table.
        file: the file of the database, for the commands that mend.
        depth: how much to look at: an index that fits there is taken to fit.

    Raises:
        sqlite3.Error: the index can't be read, or a time limit was reached.
    """
    problem = misfit(conn, table, depth)
    if not problem:
        return list(_advice(conn, table, file))
    if table.addressable and rowids_may_change(conn, table.table):
        problem += f". The table may have been vacuumed: {_VACUUM}"
    mend = findings.rebuild(file, table.index) if _can_be_rebuilt(conn, table) else ""
    return [Finding(table.database, table.table, problem, "stale", mend)]


def _advice(conn: sqlite3.Connection, table: SearchableTable, file: str) -> Iterator[Finding]:
    index = table.index
    (sql,) = conn.execute("select sql from sqlite_master where name = ?", [index.name]).fetchone()
    if index.content and not _is_found_by_datasette(conn, table):
        # What mends this comes first: the next command would not see the index either.
        yield Finding(
            table.database,
            table.table,
            f"Datasette does not find its index {index.name}, whose content= is not in double "
            "quotes, and shows no search box on the page of the table",
            "advice",
            findings.declare_anew(file, table.table, index, sql)
            if _can_be_rebuilt(conn, table)
            else "",
        )
    elif index.content and (table.is_fts4 or _finds_words_as_written_only(index.tokenize)):
        what = " and ".join(
            word
            for word, holds in (
                ("FTS4", table.is_fts4),
                ("without stems", _finds_words_as_written_only(index.tokenize)),
            )
            if holds
        )
        searched = [name for name in index.columns if name not in index.unindexed]
        yield Finding(
            table.database,
            table.table,
            f"its index {index.name} is {what}; an FTS5 index with the porter tokenizer finds "
            "more of what is meant in English",
            "advice",
            findings.replace(
                file, table.table, searched, index, sql, filling(conn, table.table, index.name)
            ),
        )
    if index.content and table.addressable and rowids_may_change(conn, table.table):
        yield Finding(
            table.database,
            table.table,
            f"{_VACUUM}: after each VACUUM, build the index anew with "
            f"{findings.rebuild(file, index)}",
            "advice",
        )


def _can_be_rebuilt(conn: sqlite3.Connection, table: SearchableTable) -> bool:
    """Whether an index can be built from its table: not if it keeps no text, or leaves rows out."""
    return bool(table.index.content) and not filling(conn, table.table, table.index.name).in_part


def _finds_words_as_written_only(tokenize: str) -> bool:
    words = tokenize.casefold().split()
    return not words or words[0].strip("'\"") in ("unicode61", "ascii", "simple")


def _is_found_by_datasette(conn: sqlite3.Connection, table: SearchableTable) -> bool:
    found = detect_fts(conn, table.table)
    if found is None or found == table.table:
        return found is not None
    (sql,) = conn.execute("select sql from sqlite_master where name = ?", [found]).fetchone()
    index = parse_full_text_index(found, sql)
    return index is not None and (index.content or "").casefold() == table.table.casefold()
