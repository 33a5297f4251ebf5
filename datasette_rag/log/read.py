"""What the log holds, read back: one question, the newest, the unanswered ones."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..events import Check, ModelError, Reply, SearchedTable, Usage
from .rows import LoggedSource, Row
from .schema import FEEDBACK, QUESTIONS, SOURCES, VIEWS

_JSON_COLUMNS = frozenset(("topic", "keywords", "tables", "checks", "pks", "quotes"))


@dataclass(frozen=True)
class LoggedQuestion:
    """A question as the log has it: the reply without its sources, and these without their text."""

    asked: str
    reply: Reply
    sources: tuple[LoggedSource, ...]


def question(conn: sqlite3.Connection, id: str) -> LoggedQuestion | None:
    """The question with this id; None if the log has no such one."""
    row = _one(conn, f"select * from {QUESTIONS} where id = ?", id)
    if row is None:
        return None
    sources = _all(conn, f"select * from {SOURCES} where question_id = ? order by number", id)
    return LoggedQuestion(row["asked"], _reply(row), tuple(map(_source, sources)))


def newest(conn: sqlite3.Connection, limit: int) -> list[Row]:
    """The newest questions, newest first: rows of `rag_questions`."""
    return _all(conn, f"select * from {QUESTIONS} order by asked desc limit ?", limit)


def unanswered(conn: sqlite3.Connection, limit: int) -> list[Row]:
    """The topics that are open, most asked first: rows of the view `rag_unanswered`."""
    # Not by its name: a log of an older version need not have the view.
    return _all(conn, f"select * from ({VIEWS['rag_unanswered']}) limit ?", limit)


def with_prefix(conn: sqlite3.Connection, prefix: str) -> list[Row]:
    """The questions whose ids begin like this: rows of `rag_questions`, two at most."""
    return _all(
        conn,
        f"select * from {QUESTIONS} where substr(id, 1, ?) = ? limit 2",
        len(prefix),
        prefix,
    )


def thumbs_down(conn: sqlite3.Connection, limit: int) -> list[Row]:
    """The newest thumbs down, newest first: rows of `rag_feedback`, each with its `question`."""
    return _all(
        conn,
        f"select f.*, q.question from {FEEDBACK} as f join {QUESTIONS} as q on q.id = f.question_id "
        "where f.rating = 'down' order by f.id desc limit ?",
        limit,
    )


def everything(conn: sqlite3.Connection) -> Iterator[Row]:
    """Every question, oldest first, with its `sources` and its `feedback` as lists of rows.

    What the log keeps as JSON comes as the lists and objects that it stands for.
    """
    for row in _rows(conn, f"select * from {QUESTIONS} order by asked, id"):
        sources = _all(
            conn, f"select * from {SOURCES} where question_id = ? order by number", row["id"]
        )
        feedback = _all(
            conn, f"select * from {FEEDBACK} where question_id = ? order by id", row["id"]
        )
        yield {
            **parsed(row),
            "sources": [parsed(source) for source in sources],
            "feedback": feedback,
        }


def parsed(row: Row) -> Row:
    """The row with lists and objects in the place of the JSON that stands for them."""
    return {
        name: json.loads(value) if name in _JSON_COLUMNS else value for name, value in row.items()
    }


def _reply(row: Row) -> Reply:
    stages = ("keywords", "search", "answer", "total")
    return Reply(
        id=row["id"],
        question=row["question"],
        keywords=tuple(json.loads(row["keywords"])),
        keywords_from=row["keywords_from"],
        match=row["match"],
        outcome=row["outcome"],
        answer=row["answer"],
        answerer=row["answerer"],
        stop_reason=row["stop_reason"],
        error=ModelError(row["error_kind"], row["error"]) if row["error_kind"] else None,
        sources=(),
        checks=tuple(Check(**check) for check in json.loads(row["checks"])),
        tables=tuple(SearchedTable(**table) for table in json.loads(row["tables"])),
        models={"keywords": row["keyword_model"], "answer": row["answer_model"]},
        usage=Usage(row["input_tokens"], row["output_tokens"], row["cost_usd"]),
        timings_ms={stage: row[f"{stage}_ms"] or 0.0 for stage in stages},
        logged=True,
    )


def _source(row: Row) -> LoggedSource:
    return LoggedSource(
        number=row["number"],
        database=row["database"],
        table=row["table"],
        pks=tuple(json.loads(row["pks"])),
        title=row["title"],
        heading=row["heading"],
        date=row["date"],
        passage_hash=row["passage_hash"],
        cited=bool(row["cited"]),
        quotes=tuple((start, end) for start, end in json.loads(row["quotes"])),
    )


def _one(conn: sqlite3.Connection, sql: str, *values: Any) -> Row | None:
    return next(_rows(conn, sql, *values), None)


def _all(conn: sqlite3.Connection, sql: str, *values: Any) -> list[Row]:
    return list(_rows(conn, sql, *values))


def _rows(conn: sqlite3.Connection, sql: str, *values: Any) -> Iterator[Row]:
    cursor = conn.execute(sql, values)
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row))
