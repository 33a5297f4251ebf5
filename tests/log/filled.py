"""Logs with questions in them that nobody had to ask."""

from __future__ import annotations

import json
import sqlite3
import uuid
from datetime import datetime, timedelta, timezone

from datasette_rag.log.rows import timestamp
from datasette_rag.log.writer import insert


def question(**values):
    """A row of rag_questions, unanswered unless told otherwise; `topic` as a list of words."""
    row = {
        "id": uuid.uuid4().hex,
        "asked": datetime.now(timezone.utc),
        "question": "Where is the umbrella?",
        "topic": ["umbrella"],
        "keywords": '["umbrella"]',
        "keywords_from": "question",
        "match": '"umbrella"',
        "tables": "[]",
        "outcome": "nothing_found",
        "answer": "",
        "checks": "[]",
        "checks_failed": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_usd": 0.0,
        "total_ms": 10.0,
        **values,
    }
    row["topic"] = json.dumps(row["topic"], ensure_ascii=False)
    row["asked"] = timestamp(row["asked"])
    return row


def ask(conn: sqlite3.Connection, **values) -> str:
    """Log a question; its id."""
    row = question(**values)
    insert(conn, "rag_questions", [row])
    conn.commit()
    return row["id"]


def fill(conn: sqlite3.Connection, count: int, *, topics: int, until: datetime) -> None:
    """Log so many unanswered questions on so many topics, a second apart."""
    rows = [
        question(topic=[f"word{number % topics}"], asked=until - timedelta(seconds=number))
        for number in range(count)
    ]
    insert(conn, "rag_questions", rows)
    conn.commit()
