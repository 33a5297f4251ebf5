"""The SQL of a search, and the canned query that every searchable table gets."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..sql import quoted
from . import fts4
from .tables import SearchableTable

ROW_LIMIT = 100


def canned_query_sql(table: SearchableTable) -> str:
    """The canned query of a table: its rows that match `:search`, best first.

    An empty `:search` gives no rows instead of an error.
    """
    index = quoted(table.index.name)
    match = f"{index} match coalesce(nullif(trim(:search), ''), '\"\"')"
    score = _score(table, index)
    if table.table == table.index.name:
        return (
            f"select rowid, * from {index}\nwhere {match}\n"
            f"order by {score}, {index}.rowid\nlimit {ROW_LIMIT}"
        )
    content = quoted(table.table)
    key = "" if table.pks or not table.addressable else f"{content}.rowid, "
    return (
        f"select {key}{content}.* from {index}\n"
        f"join {content} on {content}.{quoted(table.key_column)} = {index}.rowid\n"
        f"where {match}\norder by {score}, {index}.rowid\nlimit {ROW_LIMIT}"
    )


def ranked_rowids_sql(table: SearchableTable) -> str:
    """The index's rowids that match `:search`, best first, with their scores."""
    index = quoted(table.index.name)
    return (
        f"select rowid, {_score(table, index)} as score from {index} "
        f"where {index} match :search order by 2, rowid limit {ROW_LIMIT}"
    )


def rows_sql(table: SearchableTable, count: int) -> str:
    """`count` rows by the rowid of the index: that rowid, then `row_columns`."""
    content = quoted(table.table)
    key = "rowid" if table.table == table.index.name else quoted(table.key_column)
    columns = "".join(f", {content}.{quoted(name)}" for name in row_columns(table))
    places = ", ".join("?" * count)
    return f"select {content}.{key}{columns} from {content} where {content}.{key} in ({places})"


def row_by_key_sql(table: SearchableTable, columns: Sequence[str]) -> str:
    """These columns of the row with a primary key (its rowid, where it has none)."""
    selected = ", ".join(map(quoted, columns)) or "1"
    keys = [quoted(name) for name in table.pks] or ["rowid"]
    where = " and ".join(f"{key} = ?" for key in keys)
    return f"select {selected} from {quoted(table.table)} where {where}"


def row_columns(table: SearchableTable) -> list[str]:
    """The columns of a row that a search reads: its key, its text and what is shown with it."""
    shown = [
        table.title_column,
        table.heading_column,
        table.group_column,
        table.date_column,
        *table.url_columns,
    ]
    wanted = [*table.pks, *table.text_columns, *(name for name in shown if name)]
    return list(dict.fromkeys(wanted))


def query_name(table: str, taken: Collection[str]) -> str:
    """The name of a table's canned query: `ask_<table>`, with a suffix if it is taken.

    `taken` holds names as `str.casefold` gives them: SQLite compares names without
    regard to case.
    """
    name = f"ask_{table}"
    number = 2
    while name.casefold() in taken:
        name = f"ask_{table}_{number}"
        number += 1
    return name


def _score(table: SearchableTable, index: str) -> str:
    weights = "".join(f", {weight:g}" for weight in table.weights)
    if table.is_fts4:
        return f"{fts4.FUNCTION}(matchinfo({index}, 'pcnalx'){weights})"
    return f"bm25({index}{weights})"
