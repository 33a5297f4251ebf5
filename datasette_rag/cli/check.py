"""datasette rag check: which tables are searched, and why others are not."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .options import database_options, databases_argument
from .serving import run

if TYPE_CHECKING:
    from datasette.app import Datasette


@click.command()
@databases_argument
@database_options
def check(
    databases: Sequence[str], metadata: Any, config: Any, load_extensions: Sequence[Any]
) -> None:
    """Tell which tables of DATABASES are searched, and why others are not

    Example:

        datasette rag check docs.db
    """
    from ..retrieval.tables import catalogue, searched_databases
    from ..start import findings

    async def report(datasette: Datasette) -> None:
        count = 0
        for database in searched_databases(datasette):
            try:
                tables = (await catalogue(datasette, database)).tables
            except sqlite3.Error:
                # Among the findings below.
                continue
            for table in tables.values():
                count += 1
                click.echo(f"{database}/{table.table}: {table.summary}")
        for finding in await findings(datasette):
            click.echo(f"{finding}")
        if not count:
            raise click.ClickException(
                "no table can be searched. Make a full-text index: "
                "sqlite-utils enable-fts DATABASE TABLE COLUMN... --tokenize porter "
                "--create-triggers"
            )

    run(databases, metadata, config, load_extensions, report)
