"""What SQL needs wherever it is written: a quoted name, a transaction that waits for the lock."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def writing(conn: sqlite3.Connection) -> Iterator[None]:
    """A transaction that waits for the lock; one that reads first would fail at once instead.

    `conn` must not be in a transaction. Whatever goes wrong, in the block or at its end, none
    of it is written, and the connection can be used again. Raises sqlite3.Error.
    """
    conn.execute("begin immediate")
    try:
        yield
        conn.execute("commit")
    except BaseException:
        if conn.in_transaction:
            conn.execute("rollback")
        raise
