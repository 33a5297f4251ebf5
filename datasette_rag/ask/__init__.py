"""The public Python API: a question in, a stream of events out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datasette.app import Datasette

    from ..compat import Actor
    from ..events import Event


async def ask(
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
    """Answer a question from the rows that `actor` may see, as a stream of events.

    `keywords` are searched instead of words of the question. `database`, and within it
    `table`, narrow the search to what is named; `tables` narrows it further to some
    (database, table) pairs. With `answer=False` nothing but the search is done.
    `answerer` names another answerer than the configured one, for example "extractive".
    With `log=False` the question is not logged. `max_sources` counts instead of the
    configured number; their length is not limited then.

    Yields `Keywords`, `Sources`, then `AnswerDelta` and `Citation` as the answer comes,
    `Check` for each finding, and last `Done` with the whole reply. Where nothing could be
    searched the last event is `Failed` instead.

    Raises ValueError for an unknown answerer.
    """
    # Imported with the first question: importing the plugin must stay fast.
    from .pipeline import run

    running = run(
        datasette,
        question,
        actor=actor,
        keywords=keywords,
        database=database,
        table=table,
        tables=tables,
        answer=answer,
        answerer=answerer,
        log=log,
        max_sources=max_sources,
    )
    async with aclosing(running) as events:
        async for event in events:
            yield event
