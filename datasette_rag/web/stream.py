"""The event stream: the events of a question as they happen."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Request, Response

from ..events import (
    AnswerDelta,
    Check,
    Citation,
    Done,
    Event,
    Failed,
    Keywords,
    Sources,
)
from ..waiting import within
from .asking import BROKEN, client_leaves, events_of, stopped
from .json import (
    check_json,
    dumps,
    error_json,
    keywords_json,
    reply_json,
    source_json,
    table_json,
)
from .links import answer_url
from .markdown import GrowingAnswer
from .request import Receive, RequestError, asked_in, refuse_other_sites, scope_of
from .responses import api_headers, error_response

if TYPE_CHECKING:
    from datasette.app import Datasette

Send = Callable[[Mapping[str, Any]], Awaitable[None]]

# Proxies close connections that stay silent, many after a minute, some sooner.
HEARTBEAT_SECONDS = 15.0
STUCK_SECONDS = 20.0
# Up to so many characters an answer is rendered faster than a thread is called.
_LONG = 1_000
_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}


async def reply_as_stream(
    datasette: Datasette, request: Request, send: Send, receive: Receive
) -> Response | None:
    """Send the events of the request's question.

    Returns a response only where there is an error before the first event; otherwise the
    stream was sent, to its end or until the client went away, and None is returned.
    """
    try:
        refuse_other_sites(request)
        scope = scope_of(datasette, request)
        asked = await asked_in(datasette, request, receive)
    except RequestError as error:
        return error_response(datasette, error.status, error.message)
    events = events_of(datasette, request, scope, asked)
    stream = _Stream(datasette, send, {**api_headers(datasette), **_HEADERS})
    failed = await _pass_on(events, stream, receive)
    if failed is None:
        return None
    return error_response(datasette, failed.status, failed.message)


async def _pass_on(
    events: AsyncGenerator[Event, None], stream: _Stream, receive: Receive
) -> Failed | None:
    """Send the events until they end or the client goes away.

    Returns a failure that came first, while a plain response can still be sent.
    """
    waiting = _Waiting()
    # One task reads the events from first to last: a generator that is entered from several
    # tasks can't rely on its own time limits and context variables.
    reading = asyncio.create_task(_read(events, waiting))
    leaving = asyncio.create_task(client_leaves(receive))
    next_event = asyncio.create_task(waiting.get())
    try:
        while True:
            await asyncio.wait(
                {next_event, leaving},
                timeout=HEARTBEAT_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if leaving.done():
                return None
            if not next_event.done():
                await stream.comment("waiting")
                continue
            event = next_event.result()
            if isinstance(event, Failed) and not stream.started:
                return event
            began = time.monotonic()
            try:
                await within(STUCK_SECONDS, stream.event(event))
            except asyncio.TimeoutError:
                # It is there but does not read: it must not keep others from their answers.
                return None
            if isinstance(event, (Done, Failed)):
                await stream.end()
                return None
            # Of an answer that takes long to render no more than every other moment is spent
            # on that: it is sent in larger pieces.
            waiting.pause = time.monotonic() - began if isinstance(event, AnswerDelta) else 0.0
            next_event = asyncio.create_task(waiting.get())
    finally:
        await stopped(reading, leaving, next_event)


class _Waiting:
    """The events that were read and not sent yet; deltas that follow each other become one."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._some = asyncio.Event()
        self.pause = 0.0

    def put(self, event: Event) -> None:
        """Add one."""
        last = self._events[-1] if self._events else None
        if isinstance(event, AnswerDelta) and isinstance(last, AnswerDelta):
            self._events[-1] = AnswerDelta(last.text + event.text)
        else:
            self._events.append(event)
        self._some.set()

    async def get(self) -> Event:
        """The next one; a delta not before the pause is over."""
        await self._some.wait()
        if isinstance(self._events[0], AnswerDelta):
            await asyncio.sleep(self.pause)
        event = self._events.popleft()
        if not self._events:
            self._some.clear()
        return event


async def _read(events: AsyncGenerator[Event, None], waiting: _Waiting) -> None:
    """Read to the end, which is always one of the two that end a stream."""
    event: Event | None = None
    try:
        async with aclosing(events):
            async for event in events:
                waiting.put(event)
    finally:
        if not isinstance(event, (Done, Failed)):
            waiting.put(BROKEN)


class _Stream:
    """The wire: starts the response with the first thing that is sent."""

    def __init__(self, datasette: Datasette, send: Send, headers: Mapping[str, str]) -> None:
        self._datasette = datasette
        self._send = send
        self._headers = headers
        self._answer = GrowingAnswer(())
        self.started = False

    async def event(self, event: Event) -> None:
        """Send one event."""
        if isinstance(event, Sources):
            self._answer = GrowingAnswer([source.number for source in event.sources])
        name, data = await _event_json(self._datasette, event, self._answer)
        await self._write(f"event: {name}\ndata: {dumps(data)}\n\n")

    async def comment(self, text: str) -> None:
        """Send a line that clients skip."""
        await self._write(f": {text}\n\n")

    async def end(self) -> None:
        """End the response."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, text: str) -> None:
        if not self.started:
            self.started = True
            await self._send(
                {
                    "type": "http.response.start",
                    "status": 200,
                    "headers": [
                        (name.lower().encode("latin-1"), value.encode("latin-1"))
                        for name, value in self._headers.items()
                    ],
                }
            )
        await self._send(
            {"type": "http.response.body", "body": text.encode("ascii"), "more_body": True}
        )


async def _event_json(
    datasette: Datasette, event: Event, answer: GrowingAnswer
) -> tuple[str, dict[str, Any]]:
    """An event's name on the wire, and its data."""
    if isinstance(event, Keywords):
        return "keywords", keywords_json(event)
    if isinstance(event, Sources):
        return "sources", {
            "sources": [source_json(source) for source in event.sources],
            "tables": [table_json(table) for table in event.tables],
        }
    if isinstance(event, AnswerDelta):
        if len(answer.text) < _LONG:
            block, html = answer.add(event.text)
        else:
            # In a thread: it takes a while, and others wait for the event loop.
            block, html = await asyncio.to_thread(answer.add, event.text)
        return "delta", {"text": event.text, "block": block, "html": html}
    if isinstance(event, Citation):
        return "citation", {
            "number": event.number,
            "text": event.text,
            "start": event.start,
            "end": event.end,
        }
    if isinstance(event, Check):
        return "check", check_json(event)
    if isinstance(event, Done):
        url = answer_url(datasette, event.reply)
        return "done", await asyncio.to_thread(reply_json, event.reply, url)
    return "error", error_json(event.status, event.message)
