"""Replies and errors as JSON, key by key."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

from datasette_rag.events import ModelError, Usage
from datasette_rag.web.json import dumps, error_json, reply_json


def test_a_reply(samples: Any) -> None:
    data = reply_json(samples.reply())
    html = data.pop("answer_html")
    assert html.startswith("<p>Late fees are <strong>5 EUR</strong> <a ")
    assert data == {
        "ok": True,
        "id": "abc",
        "question": "What are late fees?",
        "keywords": ["late", "fees"],
        "keywords_from": "question",
        "match": '"late" OR "fees"',
        "outcome": "answered",
        "answered": True,
        "answer": "Late fees are **5 EUR** [1].",
        "stop_reason": None,
        "error": None,
        "sources": [
            {
                "number": 1,
                "database": "docs",
                "table": "pages",
                "pks": ["7"],
                "title": "Fees & <b>fines</b>",
                "heading": "Money > Fees",
                "date": "2024-05-01",
                "passage": samples.passage,
                "score": 0.5,
                "url": "https://a.example/fees",
                "row_url": "/docs/pages/7",
                "cited": True,
                "quotes": [
                    {
                        "text": samples.quoted,
                        "start": samples.start,
                        "end": samples.start + len(samples.quoted),
                    }
                ],
            },
            {
                "number": 2,
                "database": "docs",
                "table": "pages",
                "pks": ["8"],
                "title": "",
                "heading": "",
                "date": None,
                "passage": "Nothing of note.",
                "score": 0.25,
                # It was javascript:, which whoever shows the JSON must not be handed.
                "url": None,
                "row_url": None,
                "cited": False,
                "quotes": [],
            },
        ],
        "checks": [{"name": "citations", "ok": True, "message": "every citation has a source"}],
        "tables": [
            {
                "database": "docs",
                "table": "pages",
                "status": "ok",
                "rows": 2,
                "query_url": "/docs/ask_pages?search=fees",
            },
            {
                "database": "docs",
                "table": "old",
                "status": "out_of_date",
                "rows": 0,
                "query_url": None,
                "message": "Rebuild the index of old.",
            },
        ],
        "models": {"keywords": None, "answer": None},
        "usage": {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0},
        "timings_ms": {"keywords": 1.0, "search": 2.0, "answer": 3.0, "total": 6.0},
    }


def test_a_search_alone_has_no_outcome(samples: Any) -> None:
    data = reply_json(samples.reply(outcome=None, answer="", answerer=None, checks=()))
    assert (data["outcome"], data["answered"], data["answer_html"]) == (None, False, "")


def test_an_answer_that_was_cut_off_is_one(samples: Any) -> None:
    assert reply_json(samples.reply(outcome="cut_off"))["answered"] is True


def test_what_the_limits_turned_away_is_not_ok(samples: Any) -> None:
    error = ModelError("limited", "Too many questions", 12.5)
    data = reply_json(samples.reply(outcome="limited", answer="", error=error))
    assert (data["ok"], data["answered"]) == (False, False)
    assert data["error"] == {
        "kind": "limited",
        "message": "Too many questions",
        "retry_after": 12.5,
    }


def test_usage(samples: Any) -> None:
    data = reply_json(samples.reply(usage=Usage(10, 20, 0.25)))
    assert data["usage"] == {"input_tokens": 10, "output_tokens": 20, "cost_usd": 0.25}


def test_numbers_that_json_does_not_know(samples: Any) -> None:
    source = replace(samples.first, score=math.nan)
    data = reply_json(samples.reply(sources=(source,), timings_ms={"total": math.inf}))
    assert data["sources"][0]["score"] is None
    assert data["timings_ms"] == {"total": None}


def test_text_that_no_encoding_can_carry(samples: Any) -> None:
    source = replace(samples.first, passage="a\ud800\x00\u2028</script>")
    text = dumps(reply_json(samples.reply(sources=(source,))))
    assert text.isascii()
    assert "\n" not in text
    assert json.loads(text)["sources"][0]["passage"] == source.passage


def test_an_error() -> None:
    assert error_json(404, "Not here") == {
        "ok": False,
        "error": "Not here",
        "errors": ["Not here"],
        "status": 404,
    }
