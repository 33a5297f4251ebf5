"""What happens when Datasette starts (configuration checked, findings told) and when it stops."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING, Any

import click

from . import claude
from .answerers.registry import answerers
from .config import PLUGIN, ConfigError, load, nearest
from .log import writer
from .log.place import LogRefused, prepare
from .retrieval.canned import register_all
from .retrieval.tables import Finding, catalogue, searched_databases

if TYPE_CHECKING:
    from datasette.app import Datasette

logger = logging.getLogger("datasette_rag")


async def start(datasette: Datasette) -> None:
    """Check the configuration, tell what is wrong with it, register the canned queries.

    Raises click.ClickException, which Datasette shows as one line, for a configuration
    that can't be used. What names something that does not exist is told in one line each.
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
    for finding in await findings(datasette):
        if finding.about_configuration:
            logger.warning("datasette-rag: %s", finding)
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


async def findings(datasette: Datasette) -> list[Finding]:
    """What the owner should know of every database: tables that are not searched, and why."""
    config = load(datasette)
    named = dict.fromkeys([*config.databases, *(database for database, _ in config.tables)])
    found = [
        Finding(database, None, "configured, but there is no such database", True)
        for database in named
        if database not in datasette.databases
    ]
    for database in searched_databases(datasette):
        try:
            found += (await catalogue(datasette, database)).findings
        except sqlite3.Error as error:
            found.append(Finding(database, None, f"the database can't be read: {error}"))
    return found
