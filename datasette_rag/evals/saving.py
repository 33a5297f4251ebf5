"""A finished run as rows of the log."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import fmean

from ..log.rows import Row, as_json, storable, timestamp
from .matching import label
from .runs import Result
from .significance import Interval


def run_rows(
    results: Sequence[Result],
    means: Mapping[str, tuple[Interval, int]],
    *,
    started: datetime,
    questions_from: str,
    databases: Sequence[str],
) -> tuple[Row, list[Row]]:
    """The row of `rag_eval_runs`, and those of `rag_eval_results`.

    Args:
        results: of all questions.
        means: what `runs.means` makes of them.
        started: when the run began, in UTC.
        questions_from: the name of the file or table of the questions.
        databases: the names of the databases that were asked.
    """
    id = uuid.uuid4().hex
    replies = [result.reply for result in results if result.reply is not None]
    run = {
        "id": id,
        "started": timestamp(started),
        "questions_from": storable(questions_from),
        "databases": storable(as_json(list(databases))),
        "questions": len(results),
        "answerer": next((one.answerer for one in replies if one.answerer), None),
        "answer_model": next(filter(None, (one.models["answer"] for one in replies)), None),
        "measures": as_json(
            {
                name: {**interval._asdict(), "questions": count}
                for name, (interval, count) in means.items()
            }
        ),
        "search_ms": _mean([result.ms for result in results if result.ms is not None]),
        "answer_ms": _mean([one.timings_ms["total"] for one in replies]),
        "input_tokens": sum(one.usage.input_tokens for one in replies),
        "output_tokens": sum(one.usage.output_tokens for one in replies),
        "cost_usd": sum(one.usage.cost_usd for one in replies),
    }
    return run, [_result_row(id, result) for result in results]


def _result_row(run_id: str, result: Result) -> Row:
    reply, searched = result.reply, result.searched or result.reply
    return {
        "run_id": run_id,
        "question_id": storable(result.question.id),
        "question": storable(result.question.question),
        "expected": storable(
            as_json({label(item): grade for item, grade in result.grades.items()})
        ),
        "found": storable(as_json([label(item) for item in result.found])),
        "measures": as_json(dict(result.measures)),
        "keywords": searched and storable(as_json(list(searched.keywords))),
        "match": searched and storable(searched.match),
        "search_ms": result.ms,
        "outcome": reply and reply.outcome,
        "answer": reply and storable(reply.answer),
        "failed_checks": reply
        and storable(as_json([check.message for check in reply.checks if not check.ok])),
        "answer_ms": reply and reply.timings_ms["total"],
        "cost_usd": reply and reply.usage.cost_usd,
    }


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
