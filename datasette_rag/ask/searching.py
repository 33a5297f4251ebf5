"""From a question to its sources: the tables to search, the keywords, the search."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from .. import permissions
from ..claude import ClaudeFailure, import_sdk
from ..compat import Actor
from ..config import Config
from ..config.model import MOST_KEYWORDS
from ..events import Event, Failed, Keywords, KeywordsFrom, SearchedTable, Sources
from ..keywords.claude import keywords_by_claude
from ..keywords.clean import clean_keywords
from ..keywords.local import question_keywords
from ..keywords.synonyms import add_synonyms
from ..retrieval.canned import query_names, searchable_by
from ..retrieval.catalogue import catalogue, searched_databases
from ..retrieval.match import match_query
from ..retrieval.retrieve import Retrieved, retrieve
from ..retrieval.tables import SearchableTable
from .state import State

if TYPE_CHECKING:
    from datasette.app import Datasette

logger = logging.getLogger("datasette_rag")

MAX_KEYWORD_CHARS = 100
# Later than this Claude's keywords are not waited for: own words have found something by then.
KEYWORD_SECONDS = 4.0
CLAUDE = "claude"


@lru_cache(maxsize=32)
def own_words(question: str) -> tuple[str, ...]:
    """The question's own keywords, in their order: searched for, and logged as its topic.

    Kept for a moment, since both want them.
    """
    return tuple(question_keywords(question, limit=MOST_KEYWORDS, max_chars=MAX_KEYWORD_CHARS))


def own_keywords(
    question: str, given: Sequence[str] | None, config: Config
) -> tuple[list[str], KeywordsFrom]:
    if given:
        cleaned = clean_keywords(given, limit=config.max_keywords, max_chars=MAX_KEYWORD_CHARS)
        return cleaned, "asker"
    own = list(own_words(question)[: config.max_keywords])
    return add_synonyms(own, config.synonyms, limit=config.max_keywords), "question"


async def searchable_tables(
    datasette: Datasette,
    actor: Actor,
    database: str | None,
    table: str | None,
    only: Sequence[tuple[str, str]] | None,
) -> tuple[list[SearchableTable], list[SearchedTable]]:
    """The tables to search, and an entry for each database that can't be read at all."""
    tables: list[SearchableTable] = []
    unreadable: list[SearchedTable] = []
    for name in searched_databases(datasette):
        if database not in (None, name) or (only and name not in {pair[0] for pair in only}):
            continue
        try:
            wanted = [
                one
                for one in (await catalogue(datasette, name)).tables.values()
                if table in (None, one.table) and (not only or (name, one.table) in only)
            ]
            tables += await searchable_by(datasette, actor, wanted)
        except sqlite3.Error:
            if await permissions.refusal(datasette, actor, database=name) is None:
                message = f"The database {name} can't be read at the moment."
                unreadable.append(SearchedTable(name, "", "error", 0, None, message))
    return tables, unreadable


async def searched(
    datasette: Datasette,
    actor: Actor,
    config: Config,
    state: State,
    searchable: Sequence[SearchableTable],
    unreadable: Sequence[SearchedTable],
) -> AsyncGenerator[Event, None]:
    """Keywords and sources into the state; the search by the question's own words starts at once."""
    own = list(state.keywords)
    searching: asyncio.Task[Retrieved] | None = None
    if state.answerer.name == CLAUDE and state.keywords_from == "question" and searchable:
        searching = asyncio.create_task(_retrieve(datasette, actor, searchable, own, config))
    try:
        with state.timed("keywords"):
            if searching is not None:
                await _worded_by_claude(datasette, config, state)
            state.match = match_query(state.keywords)
        yield _keywords(state)
        found: Retrieved | None = None
        with state.timed("search"):
            if searching is not None and state.keywords_from == "question":
                found = await searching
            elif state.match and searchable:
                found = await _retrieve(datasette, actor, searchable, state.keywords, config)
            if searching is not None and found is not None and not found.sources:
                # What a model made of the question found nothing; its own words may.
                by_own_words = await searching
                if by_own_words.sources:
                    found = by_own_words
                    state.keywords, state.keywords_from = own, "question"
                    state.match = match_query(own)
                    yield _keywords(state)
            if state.match:
                state.sources = found.sources if found else ()
                state.tables = (*(found.tables if found else ()), *unreadable)
    finally:
        if searching is not None:
            searching.cancel()
    if state.tables and all(one.status in ("error", "timed_out") for one in state.tables):
        yield _search_failed(state.tables)
        return
    yield Sources(state.sources, state.tables)


def _keywords(state: State) -> Keywords:
    return Keywords(state.unique_keywords, state.keywords_from, state.match)


async def _worded_by_claude(datasette: Datasette, config: Config, state: State) -> None:
    """Take Claude's keywords into the state; where they fail, it keeps the question's own."""
    try:
        await import_sdk()
        words, usage = await keywords_by_claude(
            datasette,
            state.question,
            limit=config.max_keywords,
            max_chars=MAX_KEYWORD_CHARS,
            deadline=time.monotonic() + KEYWORD_SECONDS,
        )
    except ClaudeFailure as failure:
        logger.warning("Keywords by %s failed: %s", config.keyword_model, failure)
        state.spent(failure.usage)
        state.place.used |= failure.error.kind != "no_key"
        return
    state.place.used = True
    state.spent(usage)
    if words:
        state.keywords = add_synonyms(words, config.synonyms, limit=config.max_keywords)
        state.keywords_from = "claude"
        state.keyword_model = config.keyword_model


async def _retrieve(
    datasette: Datasette,
    actor: Actor,
    tables: Sequence[SearchableTable],
    keywords: Sequence[str],
    config: Config,
) -> Retrieved:
    names: dict[tuple[str, str], str] = {}
    for database in {table.database for table in tables}:
        try:
            of_database: Mapping[str, str] = await query_names(datasette, database, actor)
        except sqlite3.Error:
            # The search of its tables says what is wrong, and has no address to give.
            continue
        names.update({(database, table): name for table, name in of_database.items()})
    return await retrieve(
        datasette,
        tables,
        keywords,
        max_sources=config.max_sources,
        max_chars=config.max_chars,
        query_names=names,
    )


def _search_failed(tables: Sequence[SearchedTable]) -> Failed:
    if all(table.status == "timed_out" for table in tables):
        return Failed(500, "The search took longer than this site allows; ask with fewer words")
    return Failed(500, "The search failed: the database or its index can't be read")
