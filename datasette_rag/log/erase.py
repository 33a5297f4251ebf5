"""Deletes questions for good: nothing of them can be found in the file afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from ..sql import writing
from .schema import TABLES


@dataclass(frozen=True)
class Erased:
    """How many questions were deleted.

    `traces` is whether the write-ahead log beside the file may still hold them, because
    somebody was reading it: the next writer that finds nobody reading empties it.
    """

    deleted: int
    traces: bool = False


def erase(conn: sqlite3.Connection, deletion: Callable[[sqlite3.Connection], int]) -> Erased:
    """Do the deletion (`writer.delete` or `writer.prune`) so that no trace is left.

    `conn` must be its own master (`isolation_level=None`) and not in a transaction. Others
    can read meanwhile; writers wait. Raises sqlite3.Error; then nothing is deleted.
    """
    conn.execute("pragma secure_delete = on")
    with writing(conn):
        deleted = deletion(conn)
        if deleted:
            for table in TABLES:
                _rewrite(conn, table)
    busy, *_ = conn.execute("pragma wal_checkpoint(truncate)").fetchone()
    return Erased(deleted, traces=bool(busy and deleted))


def _rewrite(conn: sqlite3.Connection, table: str) -> None:
    """Put the rows of a table on clean pages.

    As SQLite moves rows about, copies stay in the unused part of pages, which a deletion of
    single rows does not overwrite. Emptying the table does, page by page. Not VACUUM: the
    internal database holds what is not ours, and may rest on row ids that VACUUM changes.
    """
    conn.execute(f"create temp table kept as select * from main.{table}")
    conn.execute(f"delete from main.{table}")
    conn.execute(f"insert into main.{table} select * from kept")
    conn.execute("drop table temp.kept")
