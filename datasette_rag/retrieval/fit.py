"""Whether an index still fits its table: are the same rows in both, with the same text?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from ..sql import quoted
from .schema import docsize, is_empty
from .tables import SearchableTable
from .triggers import filling

# A longer value is compared by its beginning only.
_MAX_CHARS = 10_000
_PHRASE_CHARS = 60


@dataclass(frozen=True)
class Depth:
    """How much of a table is looked at: rows at each end by rowid, and rows by their text."""

    ends: int
    texts: int


QUICK = Depth(ends=200, texts=5)
THOROUGH = Depth(ends=1_000_000, texts=200)


def lacks_newest_row(conn: sqlite3.Connection, table: SearchableTable) -> bool:
    """Whether the row that was added last (or first) is not in the index, in no time."""
    if table.table == table.index.name or not table.addressable or _is_partial(conn, table):
        return False
    try:
        return bool(_missing(conn, table, Depth(ends=1, texts=0)))
    except sqlite3.OperationalError:
        return False


def misfit(conn: sqlite3.Connection, table: SearchableTable, depth: Depth) -> str:
    """Why the index does not fit the table; empty if it does, as far as was looked.

    Raises sqlite3.Error if the index can't be read, or a time limit was reached.
    """
    if table.table == table.index.name or not table.addressable:
        # It holds its text itself. A view may be slow to sort, and leave rows out on purpose.
        return ""
    name, key = quoted(table.table), quoted(table.key_column)
    if is_empty(conn, table.index):
        has_rows = conn.execute(f"select 1 from {name} limit 1").fetchone()
        return f"the index {table.index.name} is empty: it was never built" if has_rows else ""
    try:
        missing = 0 if _is_partial(conn, table) else _missing(conn, table, depth)
        ghosts = _ghosts(conn, table, depth)
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        # An index with columnsize=0 does not keep which rows are in it: nothing can be told.
        return ""
    # SQLite looks one of the two up in no time, both together row by row.
    ends = f"select (select min({key}) from {name}), (select max({key}) from {name})"
    others = _with_other_text(conn, table, depth, *conn.execute(ends).fetchone())
    counted = [
        f"{count} {'row' if count == 1 else 'rows'} {what}"
        for count, what in (
            (missing, "of the table not in it"),
            (ghosts, "in it that the table has not"),
            (others, "with other text than in the table"),
        )
        if count
    ]
    if not counted:
        return ""
    return (
        f"the index {table.index.name} is out of date: of the rows looked at, {', '.join(counted)}"
    )


def _is_partial(conn: sqlite3.Connection, table: SearchableTable) -> bool:
    """Whether the index is meant to leave rows out: a trigger that fills it has a condition."""
    return filling(conn, table.table, table.index.name).in_part


def _missing(conn: sqlite3.Connection, table: SearchableTable, depth: Depth) -> int:
    """How many rows at the ends of the table are not in the index."""
    kept, kept_key = docsize(table.index)
    name, key = quoted(table.table), quoted(table.key_column)
    return _at_ends(conn, name, key, f"select {kept_key} from {kept} where {kept_key} =", depth)


def _ghosts(conn: sqlite3.Connection, table: SearchableTable, depth: Depth) -> int:
    """How many rows at the ends of the index are not in the table."""
    kept, kept_key = docsize(table.index)
    name, key = quoted(table.table), quoted(table.key_column)
    return _at_ends(conn, kept, kept_key, f"select 1 from {name} where {key} =", depth)


def _at_ends(conn: sqlite3.Connection, name: str, key: str, counterpart: str, depth: Depth) -> int:
    rows = " union ".join(
        f"select * from (select {key} as key from {name} order by {key} {order} limit ?)"
        for order in ("desc", "asc")
    )
    (count,) = conn.execute(
        f"select count(*) from ({rows}) as ends where not exists ({counterpart} ends.key)",
        [depth.ends, depth.ends],
    ).fetchone()
    return int(count)


def _with_other_text(
    conn: sqlite3.Connection, table: SearchableTable, depth: Depth, first: Any, last: Any
) -> int:
    """How many rows, spread over the table, the index has with other text.

    They are indexed in memory as they are now, and both indexes compared: how many words each
    column has, and whether the row's first words are found in it.
    """
    if not (isinstance(first, int) and isinstance(last, int)):
        return 0
    rows = list(_spread(conn, table, depth.texts, first, last))
    if not rows:
        return 0
    with closing(sqlite3.connect(":memory:")) as memory:
        try:
            memory.execute(_declaration(table))
        except sqlite3.OperationalError:
            # A tokenizer that an extension has brought is not known there.
            return 0
        names = ", ".join(map(quoted, table.index.columns))
        places = ", ".join("?" * len(table.index.columns))
        memory.executemany(
            f"insert into {quoted(table.index.name)} (rowid, {names}) values (?, {places})",
            ((rowid, *(value for value, _ in values)) for rowid, values in rows),
        )
        return sum(
            (all(whole for _, whole in values) and _differs(conn, memory, _sizes(table), [rowid]))
            or any(
                _differs(conn, memory, sql, [rowid, phrase])
                for sql, phrase in _first_words(table, [value for value, _ in values])
            )
            for rowid, values in rows
        )


def _spread(
    conn: sqlite3.Connection, table: SearchableTable, count: int, first: int, last: int
) -> Iterator[tuple[int, Sequence[tuple[Any, bool]]]]:
    """Rows that are in table and index: rowid, and of each column (value, whether all of it)."""
    name, key = quoted(table.table), quoted(table.key_column)
    kept, kept_key = docsize(table.index)
    columns = ", ".join(
        f"case when typeof({column}) in ('text', 'blob') then substr({column}, 1, {_MAX_CHARS}) "
        f"else {column} end, typeof({column}) not in ('text', 'blob') "
        f"or length({column}) <= {_MAX_CHARS}"
        for column in (quoted(column) for column in table.index.columns)
    )
    sql = (
        f"select {key}, {columns} from {name} where {key} >= ? "
        f"and exists (select 1 from {kept} where {kept_key} = {name}.{key}) "
        f"order by {key} limit 1"
    )
    seen = set()
    for number in range(count):
        start = first + (last - first) * number // max(1, count - 1)
        row = conn.execute(sql, [start]).fetchone()
        if row is not None and row[0] not in seen:
            seen.add(row[0])
            yield row[0], [(value, bool(whole)) for value, whole in zip(row[1::2], row[2::2])]


def _declaration(table: SearchableTable) -> str:
    """An index like that of the table, which holds its text itself."""
    index = table.index
    arguments = []
    for name in index.columns:
        unindexed = index.module == "fts5" and name in index.unindexed
        arguments.append(quoted(name) + (" unindexed" if unindexed else ""))
    if index.tokenize:
        tokenize = index.tokenize
        if index.module == "fts5":
            tokenize = "'" + tokenize.replace("'", "''") + "'"
        arguments.append(f"tokenize={tokenize}")
    if index.module != "fts5":
        arguments += [f"notindexed={quoted(name)}" for name in index.unindexed]
    return f"create virtual table {quoted(index.name)} using {index.module}({', '.join(arguments)})"


def _sizes(table: SearchableTable) -> str:
    kept, key = docsize(table.index)
    return f"select {'sz' if table.index.module == 'fts5' else 'size'} from {kept} where {key} = ?"


def _first_words(table: SearchableTable, values: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """SQL that finds a row by the first words of a column, for each column that has some."""
    index = quoted(table.index.name)
    sql = f"select rowid from {index} where rowid = ? and {index} match ?"
    for name, value in zip(table.index.columns, values):
        if name in table.index.unindexed or not isinstance(value, str):
            continue
        words = value[:_PHRASE_CHARS].split()
        # The last one may be cut off.
        kept = words[:-1] if len(value) > _PHRASE_CHARS and len(words) > 1 else words
        searched = " ".join(kept).replace('"', " ").replace("\0", " ").replace("*", " ")
        if not any(map(str.isalnum, searched)):
            continue
        if table.index.detail != "full":
            searched = searched.split()[0]
            if not any(map(str.isalnum, searched)):
                continue
        yield sql, f'"{searched}"'


def _differs(
    conn: sqlite3.Connection, memory: sqlite3.Connection, sql: str, values: Sequence[Any]
) -> bool:
    try:
        # As lists: rows of Datasette's connections are no tuples.
        here, there = (list(one.execute(sql, values).fetchone() or ()) for one in (conn, memory))
    except sqlite3.OperationalError as error:
        if str(error) == "interrupted":
            raise
        # Without columnsize there are no sizes, with detail=none no phrases.
        return False
    return here != there
