"""What SQLite tells of a table and of an index: columns, keys, and whether anything is in it."""

from __future__ import annotations

import sqlite3

from ..sql import quoted
from .ddl import FullTextIndex


def read_schema(conn: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    """The tables and views of the main database by name: ("table" or "view", their SQL)."""
    return {
        name: (kind, sql or "")
        for name, kind, sql in conn.execute(
            "select name, type, sql from sqlite_master where type in ('table', 'view')"
        )
    }


def columns(conn: sqlite3.Connection, table: str) -> dict[str, str]:
    """The columns of a table or view in order, with their declared types in lower case."""
    return {
        row[1]: row[2].casefold()
        for row in conn.execute(f"pragma table_xinfo({quoted(table)})")
        if row[6] != 1
    }


def primary_key(conn: sqlite3.Connection, table: str) -> list[str]:
    """The columns of the primary key, in the order of the key."""
    rows = [row for row in conn.execute(f"pragma table_info({quoted(table)})") if row[5]]
    return [row[1] for row in sorted(rows, key=lambda row: row[5])]


def has_rowid(conn: sqlite3.Connection, table: str, name: str = "rowid") -> bool:
    """Whether this name stands for the rowid of a table; views and some tables have none."""
    if name.casefold() not in ("rowid", "_rowid_", "oid"):
        return False
    try:
        conn.execute(f"select {name} from {quoted(table)} limit 0")
    except sqlite3.OperationalError:
        return False
    return True


def rowids_may_change(conn: sqlite3.Connection, table: str) -> bool:
    """Whether VACUUM gives the rows other rowids.

    SQLite promises to keep them where a column is an INTEGER PRIMARY KEY; it also does
    where the table has an index, and virtual tables see to their rows themselves.
    """
    if integer_key(conn, table) is not None:
        return False
    if conn.execute(f"pragma index_list({quoted(table)})").fetchone() is not None:
        return False
    is_virtual = "select 1 from sqlite_master where name = ? and rootpage = 0"
    return conn.execute(is_virtual, [table]).fetchone() is None


def integer_key(conn: sqlite3.Connection, table: str) -> str | None:
    """The column that is an INTEGER PRIMARY KEY, if there is one."""
    keys = primary_key(conn, table)
    whole = len(keys) == 1 and columns(conn, table)[keys[0]] == "integer"
    return keys[0] if whole else None


def referenced(conn: sqlite3.Connection, table: str, column: str) -> str | None:
    """The table that a column of a table is a foreign key to."""
    for row in conn.execute(f"pragma foreign_key_list({quoted(table)})"):
        if row[3].casefold() == column.casefold():
            return str(row[2])
    return None


def docsize(index: FullTextIndex) -> tuple[str, str]:
    """The table that says which rows are in an index, quoted, and its column with the rowid.

    `count(*)` on the index counts the rows of the content table.
    """
    return quoted(f"{index.name}_docsize"), "id" if index.module == "fts5" else "docid"


def is_empty(conn: sqlite3.Connection, index: FullTextIndex) -> bool:
    """Whether an index holds no row; one that does not keep that counts as filled."""
    table, _ = docsize(index)
    try:
        return conn.execute(f"select 1 from {table} limit 1").fetchone() is None
    except sqlite3.OperationalError:
        return False
