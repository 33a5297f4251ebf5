"""The order of the stages of a question, held here and nowhere else."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import permissions
from ..answerers.base import Answerer
from ..answerers.extractive import ExtractiveAnswerer
from ..checks import run_checks
from ..compat import Actor
from ..config import Config, load
from ..events import (
    AnswerEnd,
    Event,
    Failed,
    Keywords,
    KeywordsFrom,
    SearchedTable,
    Sources,
)
from ..keywords.clean import clean_keywords
from ..keywords.local import question_keywords
from ..keywords.synonyms import add_synonyms
from ..retrieval.canned import query_names, searchable_by
from ..retrieval.match import match_query
from ..retrieval.retrieve import Retrieved, retrieve
from ..retrieval.tables import SearchableTable, catalogue, searched_databases
from ..text.clean import clean
from .state import State

if TYPE_CHECKING:
    from datasette.app import Datasette

MAX_KEYWORD_CHARS = 100


async def run(
    datasette: Datasette,
    question: str,
    *,
    actor: Actor = None,
    keywords: Sequence[str] | None = None,
    database: str | None = None,
    table: str | None = None,
    tables: Sequence[tuple[str, str]] | None = None,
    answer: bool = True,
    answerer: str | None = None,
) -> AsyncIterator[Event]:
    """Run a question through the stages; `datasette_rag.ask` says what goes in and comes out."""
    config = load(datasette)
    started = time.perf_counter()
    refused = await _scope_refusal(datasette, actor, database, table, tables) or _question_refusal(
        question, config
    )
    if refused is not None:
        yield refused
        return
    question = _cleaned(question)
    words, keywords_from = _keywords(question, keywords, config)
    state = State(question, words, keywords_from, match_query(words))
    state.took("keywords", started)
    yield Keywords(state.unique_keywords, keywords_from, state.match)

    searching = time.perf_counter()
    searchable, unreadable = await _searchable(datasette, actor, database, table, tables)
    if not state.match or not (searchable or unreadable):
        state.took("search", searching)
        yield Sources((), ())
        message = (
            "There is no word in this question to search for."
            if not state.match
            else "There is nothing here that can be searched."
        )
        yield state.done(started, "nothing_searchable", message)
        return
    found = await _retrieve(datasette, actor, searchable, words, config)
    state.sources = found.sources
    state.tables = (*found.tables, *unreadable)
    state.took("search", searching)
    if state.tables and all(one.status in ("error", "timed_out") for one in state.tables):
        yield _search_failed(state.tables)
        return
    yield Sources(state.sources, state.tables)
    if not state.sources:
        yield state.done(started, "nothing_found", config.no_answer)
        return
    if not answer:
        yield state.done(started, None, "")
        return

    answering = time.perf_counter()
    chosen = _answerer(answerer or config.answerer)
    state.answerer = chosen.name
    async for event in chosen.answer(
        question,
        state.sources,
        keywords=state.unique_keywords,
        instructions=config.instructions,
    ):
        if isinstance(event, AnswerEnd):
            state.end = event
        else:
            state.add(event)
            yield event
    state.took("answer", answering)
    state.checks = tuple(
        run_checks(state.answer, state.sources, says_unknown=state.end.outcome == "unknown")
    )
    for check in state.checks:
        yield check
    yield state.done(started, state.end.outcome, state.answer)


def _cleaned(question: str) -> str:
    """The question on one line, without characters that nobody types."""
    return " ".join(clean(question).split())


def _question_refusal(question: str, config: Config) -> Failed | None:
    if not isinstance(question, str) or not _cleaned(question):
        return Failed(400, "Ask a question: the parameter question is missing or empty")
    if len(question) > config.max_question_chars:
        return Failed(
            400,
            f"The question is too long: {len(question)} characters, "
            f"{config.max_question_chars} are allowed",
        )
    return None


async def _scope_refusal(
    datasette: Datasette,
    actor: Actor,
    database: str | None,
    table: str | None,
    tables: Sequence[tuple[str, str]] | None,
) -> Failed | None:
    refused = await permissions.refusal(datasette, actor, database=database, table=table)
    for pair in tables or ():
        if refused is not None:
            break
        refused = await permissions.refusal(datasette, actor, database=pair[0], table=pair[1])
    return refused


def _keywords(
    question: str, given: Sequence[str] | None, config: Config
) -> tuple[list[str], KeywordsFrom]:
    if given:
        cleaned = clean_keywords(given, limit=config.max_keywords, max_chars=MAX_KEYWORD_CHARS)
        return cleaned, "asker"
    own = question_keywords(question, limit=config.max_keywords, max_chars=MAX_KEYWORD_CHARS)
    return add_synonyms(own, config.synonyms, limit=config.max_keywords), "question"


async def _searchable(
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


def _answerer(name: str) -> Answerer:
    answerers: dict[str, Any] = {ExtractiveAnswerer.name: ExtractiveAnswerer}
    return answerers[name]()
