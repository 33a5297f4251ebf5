"""What the events of a question end in, for whoever wants the reply and not the way to it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from ..events import Done, Event, Failed, Reply


async def reply_to(events: AsyncGenerator[Event, None]) -> Reply | Failed | None:
    """The reply, or why there is none; None if the events just stop. Closes the events."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Done):
                return event.reply
            if isinstance(event, Failed):
                return event
    return None
