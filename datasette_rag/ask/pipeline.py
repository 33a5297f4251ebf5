"""The order of the stages of a question, held here and nowhere else."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import ExitStack, aclosing
from typing import TYPE_CHECKING, cast

from .. import permissions
from ..answerers.base import Answerer
from ..answerers.registry import answerers
from ..checks import run_checks
from ..claude import ClaudeFailure
from ..compat import Actor
from ..config import Config, load, nearest
from ..events import (
    AnswerDelta,
    AnswerEnd,
    AnswerEvent,
    Citation,
    Event,
    Failed,
    Keywords,
    KeywordsFrom,
    ModelError,
    Outcome,
    SearchedTable,
    Source,
    Sources,
)
from ..keywords.claude import keywords_by_claude
from ..keywords.clean import clean_keywords
from ..keywords.local import question_keywords
from ..keywords.synonyms import add_synonyms
from ..limits import Limited, guard, now
from ..retrieval.canned import query_names, searchable_by
from ..retrieval.catalogue import catalogue, searched_databases
from ..retrieval.match import match_query
from ..retrieval.retrieve import Retrieved, retrieve
from ..retrieval.tables import SearchableTable
from ..text.clean import clean, clean_piece
from .state import State

if TYPE_CHECKING:
    from datasette.app import Datasette

logger = logging.getLogger("datasette_rag")

MAX_KEYWORD_CHARS = 100
# Later than this Claude's keywords are not waited for: own words have found something by then.
KEYWORD_SECONDS = 4.0
# What an answerer may take longer than the limit before it is stopped from outside.
GRACE_SECONDS = 2.0
# About twice what a brief answer has; rendering more would keep other visitors waiting.
MAX_ANSWER_CHARS = 10_000
ANSWERERS_OUTCOMES = ("answered", "unknown", "refused", "cut_off", "failed")
FREE = "extractive"
CLAUDE = "claude"


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
) -> AsyncGenerator[Event, None]:
    """Run a question through the stages; `datasette_rag.ask` says what goes in and comes out."""
    config = load(datasette)
    refused = await _scope_refusal(datasette, actor, database, table, tables) or _question_refusal(
        question, config
    )
    if refused is not None:
        yield refused
        return
    question = _cleaned(question)
    searchable, unreadable = await _searchable(datasette, actor, database, table, tables)
    own, keywords_from = _own_keywords(question, keywords, config)
    # A search alone is free: nobody is asked for keywords either.
    chosen = _answerer(datasette, (answerer or config.answerer) if answer else FREE)
    state = State(question, own, keywords_from, chosen)
    with ExitStack() as places:
        # Nothing that costs money happens where there is nothing to search.
        if chosen.paid and searchable:
            try:
                places.enter_context(guard(datasette).paid_answer(now()))
            except Limited as limited:
                state.limited = limited.error
                state.answerer = answerers(datasette)[FREE]
        async with aclosing(
            _searched(datasette, actor, config, state, searchable, unreadable)
        ) as events:
            async for event in events:
                yield event
                if isinstance(event, Failed):
                    return
        if not state.sources or not answer:
            yield state.done(*_without_answer(state, bool(searchable or unreadable), config))
            return
        async with aclosing(_answered(config, state)) as events:
            async for event in events:
                yield event
        yield state.done()


async def _searched(
    datasette: Datasette,
    actor: Actor,
    config: Config,
    state: State,
    searchable: Sequence[SearchableTable],
    unreadable: Sequence[SearchedTable],
) -> AsyncGenerator[Event, None]:
    """Keywords and sources into the state; the search by the question's own words starts at once."""
    found: Retrieved | None = None
    with state.timed("keywords"):
        by_claude = (
            state.answerer.name == CLAUDE and state.keywords_from == "question" and searchable
        )
        if by_claude:
            found = await _worded_by_claude(datasette, actor, config, state, searchable)
        state.match = match_query(state.keywords)
    yield Keywords(state.unique_keywords, state.keywords_from, state.match)
    with state.timed("search"):
        if found is None and state.match and searchable:
            found = await _retrieve(datasette, actor, searchable, state.keywords, config)
        if state.match:
            state.sources = found.sources if found else ()
            state.tables = (*(found.tables if found else ()), *unreadable)
    if state.tables and all(one.status in ("error", "timed_out") for one in state.tables):
        yield _search_failed(state.tables)
        return
    yield Sources(state.sources, state.tables)


