"""How much was asked, how it ended, what it cost: figures out of the log, by days in UTC."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from .schema import QUESTIONS

DAYS = 30
# What each outcome counts as; a question that was only searched has none.
_COUNTED_AS = {
    "answered": "answered",
    "cut_off": "answered",
    "unknown": "unknown",
    "nothing_found": "not_found",
    "nothing_searchable": "not_found",
    "refused": "refused",
    "failed": "failed",
    "limited": "limited",
    None: "search_only",
}


@dataclass(frozen=True)
class Figures:
    """Counts of questions by how they ended, the cost in dollars, the median time in ms.

    `asked` is the sum of all other counts. `median_ms` is None where nothing was timed.
    """

    asked: int = 0
    answered: int = 0
    unknown: int = 0
    not_found: int = 0
    refused: int = 0
    failed: int = 0
    limited: int = 0
    search_only: int = 0
    cost_usd: float = 0.0
    median_ms: float | None = None


@dataclass(frozen=True)
class Day:
    """How many questions came on one day (UTC)."""

    day: date
    asked: int


def figures(conn: sqlite3.Connection, now: datetime, days: int) -> Figures:
    """The figures of so many days (UTC), the day of `now` the last of them."""
    since = _first_day(now, days).isoformat()
    counts = dict.fromkeys(_COUNTED_AS.values(), 0)
    cost = 0.0
    for outcome, count, spent in conn.execute(
        f"select outcome, count(*), sum(cost_usd) from {QUESTIONS} where asked >= ? group by outcome",
        [since],
    ):
        counts[_COUNTED_AS[outcome]] += count
        cost += spent
    return Figures(
        asked=sum(counts.values()), **counts, cost_usd=cost, median_ms=_median_ms(conn, since)
    )


def per_day(conn: sqlite3.Connection, now: datetime, days: int = DAYS) -> list[Day]:
    """How many questions came on each of so many days (UTC), oldest first, none left out."""
    first = _first_day(now, days)
    counts = dict(
        conn.execute(
            f"select substr(asked, 1, 10) as day, count(*) from {QUESTIONS} "
            "where asked >= ? group by day",
            [first.isoformat()],
        )
    )
    every = (first + timedelta(days=number) for number in range(days))
    return [Day(day, counts.get(day.isoformat(), 0)) for day in every]


def _first_day(now: datetime, days: int) -> date:
    return now.date() - timedelta(days=days - 1)


def _median_ms(conn: sqlite3.Connection, since: str) -> float | None:
    """The middle of the times; of an even number of them the mean of the middle two."""
    timed = f"from {QUESTIONS} where asked >= ? and total_ms is not null"
    (count,) = conn.execute(f"select count(*) {timed}", [since]).fetchone()
    middle = conn.execute(
        f"select total_ms {timed} order by total_ms limit ? offset ?",
        [since, 2 - count % 2, max(0, count - 1) // 2],
    ).fetchall()
    return sum(ms for (ms,) in middle) / len(middle) if count else None
