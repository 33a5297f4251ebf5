"""Rows by their keys, as the passages of an earlier answer came from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .passages import row_text
from .queries import row_by_key_sql, row_columns
from .search import FoundRow
from .tables import SearchableTable

if TYPE_CHECKING:
    import sqlite3

    from datasette.app import Datasette

Key = tuple[str, ...]


async def row_texts(
    datasette: Datasette, table: SearchableTable, keys: Iterable[Key]
) -> dict[Key, str]:
    """The text of each row that is there, as passages are cut from it.

    `keys` are keys as `Source.pks` has them. Raises sqlite3.Error.
    """
    wanted = list(keys)
    columns = row_columns(table)
    sql = row_by_key_sql(table)

    def read(conn: sqlite3.Connection) -> dict[Key, str]:
        texts = {}
        for key in wanted:
            row = conn.execute(sql, key).fetchone()
            if row is not None:
                texts[key] = row_text(FoundRow(table, 0, 0, dict(zip(columns, tuple(row)))))
        return texts

    return await datasette.databases[table.database].execute_fn(read)
