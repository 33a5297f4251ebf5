"""Runs of evals in the log: written as a whole, and found again by the beginning of their id."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from ..sql import writing
from .eval_schema import RESULTS, RUNS
from .rows import Row, insert


@dataclass(frozen=True)
class SavedRun:
    """A run out of the log.

    `measures` are those of its questions: by the question's id, each by name.
    `questions` are the questions' texts by their ids.
    """

    id: str
    started: str
    questions_from: str
    measures: dict[str, dict[str, float]]
    questions: dict[str, str]


def save(conn: sqlite3.Connection, run: Row, results: Sequence[Row]) -> None:
    """Write a run with its results, all of it or nothing.

    `conn` must be its own master and not in a transaction. Raises sqlite3.Error.
    """
    with writing(conn):
        insert(conn, RUNS, [run])
        insert(conn, RESULTS, results)


def runs_with(conn: sqlite3.Connection, prefix: str) -> list[SavedRun]:
    """The runs whose ids begin like this, two at most. Raises sqlite3.Error."""
    found = conn.execute(
        f"select id, started, questions_from from {RUNS} where substr(id, 1, ?) = ? limit 2",
        [len(prefix), prefix],
    ).fetchall()
    return [_run(conn, *row) for row in found]


def newest_runs(conn: sqlite3.Connection, limit: int) -> list[str]:
    """The ids of the newest runs, newest first. Raises sqlite3.Error."""
    rows = conn.execute(f"select id from {RUNS} order by started desc limit ?", [limit])
    return [row[0] for row in rows]


def _run(conn: sqlite3.Connection, id: str, started: str, questions_from: str) -> SavedRun:
    rows = conn.execute(
        f"select question_id, question, measures from {RESULTS} where run_id = ? order by rowid",
        [id],
    ).fetchall()
    return SavedRun(
        id,
        started,
        questions_from,
        {row[0]: json.loads(row[2]) for row in rows},
        {row[0]: row[1] for row in rows},
    )
