"""Who may ask, and which tables that asker may search. Nothing else decides what may be seen."""

from __future__ import annotations

import contextvars
import json
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from datasette.utils import actor_matches_allow

from . import compat
from .compat import Actor
from .config import load
from .events import Failed

if TYPE_CHECKING:
    from datasette.app import Datasette

ASK = "datasette-rag-ask"
ADMIN = "datasette-rag-admin"

Table = tuple[str, str]

# Who runs a command on files of their own. No request can be this object: it is compared
# by identity.
OWNER: Actor = {"id": "the owner of the files"}

# What one request has found out already: {actor as JSON: {(database, table): visible}}, and
# beside the tables {ADMIN: whether the actor may see the log}.
_request_cache: contextvars.ContextVar[dict[str, dict[Table | str, bool]] | None] = (
    contextvars.ContextVar("datasette_rag_visibility", default=None)
)


def per_request(app: Any) -> Any:
    """ASGI middleware: verdicts live no longer than the request that asked for them."""

    async def app_with_cache(scope: Any, receive: Any, send: Any) -> None:
        token = _request_cache.set({})
        try:
            await app(scope, receive, send)
        finally:
            _request_cache.reset(token)

    return app_with_cache


async def refusal(
    datasette: Datasette,
    actor: Actor,
    *,
    database: str | None = None,
    table: str | None = None,
) -> Failed | None:
    """Why this actor may not ask here, None if they may.

    An unknown database or table and one that the actor may not see get the same reply.
    """
    if actor is OWNER:
        return await _unless_there(datasette, database, table)
    if not await compat.allowed_everywhere(
        datasette, actor, "view-instance", default=True
    ) or not await compat.allowed_everywhere(datasette, actor, ASK, default=True):
        return Failed(403, "You do not have permission to ask questions here")
    if database is None:
        return None
    if database not in datasette.databases or not _is_name(table):
        return _NOT_FOUND
    try:
        opens = (
            await compat.database_page_opens(datasette, actor, database)
            if table is None
            else await visible(datasette, actor, [(database, table)])
        )
        return await _unless_there(datasette, database, table) if opens else _NOT_FOUND
    except sqlite3.Error:
        if await compat.database_page_opens(datasette, actor, database):
            return Failed(500, f"The database {database} can't be read at the moment")
        return _NOT_FOUND


async def _unless_there(
    datasette: Datasette, database: str | None, table: str | None
) -> Failed | None:
    """Not found, unless the database and the table are there."""
    if database is None:
        return None
    if database not in datasette.databases or not _is_name(table):
        return _NOT_FOUND
    if table is None or await compat.has_table(datasette, database, table):
        return None
    return _NOT_FOUND


def _is_name(table: str | None) -> bool:
    """Whether SQLite could have a table of this name: half a character can't be in one."""
    return table is None or table.isprintable() or not any("\ud800" <= c <= "\udfff" for c in table)


_NOT_FOUND = Failed(404, "There is no such database or table")


async def visible(datasette: Datasette, actor: Actor, tables: Iterable[Table]) -> set[Table]:
    """Those of the (database, table) pairs whose own page would open for this actor.

    Each is decided once a request.
    """
    wanted = set(tables)
    if actor is OWNER:
        return wanted
    known = _known(actor)
    for pair in wanted - known.keys():
        # One by one: on 1.0 no slower than its list of all tables, which counts the shadow
        # tables of each index too.
        known[pair] = await compat.table_page_opens(datasette, actor, *pair)
    return {pair for pair in wanted if known[pair]}


def _known(actor: Actor) -> dict[Table | str, bool]:
    """What this request knows of the actor, to be added to; outside of requests nothing lasts."""
    per_actor = _request_cache.get()
    if per_actor is None:
        return {}
    return per_actor.setdefault(json.dumps(actor, sort_keys=True, default=repr), {})


def verdict(datasette: Datasette, actor: Actor, action: str) -> bool | None:
    """What the plugin itself says of one of its two actions; None to leave it to others."""
    config = load(datasette)
    if action == ASK:
        if config.allow is not None:
            return bool(actor_matches_allow(_plain(actor), config.allow))
        return True if compat.defaults_are_rules(datasette) else None
    if action == ADMIN:
        if config.admin is not None:
            return bool(actor_matches_allow(_plain(actor), config.admin))
        if compat.root_needs_a_rule(datasette):
            return bool(actor_matches_allow(_plain(actor), {"id": "root"}))
    return None


# Everything that can be seen of a whole database, by Datasette's names for it.
VIEWING = (
    "view-database",
    "view-database-download",
    "view-table",
    "view-query",
    "execute-sql",
)


def keep_private(datasette: Datasette, database: str, tables: Iterable[str]) -> None:
    """From now on nothing of this database is seen but by those who may see the log.

    `tables` are the tables and views that it may hold.
    """
    _private(datasette)[database] = tuple(tables)


def is_private(datasette: Datasette, resource: Any) -> bool:
    """Whether a resource (a database, or something in one) is kept private."""
    database = resource if isinstance(resource, str) else resource[0] if resource else None
    return database in _private(datasette)


def _private(datasette: Datasette) -> dict[str, tuple[str, ...]]:
    return compat.state(datasette, "private databases", dict)


async def may_administer(datasette: Datasette, actor: Actor) -> bool:
    """Whether this actor may see the log, the feedback, the cost and the evals.

    Decided once a request: with a log that has pages, every check of a table asks for it.
    """
    known = _known(actor)
    if ADMIN not in known:
        known[ADMIN] = await compat.allowed_everywhere(datasette, actor, ADMIN, default=False)
    return known[ADMIN]


async def admin_refusal(datasette: Datasette, actor: Actor) -> Failed | None:
    """Why this actor may not open the page about the log, None if they may."""
    if await compat.allowed_everywhere(
        datasette, actor, "view-instance", default=True
    ) and await may_administer(datasette, actor):
        return None
    return Failed(403, "You do not have permission to see what was asked here")


async def private_verdict(datasette: Datasette, actor: Actor, action: str) -> bool | None:
    """What the plugin says of an action on a private database; None to leave it to others.

    Who may see the log is not yet one who may write into it.
    """
    may = await may_administer(datasette, actor)
    return may if action in VIEWING or not may else None


async def private_rows(
    datasette: Datasette, actor: Actor, action: str
) -> list[tuple[str | None, str | None, bool]]:
    """(database, table, verdict) for the private databases, for 1.0's rules.

    Tables are named one by one: a rule of theirs would count more than one of the database.
    """
    private = _private(datasette)
    if not private or not compat.is_of_a_database(datasette, action):
        return []
    verdict = await private_verdict(datasette, actor, action)
    if verdict is None:
        return []
    return [
        (database, table, verdict)
        for database, tables in private.items()
        for table in (None, *(tables if compat.is_of_a_table(datasette, action) else ()))
    ]


def _plain(actor: Actor) -> dict[str, Any] | None:
    return None if actor is None else dict(actor)
