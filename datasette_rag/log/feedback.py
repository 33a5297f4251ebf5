"""What visitors say of an answer: a thumb, a reason, a note."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from .. import compat
from ..compat import Actor
from ..config import load
from ..sql import writing
from .place import opened
from .rows import insert, logged_actor, storable, timestamp
from .schema import FEEDBACK, QUESTIONS

if TYPE_CHECKING:
    from datasette.app import Datasette

RATINGS = ("up", "down")
REASONS = {
    "wrong": "The answer is wrong",
    "not_in_source": "It is not in the source",
    "out_of_date": "It is out of date",
    "other": "Something else",
}
MAX_NOTE_CHARS = 1_000
PER_QUESTION = 5
PER_HOUR = 100


class FeedbackRefused(Exception):
    """Feedback that is not taken; the message is for the visitor, `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True)
class Feedback:
    """What one visitor says of one answer."""

    question_id: str
    rating: str
    reason: str | None = None
    note: str | None = None


async def give(datasette: Datasette, feedback: Feedback, *, actor: Actor = None) -> None:
    """Keep the feedback in the log.

    No more is taken than `PER_QUESTION` of one answer and `PER_HOUR` of all in an hour: it
    can be given without an account, and the log must not be filled by it. Raises
    FeedbackRefused, and sqlite3.Error or LogRefused if the log can't be written.
    """
    if feedback.rating not in RATINGS:
        raise FeedbackRefused(400, "A rating is up or down")
    if feedback.reason is not None and feedback.reason not in REASONS:
        raise FeedbackRefused(400, f"A reason is one of {', '.join(REASONS)}")
    if len(feedback.note or "") > MAX_NOTE_CHARS:
        raise FeedbackRefused(400, f"A note may have {MAX_NOTE_CHARS} characters at most")
    database = await opened(datasette)
    if database is None:
        raise FeedbackRefused(404, "There is no such answer")
    now = datetime.now(timezone.utc)
    row = {
        "question_id": feedback.question_id,
        "given": timestamp(now),
        "rating": feedback.rating,
        "reason": feedback.reason,
        "note": storable(feedback.note) if feedback.note else None,
        "actor_id": logged_actor(actor, load(datasette).log),
    }

    def keep(conn: sqlite3.Connection) -> None:
        with writing(conn):
            _refuse_too_much(conn, feedback.question_id, now)
            insert(conn, FEEDBACK, [row])

    await compat.write(database, keep)


def _refuse_too_much(conn: sqlite3.Connection, question_id: str, now: datetime) -> None:
    if not conn.execute(f"select 1 from {QUESTIONS} where id = ?", [question_id]).fetchone():
        raise FeedbackRefused(404, "There is no such answer")
    recent = conn.execute(
        f"select count(*), count(*) filter (where question_id = ?) from {FEEDBACK} where given > ?",
        [question_id, timestamp(now - timedelta(hours=1))],
    ).fetchone()
    if recent[0] >= PER_HOUR or recent[1] >= PER_QUESTION:
        raise FeedbackRefused(429, "There has been much feedback already; try again in an hour")
