"""The connection of a run to its database, and its errors in words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from .errors import DocumentsError

_WAIT_FOR_LOCK = 10.0  # seconds


@contextmanager
def opened(database: Path, *, read_only: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection that leaves transactions to its user (see `sql.writing`).

    Args:
        database: the SQLite file; created if it does not exist, unless `read_only`.
        read_only: whether nothing can be written through it.

    Raises:
        DocumentsError: SQLite failed while the block ran. The message says what mends it.
    """
    uri = f"{database.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, timeout=_WAIT_FOR_LOCK, isolation_level=None)
        ) as conn:
            # With a write-ahead log this is safe against corruption and spares a wait for the
            # disk after each document; what a power cut loses, the next run makes up for.
            conn.execute("pragma synchronous = normal")
            yield conn
    except sqlite3.Error as error:
        raise DocumentsError(_explained(database, str(error))) from error


def _explained(database: Path, error: str) -> str:
    for sign, message in (
        ("not a database", "is not a SQLite database. Name another file."),
        ("locked", "is being written to by another program. Try again when it is done."),
        ("readonly", "cannot be written to. Check the permissions of the file and its folder."),
        ("unable to open", "cannot be opened. Check that it is a file and its permissions."),
        ("malformed", "is damaged. Restore it, or name a new file: it can be indexed anew."),
        ("full", "could not be written: the disk is full."),
    ):
        if sign in error:
            return f"{database} {message}"
    return f"{database} could not be indexed into: {error}."
