"""What happens when Datasette starts (configuration checked, findings told) and when it stops."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from datasette.utils import sqlite_timelimit

from . import claude
from .answerers.registry import answerers
from .config import PLUGIN, ConfigError, load, nearest
from .log import writer
from .log.place import LogRefused, prepare
from .retrieval.canned import register_all
from .retrieval.catalogue import (
    Catalogue,
    catalogue,
    file_of,
    readable_catalogues,
    searched_databases,
)
from .retrieval.findings import Finding, rebuild
from .retrieval.fit import QUICK, THOROUGH, Depth
from .retrieval.health import index_findings
from .retrieval.tables import SearchableTable

if TYPE_CHECKING:
    from datasette.app import Datasette

logger = logging.getLogger("datasette_rag")

# What all looks into indexes may take together, and one of them, in milliseconds.
_START_MS = 500
_CHECK_MS = 60_000
_TABLE_SHARE = 5


async def start(datasette: Datasette) -> None:
    """Check the configuration, tell what was found, register the canned queries.

    Raises click.ClickException, which Datasette shows as one line, for a configuration
    that can't be used. What names something that does not exist is told in one line each,
    the tables and their indexes in one line together.
    """
    try:
        config = load(datasette)
        if config.answerer is not None and config.answerer not in answerers(datasette):
            raise ConfigError(
                f"plugins.{PLUGIN}.answerer: there is no answerer {config.answerer}"
                f"{nearest(config.answerer, answerers(datasette))}"
            )
    except ConfigError as error:
        raise click.ClickException(f"datasette-rag: {error}") from error
    try:
        problem = await prepare(datasette)
    except LogRefused as error:
        raise click.ClickException(f"datasette-rag: {error}") from error
    if problem:
        logger.warning("datasette-rag: %s", problem)
    found = await findings(datasette)
    for finding in found:
        if finding.kind == "configuration":
            logger.warning("datasette-rag: %s", finding)
    stale = [finding for finding in found if finding.kind == "stale"]
    count = sum(len(one.tables) for one in await readable_catalogues(datasette))
    logger.log(
        logging.WARNING if stale else logging.INFO,
        "datasette-rag: %s",
        _line(count, stale, found),
    )
    await register_all(datasette)


def stopped_at_shutdown(app: Any, datasette: Datasette) -> Any:
    """ASGI middleware that ends with the server what goes on behind it (0.65 has no hook for it)."""

    async def app_with_stop(scope: Any, receive: Any, send: Any) -> None:
        async def receive_and_stop() -> Any:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                await stop(datasette)
            return message

        await app(scope, receive_and_stop if scope["type"] == "lifespan" else receive, send)

    return app_with_stop


async def stop(datasette: Datasette) -> None:
    """Close the client of Claude's API, and write what is still to be logged."""
    await claude.close(datasette)
    await writer.finished(datasette)


async def findings(datasette: Datasette, *, thorough: bool = False) -> list[Finding]:
    """What the owner should know of every database: what is not searched, or out of date, and why.

    Args:
        datasette: the started site.
        thorough: whether to look at all rows, for up to a minute, and not only at some.
    """
    config = load(datasette)
    named = dict.fromkeys([*config.databases, *(database for database, _ in config.tables)])
    found = [
        Finding(database, None, "configured, but there is no such database", "configuration")
        for database in named
        if database not in datasette.databases
    ]
    depth, left_ms = (THOROUGH, _CHECK_MS) if thorough else (QUICK, _START_MS)
    for database in searched_databases(datasette):
        try:
            tables = await catalogue(datasette, database)
            found += tables.findings
            began = time.perf_counter()
            found += await _of_indexes(datasette, tables, depth, left_ms)
            left_ms -= int((time.perf_counter() - began) * 1000)
        except sqlite3.Error as error:
            found.append(Finding(database, None, f"the database can't be read: {error}"))
    return found


async def _of_indexes(
    datasette: Datasette, tables: Catalogue, depth: Depth, limit_ms: int
) -> list[Finding]:
    """What is to be said of the indexes of one database, as far as the time suffices."""
    file = file_of(datasette, tables.database)

    def look(conn: sqlite3.Connection) -> list[Finding]:
        found: list[Finding] = []
        until = time.perf_counter() + limit_ms / 1000
        for table in tables.tables.values():
            left_ms = int((until - time.perf_counter()) * 1000)
            if left_ms <= 0:
                break
            try:
                with sqlite_timelimit(conn, max(1, min(left_ms, limit_ms // _TABLE_SHARE))):
                    found += index_findings(conn, table, file, depth)
            except sqlite3.Error as error:
                found += _unread(table, file, error, depth)
        return found

    return await datasette.databases[tables.database].execute_fn(look)


def _unread(table: SearchableTable, file: str, error: sqlite3.Error, depth: Depth) -> list[Finding]:
    name = table.index.name
    if str(error) != "interrupted":
        message, mend = f"its index {name} can't be read: {error}", rebuild(file, table.index)
        return [Finding(table.database, table.table, message, "stale", mend)]
    if depth is THOROUGH:
        message = f"whether its index {name} is out of date could not be told in time"
        return [Finding(table.database, table.table, message, "advice")]
    return []


def _line(count: int, stale: Sequence[Finding], found: Sequence[Finding]) -> str:
    """All that was found in one line: in full what makes answers wrong, the rest counted."""
    left_out = sum(finding.kind == "left_out" for finding in found)
    advice = sum(finding.kind == "advice" for finding in found)
    parts = [f"{count} {'table' if count == 1 else 'tables'} searchable"]
    if left_out:
        parts.append(f"{left_out} not")
    if stale:
        parts.append(f"{len(stale)} out of date")
    if advice:
        parts.append(f"{advice} to be made better")
    line = ", ".join(parts)
    if left_out or advice:
        line += " (datasette rag check tells which and why)"
    return ". ".join([line, *map(str, stale)])
