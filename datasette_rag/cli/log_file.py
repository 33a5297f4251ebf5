"""The file of a log, opened for a command."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

# A server writes for milliseconds; whoever holds the log for longer is told of.
WAIT_SECONDS = 10.0


@contextmanager
def opened_log(log: Path, writing: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection to the log in this file; what goes wrong with it is told in one line.

    It is its own master: a transaction begins where one says so. Raises click.ClickException.
    """
    uri = f"{log.resolve().as_uri()}?mode={'rw' if writing else 'ro'}"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, timeout=WAIT_SECONDS, isolation_level=None)
        ) as conn:
            _refuse_others(log, conn)
            yield conn
    except sqlite3.Error as error:
        raise click.ClickException(_in_words(log, error)) from error


def _refuse_others(log: Path, conn: sqlite3.Connection) -> None:
    from ..log.schema import QUESTIONS, holds_a_log

    if not holds_a_log(conn):
        raise click.ClickException(
            f"{log} holds no log: it has no table {QUESTIONS}, which is made with the first "
            "question. Give the file that log: names, or Datasette's --internal file"
        )


def _in_words(log: Path, error: sqlite3.Error) -> str:
    from ..log.place import is_locked

    if is_locked(error):
        return f"{log} is locked by another program; try again when that is done"
    if "no such" in str(error):
        return (
            f"{log} is of another version of the plugin ({error}); start Datasette with it once, "
            "and ask a question"
        )
    if "readonly" in str(error):
        return f"{log} can't be written here: {error}"
    return f"{log} can't be read as a SQLite database: {error}"
