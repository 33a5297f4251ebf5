"""A reply as rows of the log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
        "topic": storable(_json(sorted({word.casefold() for word in topic}))),
        "keywords": storable(_json(reply.keywords)),
        "keywords_from": reply.keywords_from,
        "match": storable(reply.match),
        "tables": storable(_json([_table(table) for table in reply.tables])),
        "outcome": reply.outcome,
        "answer": storable(reply.answer),
        "answerer": reply.answerer,
        "stop_reason": reply.stop_reason,
        "error_kind": reply.error and reply.error.kind,
        "error": reply.error and reply.error.message,
        "checks": storable(_json([_check(check) for check in reply.checks])),
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
        "actor_id": actor_id and storable(actor_id),
    }


def source_rows(reply: Reply) -> list[Row]:
    """The rows of `rag_question_sources` for a reply."""
    return [
        {
            "question_id": reply.id,
            "number": source.number,
            "database": source.database,
            "table": source.table,
            "pks": _json(source.pks),
            "title": storable(source.title),
            "heading": storable(source.heading),
            "date": source.date,
            "passage_hash": passage_hash(source.passage),
            "cited": int(source.cited),
            "quotes": _json([[quote.start, quote.end] for quote in source.quotes]),
        }
        for source in reply.sources
    ]


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


# Made once: `json.dumps` makes an encoder with each call, and a question takes twenty.
_json = json.JSONEncoder(ensure_ascii=False).encode
