"""The canned query of each searchable table: its name, its registration, whom it opens for."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import compat, permissions
from ..compat import Actor
from .catalogue import Catalogue, catalogue, searched_databases
from .queries import canned_query_sql, query_name
from .tables import SearchableTable

if TYPE_CHECKING:
    from datasette.app import Datasette

Names = Mapping[str, str]


async def query_names(datasette: Datasette, database: str, actor: Actor) -> Names:
    """The name of the canned query of every searchable table of a database, by table.

    On 1.0 the queries are registered on the way if the schema has changed.
    """
    if compat.stores_queries(datasette):
        return await _registered(datasette, database)
    found = await catalogue(datasette, database)
    others = await compat.names_of_other_queries(datasette, database, actor, ())
    last: dict[str, tuple[Catalogue, set[str], Names]] = compat.state(datasette, "names", dict)
    if database not in last or last[database][:2] != (found, others):
        last[database] = (found, others, _named(found, others))
    return last[database][2]


async def queries(datasette: Datasette, database: str, actor: Actor) -> dict[str, Any]:
    """The canned queries of a database as Datasette 0.65's hook returns them."""
    try:
        names = await query_names(datasette, database, actor)
        tables = (await catalogue(datasette, database)).tables
    except sqlite3.Error:
        # Datasette says what is wrong with the file when it opens one of its own pages.
        return {}
    return {name: _query(tables[table]) for table, name in names.items()}


async def register_all(datasette: Datasette) -> None:
    """Register the canned queries of all databases, where Datasette stores them (1.0)."""
    if not compat.stores_queries(datasette):
        return
    for database in searched_databases(datasette):
        try:
            await _registered(datasette, database)
        except sqlite3.Error:
            continue


async def query_opens(datasette: Datasette, actor: Actor, database: str, name: str) -> bool | None:
    """Whether a canned query of ours opens for this actor; None if it is not ours."""
    if database not in searched_databases(datasette):
        return None
    try:
        names = await query_names(datasette, database, actor)
        tables = (await catalogue(datasette, database)).tables
    except sqlite3.Error:
        return None
    table = next((table for table, own in names.items() if own == name), None)
    if table is None:
        return None
    return bool(await searchable_by(datasette, actor, [tables[table]]))


async def query_verdicts(
    datasette: Datasette, actor: Actor
) -> list[tuple[str | None, str | None, bool]]:
    """(database, query, whether it opens for this actor) for every registered query."""
    registered: dict[str, tuple[Catalogue, Names]] = _registry(datasette)
    tables = {
        (database, name): found.tables[table]
        for database, (found, names) in registered.items()
        for table, name in names.items()
    }
    opening = set(await searchable_by(datasette, actor, list(tables.values())))
    return [(*key, table in opening) for key, table in tables.items()]


async def searchable_by(
    datasette: Datasette, actor: Actor, tables: list[SearchableTable]
) -> list[SearchableTable]:
    """Those of the tables that this actor may search: decided by the pages of Datasette."""
    needed = {table: _needed(table) for table in tables}
    visible = await permissions.visible(
        datasette, actor, set().union(*needed.values()) if needed else ()
    )
    return [table for table in tables if needed[table] <= visible]


def _needed(table: SearchableTable) -> set[permissions.Table]:
    return {(table.database, name) for name in (table.table, *table.guards)}


def _registry(datasette: Datasette) -> dict[str, tuple[Catalogue, Names]]:
    return compat.state(datasette, "queries", dict)


async def _registered(datasette: Datasette, database: str) -> Names:
    registry = _registry(datasette)
    found = await catalogue(datasette, database)
    known = registry.get(database)
    if known is not None and known[0] is found:
        return known[1]
    async with compat.state(datasette, "queries lock", asyncio.Lock):
        known = registry.get(database)
        before = known[1] if known else {}
        if known is None or known[0] is not found:
            others = await compat.names_of_other_queries(datasette, database, None, before.values())
            names = _named(found, others)
            for table, name in before.items():
                if names.get(table) != name:
                    await compat.drop_query(datasette, database, name)
            for table, name in names.items():
                await compat.store_query(datasette, database, name, _query(found.tables[table]))
            registry[database] = (found, names)
    return registry[database][1]


def _named(found: Catalogue, others: set[str]) -> Names:
    taken = {name.casefold() for name in (*found.names, *others)}
    names = {}
    for table in found.tables:
        names[table] = query_name(table, taken)
        taken.add(names[table].casefold())
    return names


def _query(table: SearchableTable) -> dict[str, Any]:
    kind = "FTS4" if table.is_fts4 else "FTS5"
    return {
        "sql": canned_query_sql(table),
        "title": f"Search {table.table}",
        "description": (
            f"The rows of {table.table} that match :search, an {kind} expression such as "
            '"word" OR "two words", best first. Answers to questions are drawn from them.'
        ),
        "params": ["search"],
    }
