"""Messages of the Claude API: whole ones as text, streamed ones as typed parts."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..events import ModelError, Usage
from ..waiting import within
from .client import opened
from .failures import ClaudeFailure, no_message

if TYPE_CHECKING:
    from datasette.app import Datasette

# No event for so long, pings aside, and the stream is dead.
STALL_SECONDS = 30.0
END_SECONDS = 0.2

# How each family of models is told to think as little as it can, longest prefix first.
# Models that are not here get neither: unknown settings are refused.
_LEAST_THINKING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("claude-haiku-5-5", {"thinking": {"type": "disabled"}, "effort": "low"}),
    ("claude-sonnet-5-5", {"thinking": {"type": "between_tools"}, "effort": "low"}),
    ("claude-opus-5-5", {"effort": "low"}),
    ("claude-fable-5", {"effort": "low"}),
    ("claude-mythos-5", {"effort": "low"}),
    ("claude-sonnet-5", {"thinking": {"type": "disabled"}}),
)


@dataclass(frozen=True)
class Text:
    """Text that was added to the current block of the answer."""

    text: str


@dataclass(frozen=True)
class Cited:
    """The current block rests on blocks `start` to `end` (exclusive) of search result `result`."""

    result: int
    start: int
    end: int


@dataclass(frozen=True)
class BlockEnd:
    """The current block is complete."""


@dataclass(frozen=True)
class End:
    """The message is over: why (None if the stream just ended), and what it took."""

    stop_reason: str | None
    usage: Usage


Part = Text | Cited | BlockEnd | Usage | End


async def _events(reply: Any) -> AsyncGenerator[Any, None]:
    """The events of a reply; leaving them ends what the SDK has begun to read.

    It leaves that to the garbage collector otherwise, which can be at work in any thread.
    """
    events = aiter(reply)
    try:
        async for event in events:
            if getattr(event, "type", None) == "message_stop":
                # Read to its very end a connection can serve the next question.
                with suppress(Exception):
                    await within(END_SECONDS, anext(events))
            yield event
    finally:
        with suppress(Exception):
            await reply.close()
            await within(END_SECONDS, anext(events))


def least_thinking(model: str) -> dict[str, Any]:
    """The arguments of a request that make this model think as little as it can."""
    for prefix, settings in _LEAST_THINKING:
        if model.startswith(prefix):
            arguments = {key: value for key, value in settings.items() if key == "thinking"}
            if "effort" in settings:
                arguments["output_config"] = {"effort": settings["effort"]}
            return arguments
    return {}


async def text_reply(
    datasette: Datasette, request: Mapping[str, Any], deadline: float
) -> tuple[str, Usage]:
    """The text of a whole message.

    `deadline` is of `time.monotonic()`. Raises ClaudeFailure for anything but a text that
    ended by itself.
    """
    async with opened(datasette, request, deadline, stream=False) as message:
        content = getattr(message, "content", None)
        if not isinstance(content, list):
            raise no_message()
        usage = _usage(getattr(message, "usage", None))
        if message.stop_reason != "end_turn":
            raise ClaudeFailure(
                ModelError("stopped", f"The model stopped: {message.stop_reason}."),
                "cut_off",
                usage,
            )
        return "".join(block.text for block in content if block.type == "text"), usage


async def stream(
    datasette: Datasette, request: Mapping[str, Any], deadline: float
) -> AsyncGenerator[Part, None]:
    """The parts of a message as they come, the last of them an End.

    The first is the Usage of the prompt.

    Leaving the iteration closes the connection. Raises ClaudeFailure where the call fails,
    be it in the middle.
    """
    usage = Usage()
    stop_reason = None
    begun = complete = False
    async with (
        opened(datasette, request, deadline, stream=True) as reply,
        aclosing(_events(reply)) as events,
    ):
        while not complete:
            try:
                left = min(deadline - time.monotonic(), STALL_SECONDS)
                event = await within(left, anext(events))
            except StopAsyncIteration:
                break
            except Exception:
                if stop_reason is None:
                    raise
                # All was said; only the end of the connection is missing.
                break
            kind = getattr(event, "type", None)
            begun = True
            if kind == "message_start":
                usage = _usage(getattr(event.message, "usage", None))
                yield usage
            elif kind == "content_block_delta":
                part = _delta(event.delta)
                if part is not None:
                    yield part
            elif kind == "content_block_stop":
                yield BlockEnd()
            elif kind == "message_delta":
                stop_reason = event.delta.stop_reason
                output = getattr(getattr(event, "usage", None), "output_tokens", 0)
                usage = replace(usage, output_tokens=_count(output))
            elif kind == "message_stop":
                complete = True
    if not begun:
        raise no_message()
    yield End(stop_reason, usage)


def _delta(delta: Any) -> Part | None:
    kind = getattr(delta, "type", None)
    if kind == "text_delta" and isinstance(delta.text, str) and delta.text:
        return Text(delta.text)
    if kind == "citations_delta":
        citation = delta.citation
        if getattr(citation, "type", None) == "search_result_location":
            place = (
                citation.search_result_index,
                citation.start_block_index,
                citation.end_block_index,
            )
            if all(type(number) is int for number in place) and 0 <= place[1] < place[2]:
                return Cited(*place)
    return None


def _usage(usage: Any) -> Usage:
    # What was read from or written to the cache is part of the prompt too.
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Usage(
        sum(_count(getattr(usage, name, 0)) for name in names),
        _count(getattr(usage, "output_tokens", 0)),
    )


def _count(number: Any) -> int:
    # No prompt and no answer has a billion tokens.
    return number if type(number) is int and 0 < number < 1_000_000_000 else 0
