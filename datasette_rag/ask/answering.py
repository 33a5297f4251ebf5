"""From sources to a checked answer, the answerer held to its promises: it may be anybody's."""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
import unicodedata
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from ..checks import run_checks
from ..config import Config
from ..events import (
    AnswerDelta,
    AnswerEnd,
    AnswerEvent,
    AnswerUsage,
    Citation,
    Event,
    ModelError,
    Source,
)
from ..text.clean import clean_piece
from ..waiting import within
from .state import State

logger = logging.getLogger("datasette_rag")

# What an answerer may take longer than the limit before it is stopped from outside.
GRACE_SECONDS = 2.0
# About twice what a brief answer has; rendering more would keep other visitors waiting.
MAX_ANSWER_CHARS = 10_000
ANSWERERS_OUTCOMES = ("answered", "unknown", "refused", "cut_off", "failed")
_MARK = re.compile(r"\[[0-9]+\]")


async def answered(config: Config, state: State) -> AsyncGenerator[Event, None]:
    """The answer, and what the checks say of it."""
    with state.timed("answer"):
        async with aclosing(_from_answerer(config, state)) as events:
            async for event in events:
                state.add(event)
                yield event
    says_unknown = state.end is not None and state.end.outcome == "unknown"
    # In a thread: a long answer takes a while, and others wait for the event loop.
    checks = await asyncio.to_thread(
        run_checks, state.answer, state.sources, says_unknown=says_unknown
    )
    state.checks = tuple(checks)
    for check in state.checks:
        yield check


async def _from_answerer(
    config: Config, state: State
) -> AsyncGenerator[AnswerDelta | Citation, None]:
    """What an answerer says, held to its promises: it may be anybody's, and what it says anything.

    It ends the state, be it with an end of its own, an error, or the time or the length that
    is allowed.
    """
    deadline = time.monotonic() + config.limits["seconds"] + GRACE_SECONDS
    said = ""
    error: ModelError | None = None
    used_before, state.place.used = state.place.used, True
    try:
        answering = state.answerer.answer(
            state.question,
            state.sources,
            keywords=state.unique_keywords,
            instructions=_instructions(config, state.sources),
        )
        async with aclosing(cast("AsyncGenerator[AnswerEvent, None]", answering)) as events:
            while True:
                try:
                    event = await within(deadline - time.monotonic(), anext(events))
                except StopAsyncIteration:
                    break
                if isinstance(event, AnswerEnd):
                    state.ended(_held(event, said))
                    if event.error is not None and event.error.kind == "no_key":
                        state.place.used = used_before
                    return
                if isinstance(event, AnswerUsage):
                    state.answer_usage = event
                elif isinstance(event, AnswerDelta):
                    text = clean_piece(event.text)[: MAX_ANSWER_CHARS - len(said)]
                    said += text
                    if text:
                        yield AnswerDelta(text)
                    if len(said) >= MAX_ANSWER_CHARS:
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
    state.ended(
        AnswerEnd(
            "cut_off" if said else "failed",
            None,
            state.answer_usage.model,
            state.answer_usage.usage,
            error,
        )
    )


def _held(end: AnswerEnd, said: str) -> AnswerEnd:
    """The end that an answerer gave, if all in it is what it should be.

    Raises ValueError or TypeError otherwise.
    """
    if end.outcome not in ANSWERERS_OUTCOMES:
        raise ValueError(f"no outcome of an answerer: {end.outcome}")
    for text in (end.stop_reason, end.model):
        if not isinstance(text, str | None):
            raise TypeError(f"expected text, got {type(text).__name__}")
    usage = end.usage
    numbers = (usage.input_tokens, usage.output_tokens, usage.cost_usd)
    if not all(isinstance(one, int | float) and 0 <= one < math.inf for one in numbers):
        raise ValueError(f"no usage: {numbers}")
    if end.error is not None:
        wait = end.error.retry_after
        if not (isinstance(end.error.kind, str) and isinstance(end.error.message, str)):
            raise TypeError("the kind and the message of an error are texts")
        if wait is not None and not 0 <= wait < math.inf:
            raise ValueError(f"no time to wait: {wait}")
    if end.outcome == "answered" and not _is_visible(said):
        empty = ModelError("empty", "The answer that came was empty.")
        return replace(end, outcome="failed", error=end.error or empty)
    return end


def _is_visible(answer: str) -> bool:
    """Whether there is more in an answer than marks and characters that nobody sees."""
    return any(
        unicodedata.category(character)[0] not in "CZ" for character in _MARK.sub("", answer)
    )


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
