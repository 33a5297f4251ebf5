"""datasette rag ask and search: a question answered in the terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .options import question_options
from .serving import run as run_with_datasette

if TYPE_CHECKING:
    from datasette.app import Datasette

    from ..events import Check, Reply, SearchedTable, Source

NOTHING_FOUND = 3


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
    from .. import claude
    from ..ask import ask as ask_events
    from ..config import load
    from ..events import AnswerDelta, Done, Failed
    from ..permissions import OWNER

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
            # The log is of what visitors ask.
            log=False,
            keywords=keywords or None,
            tables=tables or None,
            answer=answer,
            answerer=answerer or load(datasette).answerer or _paid_one(datasette),
        ):
            if isinstance(event, Failed):
                if as_json:
                    from ..web.json import error_json

                    click.echo(json.dumps(error_json(event.status, event.message), indent=2))
                raise click.ClickException(event.message)
            if isinstance(event, Done):
                if as_json:
                    from ..web.json import reply_json

                    click.echo(json.dumps(reply_json(event.reply), indent=2))
                elif event.reply.outcome == "unknown" and not event.reply.answer:
                    click.echo(load(datasette).no_answer, nl=False)
                return event.reply
            if isinstance(event, AnswerDelta) and not as_json:
                click.echo(event.text, nl=False)
        raise click.ClickException("the question ended without a reply")

    given = run_with_datasette(databases, metadata, config, load_extensions, run)
    if not as_json:
        _print_reply(given, with_passages=not answer)
    if given.error is not None and not given.answered:
        raise SystemExit(1)
    if not (given.answered or (given.outcome is None and given.sources)):
        raise SystemExit(NOTHING_FOUND)


def _paid_one(datasette: Datasette) -> str | None:
    """Claude, where there is a key for it: on the command line it is the owner who pays."""
    from .. import claude

    return "claude" if claude.has_key(datasette) else None


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
        click.echo(f"Cost: {_dollars(reply.usage.cost_usd)}", err=True)
    for finding in reply.checks:
        if not finding.ok:
            click.echo(_check_line(finding), err=True)
    for table in reply.tables:
        if table.status != "ok":
            click.echo(_table_line(table), err=True)


def _dollars(amount: float) -> str:
    return f"${amount:.4f}" if amount >= 0.0001 else "less than $0.0001"


def _source_line(source: Source) -> str:
    parts = [source.title, source.heading if source.heading != source.title else "", source.date]
    where = source.url or "/".join((source.database, source.table, ",".join(source.pks)))
    return f"[{source.number}] {' · '.join(part for part in parts if part)} ({where})"


def _check_line(finding: Check) -> str:
    return f"Check: {finding.message}"


def _table_line(table: SearchedTable) -> str:
    return f"{table.database}/{table.table}: {table.status}. {table.message}"
