"""Put a request's question to `ask.py`, and wait for its reply where it is wanted whole."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import TYPE_CHECKING, TypeVar, cast

from datasette.utils.asgi import Request

from ..answerers.registry import FREE
from ..ask import ask
from ..config import load
from ..events import Done, Event, Failed
from .request import Asked, Receive, Scope

if TYPE_CHECKING:
    from datasette.app import Datasette

T = TypeVar("T")

logger = logging.getLogger(__name__)

_PREPARING = ("sec-purpose", "purpose", "x-purpose", "x-moz")

BROKEN = Failed(500, "Something went wrong while the question was answered")


async def events_of(
    datasette: Datasette, request: Request, scope: Scope, asked: Asked
) -> AsyncGenerator[Event, None]:
    """The events of a request's question, with the answerer that its method may use.

    The last one is always Done or Failed: an error inside is logged and becomes a plain 500.
    """
    events = ask(
        datasette,
        asked.question,
        actor=request.actor,
        keywords=asked.keywords,
        database=scope.database,
        table=scope.table,
        tables=asked.tables,
        answer=asked.answer,
        answerer=None if _may_cost(datasette, request) else FREE,
        log=request.method != "HEAD" and not _is_preparing(request),
    )
    try:
        async with aclosing(cast("AsyncGenerator[Event, None]", events)):
            async for event in events:
                yield event
                if isinstance(event, (Done, Failed)):
                    return
    except Exception:
        logger.exception("A question failed")
    yield BROKEN


async def while_connected(receive: Receive, work: Coroutine[None, None, T]) -> T | None:
    """Do the work, or stop it and return None when the client goes away."""
    task = asyncio.create_task(work)
    leaving = asyncio.create_task(client_leaves(receive))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        await stopped(task, leaving)


async def client_leaves(receive: Receive) -> None:
    """Return when the client has gone."""
    try:
        while (await receive())["type"] != "http.disconnect":
            pass
    except Exception:
        # A server that can't say whether the client is there has not said that it is gone.
        await asyncio.Event().wait()


async def stopped(*tasks: asyncio.Task[T] | asyncio.Task[None]) -> None:
    """Cancel the tasks and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _may_cost(datasette: Datasette, request: Request) -> bool:
    if request.method == "POST":
        return True
    return (
        request.method == "GET"
        and load(datasette).answer_on_get
        and not _is_preparing(request)
        # The page of another site has made the browser ask.
        and request.headers.get("sec-fetch-site") != "cross-site"
    )


def _is_preparing(request: Request) -> bool:
    """Whether a browser only prepares for a click: nobody has told it to ask."""
    return any(request.headers.get(name) for name in _PREPARING)
