"""Looked up for evals: which values a column has, what it has in a row, all rows of a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from ..sql import quoted
from .queries import row_by_key_sql
from .rows import Key
from .schema import columns
from .tables import SearchableTable

if TYPE_CHECKING:
    import sqlite3

    from datasette.app import Datasette

# SQLite before 3.32 takes 999 parameters.
_AT_ONCE = 900


def key_column(table: SearchableTable) -> str | None:
    """The one column that keys of rows are made of; None if there are several, or no keys."""
    if not table.addressable or len(table.pks) > 1:
        return None
    return table.pks[0] if table.pks else "rowid"


async def has_column(datasette: Datasette, table: SearchableTable, column: str) -> bool:
    """Whether the table has a column of this name. Raises sqlite3.Error."""
    return await datasette.databases[table.database].execute_fn(
        lambda conn: column in columns(conn, table.table)
    )


async def values_there(
    datasette: Datasette, table: SearchableTable, column: str, values: Collection[str]
) -> set[str]:
    """Those of the values that the column has in some row, as text. Raises sqlite3.Error."""
    start = f"select distinct {quoted(column)} from {quoted(table.table)} where {quoted(column)} in"

    def read(conn: sqlite3.Connection) -> set[str]:
        there: set[str] = set()
        for some in _portions(list(values)):
            rows = conn.execute(f"{start} ({', '.join('?' * len(some))})", some)
            there.update(str(row[0]) for row in rows)
        return there

    return await datasette.databases[table.database].execute_fn(read)


async def column_of_rows(
    datasette: Datasette, table: SearchableTable, column: str, keys: Iterable[Key]
) -> dict[Key, str]:
    """What the column has in each of the rows that are there, as text.

    `keys` are keys as `Source.pks` has them. Raises sqlite3.Error.
    """
    sql = row_by_key_sql(table, [column])
    wanted = [key for key in keys if len(key) == max(1, len(table.pks))]

    def read(conn: sqlite3.Connection) -> dict[Key, str]:
        rows = ((key, conn.execute(sql, key).fetchone()) for key in wanted)
        return {key: str(row[0]) for key, row in rows if row is not None}

    return await datasette.databases[table.database].execute_fn(read)


async def all_rows(datasette: Datasette, database: str, table: str) -> list[dict[str, object]]:
    """Every row of a table or view, in its order. Raises sqlite3.Error."""

    def read(conn: sqlite3.Connection) -> list[dict[str, object]]:
        cursor = conn.execute(f"select * from {quoted(table)}")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, tuple(row))) for row in cursor]

    return await datasette.databases[database].execute_fn(read)


def _portions(values: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
