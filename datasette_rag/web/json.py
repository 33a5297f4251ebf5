"""Replies, their parts and errors as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ..events import Check, Keywords, ModelError, Reply, SearchedTable, Source
from .links import on_the_web
from .markdown import render


def dumps(data: Any) -> str:
    """JSON in ASCII, on one line."""
    return json.dumps(data, allow_nan=False, default=str)


def error_json(status: int, message: str) -> dict[str, Any]:
    """An error in Datasette 1.0's form."""
    return {"ok": False, "error": message, "errors": [message], "status": status}


def reply_json(reply: Reply, answer_url: str | None = None) -> dict[str, Any]:
    """The reply as DESIGN's "Reply" gives it.

    `answer_url` is where it can be read again, if it was logged.
    """
    numbers = [source.number for source in reply.sources]
    data: dict[str, Any] = {
        "ok": reply.ok,
        "id": reply.id,
        "question": reply.question,
        "keywords": list(reply.keywords),
        "keywords_from": reply.keywords_from,
        "match": reply.match,
        "outcome": reply.outcome,
        "answered": reply.answered,
        "answer": reply.answer,
        "answer_html": render(reply.answer, numbers),
        "stop_reason": reply.stop_reason,
        "error": _error_json(reply.error),
        "sources": [source_json(source) for source in reply.sources],
        "checks": [check_json(check) for check in reply.checks],
        "tables": [table_json(table) for table in reply.tables],
        "models": dict(reply.models),
        "usage": {
            "input_tokens": reply.usage.input_tokens,
            "output_tokens": reply.usage.output_tokens,
            "cost_usd": _finite(reply.usage.cost_usd),
        },
        "timings_ms": {stage: _finite(ms) for stage, ms in reply.timings_ms.items()},
    }
    if answer_url is not None:
        data["answer_url"] = answer_url
    return data


def logged_json(
    reply: Reply, answer_url: str, asked: str, freshness: Mapping[int, str]
) -> dict[str, Any]:
    """A reply out of the log: when it was asked, and how fresh each source is."""
    data = {**reply_json(reply, answer_url), "asked": asked}
    for source in data["sources"]:
        source["freshness"] = freshness[source["number"]]
    return data


def keywords_json(event: Keywords) -> dict[str, Any]:
    """The keywords and what was made of them."""
    return {
        "keywords": list(event.keywords),
        "keywords_from": event.keywords_from,
        "match": event.match,
    }


def source_json(source: Source) -> dict[str, Any]:
    """One source with its quotes."""
    return {
        "number": source.number,
        "database": source.database,
        "table": source.table,
        "pks": list(source.pks),
        "title": source.title,
        "heading": source.heading,
        "date": source.date,
        "passage": source.passage,
        "score": _finite(source.score),
        "url": on_the_web(source.url),
        "row_url": source.row_url,
        "cited": source.cited,
        "quotes": [
            {"text": quote.text, "start": quote.start, "end": quote.end} for quote in source.quotes
        ],
    }


def table_json(table: SearchedTable) -> dict[str, Any]:
    """What became of one table; `message` only where there is something to say."""
    data: dict[str, Any] = {
        "database": table.database,
        "table": table.table,
        "status": table.status,
        "rows": table.rows,
        "query_url": table.query_url,
    }
    if table.message:
        data["message"] = table.message
    return data


def check_json(check: Check) -> dict[str, Any]:
    """One finding about the answer."""
    return {"name": check.name, "ok": check.ok, "message": check.message}


def _error_json(error: ModelError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {
        "kind": error.kind,
        "message": error.message,
        "retry_after": _finite(error.retry_after),
    }


def _finite(number: float | None) -> float | None:
    """JSON has no NaN and no infinity."""
    return number if number is not None and math.isfinite(number) else None
