"""From sources to a checked answer, the answerer held to its promises: it may be anybody's."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import cast

from ..checks import run_checks
from ..config import Config
from ..events import AnswerDelta, AnswerEnd, AnswerEvent, Citation, Event, ModelError, Source
from ..text.clean import clean_piece
from .state import State

logger = logging.getLogger("datasette_rag")

# What an answerer may take longer than the limit before it is stopped from outside.
GRACE_SECONDS = 2.0
# About twice what a brief answer has; rendering more would keep other visitors waiting.
MAX_ANSWER_CHARS = 10_000
ANSWERERS_OUTCOMES = ("answered", "unknown", "refused", "cut_off", "failed")


async def answered(config: Config, state: State) -> AsyncGenerator[Event, None]:
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
    state.place.used = True
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
                    event = await _next(events, left)
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


async def _next(events: AsyncGenerator[AnswerEvent, None], seconds: float | None) -> AnswerEvent:
    """The next event, awaited in a task of its own: so what ends it can't be taken for our end.

    Raises asyncio.TimeoutError if it is not there in time.
    """
    task = asyncio.ensure_future(anext(events))
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise asyncio.TimeoutError
        if task.cancelled():
            raise RuntimeError("the answerer was cancelled by itself")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


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
