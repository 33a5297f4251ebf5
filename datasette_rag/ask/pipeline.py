"""The order of the stages of a question, held here and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import compat, permissions
from ..answerers.base import Answerer
from ..answerers.registry import FREE, answerers
from ..compat import Actor
from ..config import Config, load, nearest
from ..events import Done, Event, Failed, Outcome, SearchedTable
from ..limits import Limited, guard, now
from ..retrieval.tables import SearchableTable
from ..text.clean import clean
from .answering import answered
from .recording import record_left, recorded
from .searching import own_keywords, searchable_tables, searched
from .state import State

if TYPE_CHECKING:
    from datasette.app import Datasette


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
    log: bool = True,
    max_sources: int | None = None,
) -> AsyncGenerator[Event, None]:
    """Run a question through the stages; `datasette_rag.ask` says what goes in and comes out."""
    config = load(datasette)
    if max_sources is not None:
        config = replace(config, max_sources=max_sources, max_chars=sys.maxsize)
    refused = await _scope_refusal(datasette, actor, database, table, tables) or _question_refusal(
        question, config
    )
    if refused is not None:
        yield refused
        return
    question = _cleaned(question)
    searchable, unreadable = await searchable_tables(datasette, actor, database, table, tables)
    own, keywords_from = own_keywords(question, keywords, config)
    # A search alone is free: nobody is asked for keywords either.
    chosen = _answerer(datasette, (answerer or config.answerer or FREE) if answer else FREE)
    state = State(question, own, keywords_from, chosen)
    await compat.track_event(
        datasette, "asked", actor, database=database or "", table=table or "", answer=answer
    )
    ended = False
    stages = _stages(datasette, actor, config, state, searchable, unreadable, answer)
    try:
        async with aclosing(stages) as events:
            async for event in events:
                ended = isinstance(event, (Done, Failed))
                if isinstance(event, Done) and log:
                    event = Done(await recorded(datasette, event.reply, actor))
                yield event
    finally:
        if log and not ended and state.place.used:
            record_left(datasette, state, actor)


async def _stages(
    datasette: Datasette,
    actor: Actor,
    config: Config,
    state: State,
    searchable: Sequence[SearchableTable],
    unreadable: Sequence[SearchedTable],
    answer: bool,
) -> AsyncGenerator[Event, None]:
    """The stages of a question that may be asked, one after the other."""
    with ExitStack() as places:
        # Nothing that costs money happens where there is nothing to search.
        if state.answerer.paid and searchable:
            try:
                state.place = places.enter_context(guard(datasette).paid_answer(now()))
            except Limited as limited:
                state.limited = limited.error
                state.answerer = answerers(datasette)[FREE]
        async with aclosing(
            searched(datasette, actor, config, state, searchable, unreadable)
        ) as events:
            async for event in events:
                yield event
                if isinstance(event, Failed):
                    return
        if not state.sources or not answer:
            yield state.done(*_without_answer(state, bool(searchable or unreadable), config))
            return
        async with aclosing(answered(config, state)) as events:
            async for event in events:
                yield event
        yield state.done()


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
