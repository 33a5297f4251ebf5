"""datasette rag …: the command line."""

from __future__ import annotations

import asyncio
import json
import shlex
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from datasette.cli import LoadExtension
from datasette.utils import BadMetadataError, parse_metadata, tilde_decode

if TYPE_CHECKING:
    from datasette.app import Datasette

    from .events import Check, Reply, SearchedTable, Source

NOTHING_FOUND = 3

Command = TypeVar("Command", bound=Callable[..., Any])


def register(cli: click.Group) -> None:
    """Add `datasette rag` to Datasette's command line."""

    @cli.group(name="rag")
    def rag() -> None:
        "Answer questions from the rows of SQLite databases, with citations"

    for command in (index, ask, search, check):
        rag.add_command(command)


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
        click.option(
            "--actor",
            type=JSONObject(),
            help="Act as this actor; without it, as the owner of the files, who sees all",
        ),
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
        click.argument(
            "databases", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False)
        ),
    ):
        command = option(command)
    return command


@click.command()
@question_options
@click.option(
    "--answerer",
    help="Who words the answer: extractive, claude (the default when a key is set), "
    "or the name of a plugin's",
)
def ask(**options: Any) -> None:
    """Answer QUESTION from the rows of one or more DATABASES

    Prints the answer as it comes, then the sources that it cites. Exit status: 0 answered,
    1 error, 3 nothing found.

    Example:

        datasette rag ask docs.db "How do I install a plugin?"
    """
    _question_command(answer=True, **options)


@click.command()
@question_options
def search(**options: Any) -> None:
    """Find the passages that QUESTION would be answered from

    The search of `datasette rag ask` without an answer. Exit status: 0 found, 1 error,
    3 nothing found.

    Example:

        datasette rag search docs.db "How do I install a plugin?"
    """
    _question_command(answer=False, **options)


@click.command()
@click.argument("databases", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False))
@database_options
def check(
    databases: Sequence[str], metadata: Any, config: Any, load_extensions: Sequence[Any]
) -> None:
    """Tell which tables of DATABASES are searched, and why others are not

    Example:

        datasette rag check docs.db
    """
    from .retrieval.tables import catalogue, searched_databases
    from .start import findings

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

    _run(databases, metadata, config, load_extensions, report)


@click.command()
@click.argument("database", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--table",
    default="passages",
    show_default=True,
    help="Table for the passages; another name than passages gives NAME and NAME_documents",
)
def index(database: Path, folder: Path, table: str) -> None:
    """Turn a FOLDER of Markdown and text files into a searchable DATABASE

    Run again, it reads what has changed, removes what is gone and leaves the rest alone.

    Example:

        datasette rag index docs.db path/to/folder
    """
    from .documents.store import DocumentsError, index_folder

    try:
        report = index_folder(database, folder, table=table, progress=_progress)
    except DocumentsError as error:
        raise click.ClickException(str(error)) from error
    for path, reason in report.skipped:
        click.echo(f"Skipped {path}: {reason}", err=True)
    click.echo(
        f"{report.added} added, {report.updated} updated, {report.removed} removed, "
        f"{report.unchanged} unchanged, {len(report.skipped)} skipped; "
        f"{report.passages} passages in {database}"
    )


def _progress(items: Iterable[Any], count: int) -> Iterator[Any]:
    with click.progressbar(items, length=count, label="Indexing") as bar:
        yield from bar


