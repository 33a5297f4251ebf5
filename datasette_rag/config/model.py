"""What can be configured, as frozen dataclasses with the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Paid answers under way at once, paid answers a day (UTC), seconds that one may take.
DEFAULT_LIMITS: Mapping[str, int] = {"at_once": 4, "per_day": 200, "seconds": 60}

# The most that `max_keywords` may say.
MOST_KEYWORDS = 64
# Stands for the internal database where there is one, else for no log.
DEFAULT_LOG = "default"


@dataclass(frozen=True)
class LogConfig:
    """Where questions are logged, for how many days, and whether with the actor's id.

    `database` is `memory`, `internal` (Datasette 1.0's own), the name of an attached database
    or the path of a file that is the log's alone; None leaves the log off.
    """

    database: str | None
    days: int = 90
    actor: bool = False


@dataclass(frozen=True)
class TableConfig:
    """How one table is searched; every key may stand in its `plugins: datasette-rag:`."""

    search: bool = True
    instructions: str | None = None
    fts_table: str | None = None
    title: str | None = None
    columns: Mapping[str, float] | None = None
    url: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class DatabaseConfig:
    """What is set for a whole database."""

    search: bool = True
    instructions: str | None = None


@dataclass(frozen=True)
class Config:
    """The configuration of the whole plugin; DESIGN's "Configuration" names the keys."""

    # None stands for the free one, and on the command line for Claude where a key is set.
    answerer: str | None = None
    api_key: Mapping[str, str] | None = None
    api_base_url: str | None = None
    keyword_model: str = "claude-haiku-5-5"
    answer_model: str = "claude-sonnet-5-5"
    keyword_prompt: str | None = None
    instructions: str | None = None
    no_answer: str = "Nothing was found that answers this question."
    synonyms: tuple[tuple[str, ...], ...] = ()
    max_sources: int = 8
    max_chars: int = 10_000
    max_question_chars: int = 2_000
    max_keywords: int = 48
    examples: tuple[str, ...] = ()
    answer_on_get: bool = False
    allow: Any = None
    admin: Any = None
    log: LogConfig = LogConfig(DEFAULT_LOG)
    limits: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    databases: Mapping[str, DatabaseConfig] = field(default_factory=dict)
    tables: Mapping[tuple[str, str], TableConfig] = field(default_factory=dict)

    def table(self, database: str, table: str) -> TableConfig:
        """The configuration of one table, `search` of its database included."""
        of_database = self.databases.get(database)
        of_table = self.tables.get((database, table))
        if of_table is not None:
            return of_table
        if of_database is not None:
            return TableConfig(search=of_database.search)
        return TableConfig()
