"""Options and arguments that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click
from datasette.cli import LoadExtension
from datasette.utils import tilde_decode

Command = TypeVar("Command", bound=Callable[..., Any])


class JSONObject(click.ParamType):
    """An option whose value is a JSON object."""

    name = "json"

    def convert(self, value: Any, param: Any, ctx: Any) -> dict[str, Any]:
        try:
            parsed = json.loads(value)
        except ValueError as error:
            self.fail(f"not valid JSON: {error}", param, ctx)
        if not isinstance(parsed, dict):
            self.fail('expected a JSON object such as {"id": "root"}', param, ctx)
        return parsed


class TableName(click.ParamType):
    """An option whose value is database/table, each part tilde-encoded."""

    name = "database/table"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        database, slash, table = value.partition("/")
        if not (database and slash and table):
            self.fail("expected database/table", param, ctx)
        return tilde_decode(database), tilde_decode(table)


def databases_argument(command: Command) -> Command:
    """The database files of a command that takes one or more."""
    return click.argument(
        "databases", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False)
    )(command)


def actor_option(command: Command) -> Command:
    """For whom a command asks."""
    return click.option(
        "--actor",
        type=JSONObject(),
        help="Act as this actor; without it, as the owner of the files, who sees all",
    )(command)


def database_options(command: Command) -> Command:
    """The options of every command that opens databases as Datasette does."""
    for option in (
        click.option(
            "load_extensions",
            "--load-extension",
            type=LoadExtension(),
            multiple=True,
            help="Path to a SQLite extension to load",
        ),
        click.option(
            "-c", "--config", type=click.File("r"), help="Datasette configuration file (1.0)"
        ),
        click.option("-m", "--metadata", type=click.File("r"), help="Datasette metadata file"),
    ):
        command = option(command)
    return command


def question_options(command: Command) -> Command:
    """The arguments and options of the commands that take a question."""
    for option in (
        click.option("as_json", "--json", is_flag=True, help="Print the reply as JSON"),
        actor_option,
        click.option(
            "tables",
            "-t",
            "--table",
            type=TableName(),
            multiple=True,
            help="Search only this table, given as database/table",
        ),
        click.option(
            "keywords",
            "-k",
            "--keyword",
            multiple=True,
            help="Search for this instead of words of the question",
        ),
        database_options,
        click.argument("question"),
        databases_argument,
    ):
        command = option(command)
    return command