async def _worded_by_claude(
    datasette: Datasette,
    actor: Actor,
    config: Config,
    state: State,
    searchable: Sequence[SearchableTable],
) -> Retrieved | None:
    """Take Claude's keywords into the state; where they fail, give what own words found."""
    searching = asyncio.create_task(_retrieve(datasette, actor, searchable, state.keywords, config))
    try:
        words, usage = await keywords_by_claude(
            datasette,
            state.question,
            limit=config.max_keywords,
            max_chars=MAX_KEYWORD_CHARS,
            deadline=time.monotonic() + KEYWORD_SECONDS,
        )
    except ClaudeFailure as failure:
        logger.warning("Keywords by %s failed: %s", config.keyword_model, failure)
        return await searching
    except BaseException:
        searching.cancel()
        raise
    state.spent(usage)
    if not words:
        return await searching
    searching.cancel()
    state.keywords = add_synonyms(words, config.synonyms, limit=config.max_keywords)
    state.keywords_from = "claude"
    state.keyword_model = config.keyword_model
    return None


async def _answered(config: Config, state: State) -> AsyncGenerator[Event, None]:
    """The answer, and what the checks say of it."""
    with state.timed("answer"):
        async with aclosing(_from_answerer(config, state)) as events:
            async for event in events:
                state.add(event)
                yield event
    says_unknown = state.end is not None and state.end.outcome == "unknown"
    state.checks = tuple(run_checks(state.answer, state.sources, says_unknown=says_unknown))
    for check in state.checks:
        yield check


async def _from_answerer(
    config: Config, state: State
) -> AsyncGenerator[AnswerDelta | Citation, None]:
    """What an answerer says, held to its promises: it may be anybody's, and what it says anything.

    It ends the state, be it with an end of its own, an error, or the time or the length that
    is allowed.
    """
    seconds = config.limits["seconds"] + GRACE_SECONDS if state.answerer.paid else None
    deadline = None if seconds is None else time.monotonic() + seconds
    answering = state.answerer.answer(
        state.question,
        state.sources,
        keywords=state.unique_keywords,
        instructions=_instructions(config, state.sources),
    )
    said = 0
    error: ModelError | None = None
    try:
        async with aclosing(cast("AsyncGenerator[AnswerEvent, None]", answering)) as events:
            while True:
                left = None if deadline is None else max(0.0, deadline - time.monotonic())
                try:
                    event = await asyncio.wait_for(anext(events), left)
                except StopAsyncIteration:
                    break
                if isinstance(event, AnswerEnd):
                    if event.outcome not in ANSWERERS_OUTCOMES:
                        raise ValueError(f"no outcome of an answerer: {event.outcome}")
                    state.ended(event)
                    return
                if isinstance(event, AnswerDelta):
                    text = clean_piece(event.text)[: MAX_ANSWER_CHARS - said]
                    said += len(text)
                    if text:
                        yield AnswerDelta(text)
                    if said >= MAX_ANSWER_CHARS:
                        error = ModelError("too_long", "The answer was too long and ends here.")
                        break
                elif not isinstance(event, Citation):
                    raise TypeError(f"no event of an answerer: {type(event).__name__}")
                elif _is_exact(event, state.sources):
                    yield event
    except asyncio.TimeoutError:
        error = ModelError("timed_out", "The answer took too long.")
    except Exception:
        logger.exception("The answerer %s failed", state.answerer.name)
        error = ModelError("failed", "The answerer of this site failed. Its log says more.")
    state.ended(AnswerEnd("cut_off" if said else "failed", error=error))


def _is_exact(citation: Citation, sources: Sequence[Source]) -> bool:
    """Whether a citation is what the reply promises: an exact piece of a source's passage."""
    return isinstance(citation.start, int) and any(
        source.number == citation.number
        and 0 <= citation.start < citation.end
        and source.passage[citation.start : citation.end] == citation.text
        for source in sources
    )


def _instructions(config: Config, sources: Sequence[Source]) -> str | None:
    """The owner's words for an answer from these sources: of the site, of databases, of tables."""
    tables = dict.fromkeys((source.database, source.table) for source in sources)
    of_databases = {name: config.databases.get(name) for name, _ in tables}
    found = [
        config.instructions,
        *(
            f"For rows of {name}: {one.instructions}"
            for name, one in of_databases.items()
            if one and one.instructions
        ),
        *(
            f"For rows of {table}: {config.table(database, table).instructions}"
            for database, table in tables
            if config.table(database, table).instructions
        ),
    ]
    return "\n".join(filter(None, found)) or None


def _without_answer(
    state: State, anything_searchable: bool, config: Config
) -> tuple[Outcome | None, str]:
    """The outcome, and what is said instead of an answer, where no answerer was asked."""
    if not state.match:
        return "nothing_searchable", "There is no word in this question to search for."
    if not anything_searchable:
        return "nothing_searchable", "There is nothing here that can be searched."
    if not state.sources:
        return "nothing_found", config.no_answer
    return None, ""


def _answerer(datasette: Datasette, name: str) -> Answerer:
    known = answerers(datasette)
    if name not in known:
        raise ValueError(f"there is no answerer {name}{nearest(name, known)}")
    return known[name]


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


def _own_keywords(
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
