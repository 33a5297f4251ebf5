"""Waiting with a time limit, so that a cancellation always gets through."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")

# What does not end although it was told to is left alone after so many seconds.
STUBBORN_SECONDS = 2.0


async def within(seconds: float | None, work: Awaitable[T]) -> T:
    """What `work` gives, if it does within so many seconds; None waits without limit.

    It runs in a task of its own, which is cancelled when the time is over or the caller is
    cancelled: a cancellation is never lost to a result that comes at the same moment, as it
    is in `asyncio.wait_for` before Python 3.12. Raises asyncio.TimeoutError when the time is
    over, and RuntimeError if `work` was cancelled by somebody else than the caller.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise asyncio.TimeoutError
        if task.cancelled():
            raise RuntimeError("what was waited for has been cancelled")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=STUBBORN_SECONDS)
        # Its exception knows this frame: without the way back both are gone at once, and with
        # them what they hold, and not whenever a thread happens to collect garbage.
        del task
