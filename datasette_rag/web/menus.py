"""The plugin's links in Datasette's menus: only where they lead to something for this actor."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from .. import permissions
from ..compat import Actor
from ..retrieval.canned import query_names, searchable_by
from ..retrieval.catalogue import catalogue
from ..retrieval.tables import SearchableTable
from .links import admin_path, ask_path

if TYPE_CHECKING:
    from datasette.app import Datasette

Links = list[dict[str, str]]


async def menu(datasette: Datasette, actor: Actor) -> Links:
    """The links of the menu that is on every page."""
    links = await instance_links(datasette, actor)
    if await permissions.admin_refusal(datasette, actor) is None:
        links.append({"href": admin_path(datasette), "label": "Questions asked"})
    return links


async def instance_links(datasette: Datasette, actor: Actor) -> Links:
    """The link to the ask page of the whole instance."""
    if await permissions.refusal(datasette, actor) is not None:
        return []
    return [{"href": ask_path(datasette), "label": "Ask"}]


async def homepage_links(datasette: Datasette, actor: Actor) -> Links:
    """The same link among the homepage's actions, which describe themselves (1.0)."""
    description = "Get an answer from the rows of these databases, with citations"
    return [
        {**link, "label": "Ask a question", "description": description}
        for link in await instance_links(datasette, actor)
    ]


async def database_links(datasette: Datasette, actor: Actor, database: str) -> Links:
    """The link to a database's ask page, if this actor can search a table of it."""
    for table in (await _tables(datasette, database)).values():
        if await searchable_by(datasette, actor, [table]):
            break
    else:
        return []
    if await permissions.refusal(datasette, actor, database=database) is not None:
        return []
    # A table that was made while the site runs gets its canned query at the latest now.
    await query_names(datasette, database, actor)
    return [{"href": ask_path(datasette, database), "label": "Ask this database"}]


async def table_links(datasette: Datasette, actor: Actor, database: str, table: str) -> Links:
    """The link to a table's ask page, if it can be searched."""
    if table not in await _tables(datasette, database):
        return []
    if await permissions.refusal(datasette, actor, database=database, table=table):
        return []
    return [{"href": ask_path(datasette, database, table), "label": "Ask this table"}]


async def _tables(datasette: Datasette, database: str) -> dict[str, SearchableTable]:
    try:
        return dict((await catalogue(datasette, database)).tables)
    except sqlite3.Error:
        # The page that the menu is on says what is wrong with the database.
        return {}
