"""datasette rag log: what was asked, read, exported and deleted at a terminal."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .log_file import opened_log

if TYPE_CHECKING:
    from ..log.erase import Erased
    from ..log.rows import Row

MIN_PREFIX = 8


class _WrongUse(click.ClickException):
    """A mistake in the command itself, told in one line."""

    exit_code = 2


@click.command()
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-n",
    "--count",
    type=click.IntRange(min=1),
    help="How many questions or topics to list  [default: 20]",
)
@click.option("as_json", "--json", is_flag=True, help="List them as JSON, with all columns")
@click.option("--unanswered", is_flag=True, help="List what stayed unanswered, most asked first")
@click.option("--export", is_flag=True, help="Write everything to stdout, as JSON Lines")
@click.option(
    "ids",
    "--delete",
    metavar="ID",
    multiple=True,
    help=f"Delete this question for good; {MIN_PREFIX} characters of its id are enough",
)
@click.option(
    "--prune",
    metavar="DAYS",
    type=click.IntRange(0, 36_500),
    help="Delete for good the questions that are older than so many days",
)
def log(
    log: Path,
    count: int | None,
    as_json: bool,
    unanswered: bool,
    export: bool,
    ids: Sequence[str],
    prune: int | None,
) -> None:
    """List the newest questions of LOG

    LOG is the file that the questions of a site are logged in: the one that log: names, or
    the one given to Datasette with --internal. The site can go on meanwhile.

    Example:

        datasette rag log rag-log.db
    """
    _refuse_together(
        {
            "--unanswered": unanswered,
            "--export": export,
            "--delete": bool(ids),
            "--prune": prune is not None,
        }
    )
    for option, given in (("--count", count is not None), ("--json", as_json)):
        if given and (export or ids or prune is not None):
            raise _WrongUse(f"{option} is for lists: it goes with --unanswered or alone")
    if ids:
        _delete(log, ids)
    elif prune is not None:
        _prune(log, prune)
    elif export:
        _export(log)
    else:
        _list(log, count or 20, unanswered, as_json)


def _list(log: Path, count: int, unanswered: bool, as_json: bool) -> None:
    from ..log import read

    with opened_log(log) as conn:
        rows = (read.unanswered if unanswered else read.newest)(conn, count)
    if as_json:
        click.echo(json.dumps([read.parsed(row) for row in rows], indent=2))
    elif not rows:
        click.echo("Nothing is open." if unanswered else "No question has been logged.")
    else:
        _print(map(_topic_line, rows) if unanswered else _question_lines(rows))


def _export(log: Path) -> None:
    from ..log.read import everything

    with opened_log(log) as conn:
        # One transaction: the log as it is now, whatever is written meanwhile.
        conn.execute("begin")
        for row in everything(conn):
            click.echo(json.dumps(row))


def _delete(log: Path, ids: Sequence[str]) -> None:
    from ..log.read import with_prefix
    from ..log.writer import delete

    with opened_log(log, writing=True) as conn:
        rows: dict[str, Row] = {}
        for id in ids:
            if len(id) < MIN_PREFIX:
                raise click.ClickException(
                    f"{id} is too short for an id; give {MIN_PREFIX} characters of it at least"
                )
            found = with_prefix(conn, id)
            if len(found) != 1:
                problem = "several questions have ids that begin with" if found else "no question"
                raise click.ClickException(f"{problem} {id}; nothing was deleted")
            rows[found[0]["id"]] = found[0]
        erased = _erased(conn, lambda conn: delete(conn, rows))
        for id, row in rows.items():
            click.echo(f"Deleted {id}  {_time(row['asked'])}  {_on_one_line(row['question'])}")
        _tell_traces(log, erased)


def _prune(log: Path, days: int) -> None:
    from ..log.writer import prune

    before = datetime.now(timezone.utc) - timedelta(days=days)
    with opened_log(log, writing=True) as conn:
        erased = _erased(conn, lambda conn: prune(conn, before))
        some = "1 question" if erased.deleted == 1 else f"{erased.deleted} questions"
        click.echo(f"Deleted {some} older than {days} days")
        _tell_traces(log, erased)


def _erased(conn: sqlite3.Connection, deletion: Callable[[sqlite3.Connection], int]) -> Erased:
    from ..log.erase import erase
    from ..log.schema import bring_up_to_date

    bring_up_to_date(conn)
    return erase(conn, deletion)


def _tell_traces(log: Path, erased: Erased) -> None:
    if erased.traces:
        click.echo(
            f"Somebody is reading {log}: traces may stay in {log}-wal until they are done and the "
            "log is written again",
            err=True,
        )


def _refuse_together(given: dict[str, bool]) -> None:
    names = [name for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise _WrongUse(f"{' and '.join(names)} exclude each other; give one of them")


def _question_lines(rows: Sequence[Row]) -> Iterator[str]:
    outcomes = [row["outcome"] or "only searched" for row in rows]
    width = max(map(len, outcomes))
    for row, outcome in zip(rows, outcomes):
        yield (
            f"{row['id'][:MIN_PREFIX]}  {_time(row['asked'])}  {outcome:{width}}  "
            f"{_on_one_line(row['question'])}"
        )


def _topic_line(row: Row) -> str:
    return (
        f"{row['last_id'][:MIN_PREFIX]}  {_time(row['last_asked'])}  {row['times']:5} ×  "
        f"{_on_one_line(row['last_question'])}"
    )


def _print(lines: Iterable[str]) -> None:
    """One line each on a terminal, cut at its edge; all of them elsewhere."""
    width: Any = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in lines:
        cut = width is not None and len(line) > width
        click.echo(f"{line[: width - 1]}…" if cut else line)


def _time(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _on_one_line(text: str) -> str:
    """The text without what would command the terminal or turn its lines about."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
