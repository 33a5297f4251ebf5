"""Rows by their keys, as the passages of an earlier answer came from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .passages import possible_passages
from .queries import row_by_key_sql, row_columns
from .search import FoundRow
from .tables import SearchableTable

if TYPE_CHECKING:
    import sqlite3

    from datasette.app import Datasette

Key = tuple[str, ...]


async def passages_of_rows(
    datasette: Datasette, table: SearchableTable, keys: Iterable[Key], keywords: Sequence[str]
) -> dict[Key, list[str]]:
    """Every passage that a search for these keywords can cut out of each row that is there.

    `keys` are keys as `Source.pks` has them. Raises sqlite3.Error.
    """
    wanted = list(keys)
    columns = row_columns(table)
    sql = row_by_key_sql(table, columns)

    def read(conn: sqlite3.Connection) -> dict[Key, list[str]]:
        passages = {}
        for key in wanted:
            row = conn.execute(sql, key).fetchone()
            if row is not None:
                found = FoundRow(table, 0, 0, dict(zip(columns, tuple(row))))
                passages[key] = possible_passages(found, keywords)
        return passages

    return await datasette.databases[table.database].execute_fn(read)
