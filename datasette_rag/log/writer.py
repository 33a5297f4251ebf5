"""Writes questions into the log, and never lets that fail or delay an answer."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from .. import compat
from ..compat import Actor
from ..config import load
from ..events import Reply
from ..sql import writing
from .place import LogRefused, is_locked, opened, place
from .rows import insert, logged_actor, question_row, source_rows, timestamp
from .schema import FEEDBACK, QUESTIONS, SOURCES

if TYPE_CHECKING:
    from datasette.app import Datasette

logger = logging.getLogger("datasette_rag")

# An answer waits this long for its row to be written; a log that is locked gets it later.
WAIT_SECONDS = 0.5
RETRY_SECONDS = 1.0
# Rows wait for a locked log in memory: so many of them, each for so long.
MAX_WAITING = 500
GIVE_UP_SECONDS = 300.0
# Whatever visitors do, the log does not fill the disk.
MAX_QUESTIONS = 100_000
_PRUNE_EVERY = timedelta(hours=1)


@dataclass
class _Writer:
    """What one instance is writing at the moment."""

    waiting: set[asyncio.Task[bool]] = field(default_factory=set)
    failing: bool = False
    locked: bool = False
    lost: int = 0
    pruned: datetime | None = None


def record(
    datasette: Datasette,
    reply: Reply,
    *,
    topic: Iterable[str],
    actor: Actor = None,
    now: datetime | None = None,
) -> asyncio.Task[bool] | None:
    """Start to log a question with its reply; None if it will not be logged.

    `topic` are the question's own keywords. `now` is the time in UTC. `in_time` tells
    whether it is done; it goes on in the background if nobody asks. Nothing is raised: a
    log that fails is told in the server's own log, once.
    """
    log = place(datasette)
    if log.kind == "off" or log.problem:
        return None
    writer = compat.state(datasette, "log writer", _Writer)
    if len(writer.waiting) >= MAX_WAITING:
        _failed(writer, "too many questions wait for it")
        return None
    now = now or datetime.now(timezone.utc)
    actor_id = logged_actor(actor, load(datasette).log)
    question = question_row(reply, asked=now, topic=topic, actor_id=actor_id)
    sources = source_rows(reply)

    def insert_both(conn: sqlite3.Connection) -> None:
        insert(conn, QUESTIONS, [question])
        insert(conn, SOURCES, sources)

    task = asyncio.create_task(_written(datasette, writer, insert_both, now))
    writer.waiting.add(task)
    task.add_done_callback(writer.waiting.discard)
    return task


async def in_time(datasette: Datasette, writing: asyncio.Task[bool] | None) -> bool:
    """Whether the question is in the log by now, or within the time that an answer may wait."""
    if writing is None:
        return False
    # Nobody waits for a log that is known to be locked.
    locked = compat.state(datasette, "log writer", _Writer).locked
    done, _ = await asyncio.wait({writing}, timeout=0 if locked else WAIT_SECONDS)
    return bool(done) and writing.result()


async def finished(datasette: Datasette, seconds: float = 5.0) -> None:
    """Wait until what is being written is written, at the shutdown of Datasette."""
    writer = compat.state(datasette, "log writer", _Writer)
    if writer.waiting:
        await asyncio.wait(writer.waiting, timeout=seconds)


def delete(conn: sqlite3.Connection, ids: Iterable[str]) -> int:
    """Delete questions with all that belongs to them; how many there were."""
    deleted = 0
    for id in ids:
        for table in (SOURCES, FEEDBACK):
            conn.execute(f"delete from {table} where question_id = ?", [id])
        deleted += conn.execute(f"delete from {QUESTIONS} where id = ?", [id]).rowcount
    return deleted


def prune(conn: sqlite3.Connection, before: datetime) -> int:
    """Delete the questions asked before this time (UTC), and the oldest of too many.

    Returns how many were deleted.
    """
    old = conn.execute(f"select id from {QUESTIONS} where asked < ?", [timestamp(before)])
    deleted = delete(conn, [id for (id,) in old.fetchall()])
    many = conn.execute(
        f"select id from {QUESTIONS} order by asked desc limit -1 offset ?", [MAX_QUESTIONS]
    )
    return deleted + delete(conn, [id for (id,) in many.fetchall()])


async def _written(
    datasette: Datasette,
    writer: _Writer,
    work: Callable[[sqlite3.Connection], Any],
    now: datetime,
) -> bool:
    days = load(datasette).log.days

    def in_transaction(conn: sqlite3.Connection) -> None:
        with writing(conn):
            work(conn)
            if writer.pruned is None or now - writer.pruned >= _PRUNE_EVERY:
                prune(conn, now - timedelta(days=days))
                writer.pruned = now

    give_up = asyncio.get_running_loop().time() + GIVE_UP_SECONDS
    while True:
        try:
            database = await opened(datasette)
            if database is None:
                return False
            await compat.write(database, in_transaction)
        except LogRefused as error:
            _failed(writer, str(error))
            return False
        except Exception as error:
            passes = isinstance(error, sqlite3.OperationalError) and is_locked(error)
            if not passes or asyncio.get_running_loop().time() > give_up:
                _failed(writer, str(error) or type(error).__name__)
                return False
            if not writer.locked:
                writer.locked = True
                logger.warning("datasette-rag: the log is locked; questions wait for it")
            await asyncio.sleep(RETRY_SECONDS)
            continue
        writer.locked = False
        if writer.failing:
            logger.warning(
                "datasette-rag: the log works again; %s questions are not in it", writer.lost
            )
            writer.failing, writer.lost = False, 0
        return True


def _failed(writer: _Writer, reason: str) -> None:
    """Tell it once, not with each question."""
    writer.lost += 1
    if not writer.failing:
        writer.failing = True
        logger.error("datasette-rag: questions are not logged: %s", reason)