def _question_command(
    *,
    databases: Sequence[str],
    question: str,
    keywords: Sequence[str],
    tables: Sequence[tuple[str, str]],
    actor: dict[str, Any] | None,
    as_json: bool,
    metadata: Any,
    config: Any,
    load_extensions: Sequence[Any],
    answer: bool,
    answerer: str | None = None,
) -> None:
    from . import claude
    from .ask import ask as ask_events
    from .events import AnswerDelta, Done, Failed
    from .permissions import OWNER

    async def run(datasette: Datasette) -> Reply:
        try:
            return await reply(datasette)
        except ValueError as error:
            raise click.ClickException(str(error)) from error
        finally:
            await claude.close(datasette)

    async def reply(datasette: Datasette) -> Reply:
        async for event in ask_events(
            datasette,
            question,
            actor=OWNER if actor is None else actor,
            keywords=keywords or None,
            tables=tables or None,
            answer=answer,
            answerer=answerer or ("claude" if claude.has_key(datasette) else None),
        ):
            if isinstance(event, Failed):
                if as_json:
                    from .web.json import error_json

                    click.echo(json.dumps(error_json(event.status, event.message), indent=2))
                raise click.ClickException(event.message)
            if isinstance(event, Done):
                if as_json:
                    from .web.json import reply_json

                    click.echo(json.dumps(reply_json(event.reply), indent=2))
                return event.reply
            if isinstance(event, AnswerDelta) and not as_json:
                click.echo(event.text, nl=False)
        raise click.ClickException("the question ended without a reply")

    given = _run(databases, metadata, config, load_extensions, run)
    if not as_json:
        _print_reply(given, with_passages=not answer)
    if given.error is not None and not given.answered:
        raise SystemExit(1)
    if not (given.answered or (given.outcome is None and given.sources)):
        raise SystemExit(NOTHING_FOUND)


def _print_reply(reply: Reply, with_passages: bool) -> None:
    if reply.answerer is not None:
        click.echo("\n")
    else:
        if reply.answer:
            click.echo(reply.answer)
    for source in reply.sources:
        if with_passages or source.cited:
            click.echo(_source_line(source))
            if with_passages:
                click.echo(f"\n{source.passage}\n")
    if reply.error is not None:
        click.echo(reply.error.message, err=True)
    if reply.usage.cost_usd:
        click.echo(f"Cost: ${reply.usage.cost_usd:.4f}", err=True)
    for finding in reply.checks:
        if not finding.ok:
            click.echo(_check_line(finding), err=True)
    for table in reply.tables:
        if table.status != "ok":
            click.echo(_table_line(table), err=True)


def _source_line(source: Source) -> str:
    parts = [source.title, source.heading if source.heading != source.title else "", source.date]
    where = source.url or "/".join((source.database, source.table, ",".join(source.pks)))
    return f"[{source.number}] {' · '.join(part for part in parts if part)} ({where})"


def _check_line(finding: Check) -> str:
    return f"Check: {finding.message}"


def _table_line(table: SearchedTable) -> str:
    return f"{table.database}/{table.table}: {table.status}. {table.message}"


Result = TypeVar("Result")


def _run(
    databases: Sequence[str],
    metadata: Any,
    config: Any,
    load_extensions: Sequence[Any],
    work: Callable[[Datasette], Coroutine[Any, Any, Result]],
) -> Result:
    from . import compat

    for path in databases:
        _check_is_database(path)
    try:
        datasette = compat.open_files(
            databases,
            metadata=_settings(metadata),
            config=_settings(config),
            load_extensions=load_extensions,
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from error

    async def run() -> Result:
        try:
            await datasette.invoke_startup()
            return await work(datasette)
        except sqlite3.Error as error:
            names = ", ".join(databases)
            raise click.ClickException(f"{names} can't be read: {error}") from error

    return asyncio.run(run())


def _settings(file: Any) -> dict[str, Any] | None:
    if file is None:
        return None
    try:
        settings = parse_metadata(file.read())
    except BadMetadataError as error:
        raise click.ClickException(f"{file.name}: {error}") from error
    if not isinstance(settings, dict) or not isinstance(settings.get("databases", {}), dict):
        raise click.ClickException(f"{file.name}: expected a mapping of settings")
    return settings


def _check_is_database(path: str) -> None:
    if any(character in path for character in "?#%"):
        raise click.ClickException(
            f"{path}: Datasette can't open a file with ?, # or % in its path; rename it"
        )
    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as conn:
            conn.execute("select 1 from sqlite_master").fetchone()
    except sqlite3.Error as error:
        hint = ""
        if "readonly" in str(error):
            hint = (
                ". It keeps a write-ahead log, for which its folder must be writable: switch that "
                f"off where it is, with sqlite-utils disable-wal {shlex.quote(path)}"
            )
        raise click.ClickException(
            f"{path} can't be read as a SQLite database: {error}{hint}"
        ) from error
