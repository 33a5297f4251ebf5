"""What datasette rag eval prints: the table of measures, a question's lines, and all of it as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from ..evals.answers import ANSWER_MEASURES
from ..evals.matching import Item, Matcher, label
from ..evals.metrics import MEASURES
from ..evals.runs import Result
from ..evals.significance import Interval

Means = Mapping[str, tuple[Interval, int]]

_NAMES = {"hit": "hit rate", "mrr": "MRR", "ndcg": "nDCG", "map": "MAP", "not_found": "not found"}
_MOST_SHOWN = 5


def report(results: Sequence[Result], means: Means, matcher: Matcher, count: int) -> Iterator[str]:
    """The lines of the whole: what was asked, the measures with their intervals, the time."""
    searched = [result for result in results if result.ms is not None]
    answered = [result for result in results if result.reply is not None]
    yield f"{_count(count, 'question')}: {len(searched)} asked for what should be found" + (
        f", {len(answered)} for answers" if answered else ""
    )
    yield from _search_table(means)
    yield from _answer_table(means)
    times = [result.ms for result in results if result.ms is not None]
    yield "In brackets: the 95 % interval (bootstrap over the questions)."
    if times:
        yield (
            f"Search: {fmean(times):.0f} ms a question (median {median(times):.0f}, "
            f"slowest {max(times):.0f})"
        )
    yield from _answer_costs(results)
    yield from _warnings(results, matcher)


def result_lines(result: Result) -> Iterator[str]:
    """The lines of one question: what it expects and where that was found, and what else was."""
    yield result.question.question
    for item, grade in result.grades.items():
        rank = result.rank(item)
        of_grade = f" (grade {grade:g})" if set(result.grades.values()) != {1.0} else ""
        yield f"  {f'{rank:3}.' if rank else 'none'} {label(item)}{of_grade}"
    if result.ms is not None:
        first = [item for item in result.found[:3] if item not in result.grades]
        for item in first:
            yield f"  {result.rank(item):3}. {label(item)} (not expected)"
        yield f"       {result.ms:.0f} ms"
    if result.reply is not None:
        named = [name for name in ANSWER_MEASURES if name in result.measures]
        marks = [f"{_name(name)} {'yes' if result.measures[name] else 'NO'}" for name in named]
        yield f"       answer: {result.reply.outcome}; {', '.join(marks)}"
        if not all(result.measures[name] for name in named):
            yield f"       {' '.join(result.reply.answer.split())[:200]}"


def below(means: Means, bounds: Sequence[tuple[str, float]]) -> list[str]:
    """A line for each measure whose mean is lower than its bound, or is not known."""
    lines = []
    for name, least in bounds:
        if name not in means:
            lines.append(f"{name} is not known: no question tells of it")
        elif means[name][0].mean < least:
            lines.append(f"{name} is {means[name][0].mean:.4f}, lower than {least:g}")
    return lines


def as_json(
    results: Sequence[Result], means: Means, matcher: Matcher, count: int
) -> dict[str, Any]:
    """All of a run as what JSON has."""
    times = [result.ms for result in results if result.ms is not None]
    replies = [result.reply for result in results if result.reply is not None]
    return {
        "questions": count,
        "measures": {
            name: {**interval._asdict(), "questions": number}
            for name, (interval, number) in means.items()
        },
        "ms": {"mean": fmean(times), "median": median(times), "max": max(times)} if times else None,
        "usage": {
            "input_tokens": sum(reply.usage.input_tokens for reply in replies),
            "output_tokens": sum(reply.usage.output_tokens for reply in replies),
            "cost_usd": sum(reply.usage.cost_usd for reply in replies),
        },
        "missing": matcher.missing,
        "results": [_result_json(result) for result in results],
    }


def _result_json(result: Result) -> dict[str, Any]:
    reply = result.reply
    return {
        "id": result.question.id,
        "question": result.question.question,
        "expected": [
            {"item": label(item), "grade": grade, "rank": result.rank(item)}
            for item, grade in result.grades.items()
        ],
        "found": [label(item) for item in result.found],
        "measures": dict(result.measures),
        "ms": result.ms,
        "answer": reply
        and {
            "outcome": reply.outcome,
            "answer": reply.answer,
            "answerer": reply.answerer,
            "error": reply.error and reply.error.message,
            "failed_checks": [check.message for check in reply.checks if not check.ok],
            "cost_usd": reply.usage.cost_usd,
        },
        "troubles": list(result.troubles),
    }


def _search_table(means: Means) -> Iterator[str]:
    ks = list(dict.fromkeys(name.partition("@")[2] for name in means if "@" in name))
    if not ks:
        return
    yield ""
    yield "  ".join([" " * 9, *(f"{'@' + k:<19}" for k in ks)]).rstrip()
    for measure in MEASURES:
        cells = [f"{_cell(means[f'{measure}@{k}'][0]):<19}" for k in ks]
        yield "  ".join([f"{_name(measure):9}", *cells]).rstrip()
    yield ""


def _answer_table(means: Means) -> Iterator[str]:
    rows = [name for name in ANSWER_MEASURES if name in means]
    for name in rows:
        interval, number = means[name]
        yield f"{_name(name):9}  {_cell(interval)}  {ANSWER_MEASURES[name]} ({number})"
    if rows:
        yield ""


def _cell(interval: Interval) -> str:
    return f"{interval.mean:.3f} ({interval.low:.2f}–{interval.high:.2f})"


def _answer_costs(results: Sequence[Result]) -> Iterator[str]:
    replies = [result.reply for result in results if result.reply is not None]
    if not replies:
        return
    times = [reply.timings_ms["total"] for reply in replies]
    yield (
        f"Answers: {fmean(times):.0f} ms a question (median {median(times):.0f}, "
        f"slowest {max(times):.0f})"
    )
    usages = [reply.usage for reply in replies]
    if any(usage.input_tokens or usage.output_tokens for usage in usages):
        cost = sum(usage.cost_usd for usage in usages)
        yield (
            f"Tokens: {sum(usage.input_tokens for usage in usages)} in, "
            f"{sum(usage.output_tokens for usage in usages)} out; cost ${cost:.4f}, "
            f"${cost / len(usages):.4f} a question"
        )


def _warnings(results: Sequence[Result], matcher: Matcher) -> Iterator[str]:
    missing = [
        name for name in matcher.missing if not any(_is_found(name, result) for result in results)
    ]
    if missing:
        yield (
            f"Expected, but in none of the tables that are searched: {_some(missing)}. They count "
            "as not found"
        )
    troubles = list(dict.fromkeys(line for result in results for line in result.troubles))
    for line in troubles:
        number = sum(line in result.troubles for result in results)
        yield f"{line} ({_count(number, 'question')})"
    errors = [result.reply.error for result in results if result.reply and result.reply.error]
    for message in dict.fromkeys(error.message for error in errors):
        number = sum(error.message == message for error in errors)
        yield f"Not answered: {message} ({_count(number, 'question')})"


def _is_found(name: str, result: Result) -> bool:
    item: Item = ("title", name)
    return item in result.grades and item in result.found


def _name(measure: str) -> str:
    return _NAMES.get(measure, measure)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_SHOWN
    return ", ".join(names[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
