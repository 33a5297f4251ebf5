"""The figures of the log, on rows whose sums are known."""

from __future__ import annotations

import sqlite3
import statistics
import time
from contextlib import closing
from datetime import date, datetime, timedelta, timezone
from typing import get_args

import pytest

from datasette_rag.events import Outcome
from datasette_rag.log import figures, read, schema
from datasette_rag.log.figures import Figures

from .filled import ask, fill

NOW = datetime(2026, 3, 1, 0, 30, tzinfo=timezone.utc)


@pytest.fixture
def conn():
    with closing(sqlite3.connect(":memory:")) as conn:
        schema.bring_up_to_date(conn)
        yield conn


def test_nothing_asked(conn):
    assert figures.figures(conn, NOW, 30) == Figures()
    days = figures.per_day(conn, NOW)
    assert len(days) == 30 and {day.asked for day in days} == {0}
    assert (days[0].day, days[-1].day) == (date(2026, 1, 31), date(2026, 3, 1))


def test_every_outcome_counts_once(conn):
    outcomes = [*get_args(Outcome), None]
    for outcome in outcomes:
        ask(conn, outcome=outcome, asked=NOW, cost_usd=0.5)
    found = figures.figures(conn, NOW, 1)
    assert found.asked == len(outcomes) and found.cost_usd == 0.5 * len(outcomes)
    assert (found.answered, found.not_found) == (2, 2)
    assert [
        found.unknown,
        found.refused,
        found.failed,
        found.limited,
        found.search_only,
    ] == [1] * 5


def test_days_begin_and_end_at_midnight_utc(conn):
    ask(conn, asked=NOW)
    ask(conn, asked=NOW.replace(minute=0))
    ask(conn, asked=NOW - timedelta(minutes=31))
    ask(conn, asked=datetime(2026, 1, 31, tzinfo=timezone.utc))
    ask(conn, asked=datetime(2026, 1, 30, 23, 59, 59, tzinfo=timezone.utc))
    assert figures.figures(conn, NOW, 1).asked == 2
    assert figures.figures(conn, NOW, 30).asked == 4
    counted = {day.day: day.asked for day in figures.per_day(conn, NOW) if day.asked}
    assert counted == {date(2026, 1, 31): 1, date(2026, 2, 28): 1, date(2026, 3, 1): 2}


@pytest.mark.parametrize("times", [[7.0], [9.0, 2.0], [3.0, 1.0, 2.0], [8.0, 1.5, 4.25, 2.0]])
def test_the_median_is_exact(conn, times):
    for ms in times:
        ask(conn, asked=NOW, total_ms=ms)
    ask(conn, asked=NOW, total_ms=None)
    ask(conn, asked=NOW - timedelta(days=40), total_ms=1_000_000.0)
    assert figures.figures(conn, NOW, 30).median_ms == statistics.median(times)


def test_the_newest_thumbs_down(conn):
    first, second = ask(conn, question="one"), ask(conn, question="two")
    for number, (id, rating) in enumerate([(first, "down"), (second, "up"), (second, "down")]):
        conn.execute(
            "insert into rag_feedback (question_id, given, rating, reason, note) "
            "values (?, ?, ?, 'wrong', ?)",
            [id, f"2026-03-0{number + 1}", rating, f"note {number}"],
        )
    found = read.thumbs_down(conn, 10)
    assert [(row["note"], row["question"]) for row in found] == [
        ("note 2", "two"),
        ("note 0", "one"),
    ]
    assert len(read.thumbs_down(conn, 1)) == 1


@pytest.mark.parametrize("topics", [1, 20_000])
def test_a_log_of_many_questions_is_read_at_once(conn, topics):
    """Also one that was filled with the same question over and over."""
    fill(conn, 20_000, topics=topics, until=NOW)
    began = time.process_time()
    assert figures.figures(conn, NOW, 30).asked
    assert len(read.unanswered(conn, 50)) == min(topics, 50)
    # A comparison of each with each takes minutes.
    assert time.process_time() - began < 5
