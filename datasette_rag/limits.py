"""How often, and for how much: a guard over answers that cost money, kept in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from . import compat
from .config import load
from .events import ModelError

if TYPE_CHECKING:
    from datasette.app import Datasette

BUSY_SECONDS = 10.0


class Limited(Exception):
    """No paid answer now; `error` says why and when to try again."""

    def __init__(self, error: ModelError) -> None:
        super().__init__(error.kind)
        self.error = error


@dataclass
class Place:
    """The place of one paid answer; one that no model was called for does not count."""

    used: bool = False


class Guard:
    """Counts the paid answers of this process: those under way, and those of the day (UTC)."""

    def __init__(self, at_once: int, per_day: int) -> None:
        self._at_once = at_once
        self._per_day = per_day
        self._under_way = 0
        self._day = ""
        self._today = 0

    @contextmanager
    def paid_answer(self, now: datetime) -> Iterator[Place]:
        """Take one answer's place for as long as the block runs.

        It counts for the day if the block says that it was used. Raises Limited if there is
        no place.
        """
        if now.date().isoformat() != self._day:
            self._day, self._today = now.date().isoformat(), 0
        if self._today >= self._per_day:
            midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
            raise Limited(
                ModelError(
                    "limited",
                    "This site has given all its answers by Claude for today.",
                    (midnight - now).total_seconds(),
                )
            )
        if self._under_way >= self._at_once:
            raise Limited(
                ModelError(
                    "limited", "Too many questions are being answered right now.", BUSY_SECONDS
                )
            )
        place, day = Place(), self._day
        self._today += 1
        self._under_way += 1
        try:
            yield place
        finally:
            self._under_way -= 1
            if not place.used and day == self._day:
                self._today -= 1


def guard(datasette: Datasette) -> Guard:
    """The guard of this instance."""
    limits = load(datasette).limits
    return compat.state(datasette, "guard", lambda: Guard(limits["at_once"], limits["per_day"]))


def now() -> datetime:
    """The time that a day's count goes by."""
    return datetime.now(timezone.utc)
