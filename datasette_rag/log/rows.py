"""A reply as rows of the log, and how rows get into it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..compat import Actor
from ..config import LogConfig
from ..events import Check, Reply, SearchedTable

Row = dict[str, Any]


@dataclass(frozen=True)
class LoggedSource:
    """A source as the log knows it: without its text, which stays in its row.

    `passage_hash` is the SHA-256 of the passage in hexadecimal.
    """

    number: int
    database: str
    table: str
    pks: tuple[str, ...]
    title: str
    heading: str
    date: str | None
    passage_hash: str
    cited: bool
    quotes: tuple[tuple[int, int], ...]


def passage_hash(passage: str) -> str:
    """What stands for a passage: its SHA-256 in hexadecimal."""
    return hashlib.sha256(passage.encode("utf-8", "replace")).hexdigest()


def question_row(
    reply: Reply, *, asked: datetime, topic: Iterable[str], actor_id: str | None
) -> Row:
    """The row of `rag_questions` for a reply.

    `asked` is when the question came, in UTC. `topic` are the question's own keywords:
    questions that have the same ones are counted together.
    """
    return {
        "id": reply.id,
        "asked": timestamp(asked),
        "question": storable(reply.question),
        "topic": storable(as_json(sorted({word.casefold() for word in topic}))),
        "keywords": storable(as_json(reply.keywords)),
        "keywords_from": reply.keywords_from,
        "match": storable(reply.match),
        "tables": storable(as_json([_table(table) for table in reply.tables])),
        "outcome": reply.outcome,
        "answer": storable(reply.answer),
        "answerer": reply.answerer,
        "stop_reason": reply.stop_reason,
        "error_kind": reply.error and reply.error.kind,
        "error": reply.error and reply.error.message,
        "checks": storable(as_json([_check(check) for check in reply.checks])),
        "checks_failed": sum(not check.ok for check in reply.checks),
        "keyword_model": reply.models["keywords"],
        "answer_model": reply.models["answer"],
        "input_tokens": reply.usage.input_tokens,
        "output_tokens": reply.usage.output_tokens,
        "cost_usd": reply.usage.cost_usd,
        **{
            f"{stage}_ms": reply.timings_ms.get(stage)
            for stage in ("keywords", "search", "answer", "total")
        },
        "actor_id": actor_id,
    }


def source_rows(reply: Reply) -> list[Row]:
    """The rows of `rag_question_sources` for a reply."""
    return [
        {
            "question_id": reply.id,
            "number": source.number,
            "database": source.database,
            "table": source.table,
            "pks": as_json(source.pks),
            "title": storable(source.title),
            "heading": storable(source.heading),
            "date": source.date,
            "passage_hash": passage_hash(source.passage),
            "cited": int(source.cited),
            "quotes": as_json([[quote.start, quote.end] for quote in source.quotes]),
        }
        for source in reply.sources
    ]


def logged_actor(actor: Actor, config: LogConfig) -> str | None:
    """The id that the log keeps of an actor: none, unless its owner wants it."""
    id = (actor or {}).get("id") if config.actor else None
    return storable(str(id)) if id else None


def insert(conn: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the same columns."""
    if rows:
        columns = ", ".join(f'"{name}"' for name in rows[0])
        marks = ", ".join(f":{name}" for name in rows[0])
        conn.executemany(f"insert into {table} ({columns}) values ({marks})", rows)


def timestamp(moment: datetime) -> str:
    """A time in UTC as the log has it, so that text sorts as time does."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def storable(text: str) -> str:
    """The text as UTF-8 can carry it: half a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _table(table: SearchedTable) -> Row:
    return {
        "database": table.database,
        "table": table.table,
        "status": table.status,
        "rows": table.rows,
        "query_url": table.query_url,
        "message": table.message,
    }


def _check(check: Check) -> Row:
    return {"name": check.name, "ok": check.ok, "message": check.message}


# JSON as the log has it. Made once: `json.dumps` makes an encoder with each call, and a question takes twenty.
as_json = json.JSONEncoder(ensure_ascii=False).encode
