"""What happens when Datasette starts: configuration checked, findings told, queries registered."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING

import click

from .answerers.registry import answerers
from .config import PLUGIN, ConfigError, load, nearest
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
        if config.answerer not in answerers(datasette):
            raise ConfigError(
                f"plugins.{PLUGIN}.answerer: there is no answerer {config.answerer}"
                f"{nearest(config.answerer, answerers(datasette))}"
            )
    except ConfigError as error:
        raise click.ClickException(f"datasette-rag: {error}") from error
    for finding in await findings(datasette):
        if finding.about_configuration:
            logger.warning("datasette-rag: %s", finding)
    await register_all(datasette)


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
