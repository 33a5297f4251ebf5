"""Waiting with a time limit loses no cancellation, whatever happens at the same moment."""

from __future__ import annotations

import asyncio
import time

import pytest

from datasette_rag import waiting
from datasette_rag.waiting import within

pytestmark = pytest.mark.asyncio


async def test_the_result_and_the_error():
    async def fails():
        raise KeyError("x")

    assert await within(1, asyncio.sleep(0, "done")) == "done"
    assert await within(None, asyncio.sleep(0, "done")) == "done"
    with pytest.raises(KeyError):
        await within(1, fails())


@pytest.mark.parametrize("seconds", [0.05, 0, -1])
async def test_the_limit(seconds):
    ended = asyncio.Event()

    async def long():
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with pytest.raises(asyncio.TimeoutError):
        await within(seconds, long())
    assert ended.is_set() or seconds <= 0


async def test_a_cancellation_at_the_moment_of_the_result():
    result = asyncio.get_running_loop().create_future()
    reached = []

    async def work():
        await within(60, result)
        reached.append("after")

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    result.set_result(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reached == []


async def test_what_cancels_itself_is_an_error_and_no_cancellation():
    async def cancels_itself():
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError):
        await within(1, cancels_itself())


async def test_what_does_not_end_is_left_alone(monkeypatch):
    monkeypatch.setattr(waiting, "STUBBORN_SECONDS", 0.05)

    async def stubborn():
        while True:
            try:
                await asyncio.sleep(0.5)
                return
            except asyncio.CancelledError:
                pass

    began = time.monotonic()
    with pytest.raises(asyncio.TimeoutError):
        await within(0.01, stubborn())
    assert time.monotonic() - began < 0.4
    await asyncio.sleep(0.6)
