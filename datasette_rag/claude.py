"""The one client of the Claude API, and what can go wrong with it in words.

The SDK is imported when the first question needs it: that takes over a second.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from datasette.utils import resolve_env_secrets

from . import compat
from .config import Config, load
from .events import ModelError, Outcome, Usage

if TYPE_CHECKING:
    from datasette.app import Datasette

logger = logging.getLogger("datasette_rag")

MAX_TRIES = 3
# A retry that the API wants later than this is left to the visitor.
LONGEST_WAIT_SECONDS = 8.0
# No event for so long, pings aside, and the stream is dead.
STALL_SECONDS = 30.0
CONNECT_SECONDS = 5.0
END_SECONDS = 0.2
LONGEST_RETRY_AFTER = 86_400.0
_KEY_VARIABLE = "ANTHROPIC_API_KEY"

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


class ClaudeFailure(Exception):
    """A call that gave nothing (more): with the outcome of the question and the reason."""

    def __init__(self, error: ModelError, outcome: Outcome = "failed") -> None:
        super().__init__(error.kind)
        self.error = error
        self.outcome = outcome


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


Part = Text | Cited | BlockEnd | End


def has_key(datasette: Datasette) -> bool:
    """Whether a key of the Claude API is set; it may still be a wrong one."""
    return bool(_key(load(datasette)))


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
    async with _opened(datasette, request, deadline, stream=False) as message:
        content = getattr(message, "content", None)
        if not isinstance(content, list):
            raise _no_message()
        usage = _usage(getattr(message, "usage", None))
        if message.stop_reason != "end_turn":
            raise ClaudeFailure(
                ModelError("stopped", f"The model stopped: {message.stop_reason}."), "cut_off"
            )
        return "".join(block.text for block in content if block.type == "text"), usage


async def stream(
    datasette: Datasette, request: Mapping[str, Any], deadline: float
) -> AsyncGenerator[Part, None]:
    """The parts of a message as they come, the last of them an End.

    Leaving the iteration closes the connection. Raises ClaudeFailure where the call fails,
    be it in the middle.
    """
    usage = Usage()
    stop_reason = None
    begun = complete = False
    async with _opened(datasette, request, deadline, stream=True) as events:
        iterator = aiter(events)
        while not complete:
            try:
                event = await _before(
                    anext(iterator), min(deadline, time.monotonic() + STALL_SECONDS)
                )
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
                # Read to its very end a connection can serve the next question.
                with suppress(Exception):
                    await _before(anext(iterator), time.monotonic() + END_SECONDS)
    if not begun:
        raise _no_message()
    yield End(stop_reason, usage)


async def close(datasette: Datasette) -> None:
    """Close the client, at the shutdown of Datasette."""
    kept: dict[str, Any] = compat.state(datasette, "claude", dict)
    client = kept.pop("client", None)
    for one in (*kept.pop("retired", []), *([client] if client else [])):
        await one.close()


def closed_at_shutdown(app: Any, datasette: Datasette) -> Any:
    """ASGI middleware that closes the client with the server (0.65 has no hook for it)."""

    async def app_with_close(scope: Any, receive: Any, send: Any) -> None:
        async def receive_and_close() -> Any:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                await close(datasette)
            return message

        await app(scope, receive_and_close if scope["type"] == "lifespan" else receive, send)

    return app_with_close


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
    return number if type(number) is int and number > 0 else 0


@asynccontextmanager
async def _opened(
    datasette: Datasette, request: Mapping[str, Any], deadline: float, *, stream: bool
) -> AsyncIterator[Any]:
    """Send the request, again where that can help, and translate every failure."""
    failures = _failures(await _sdk())
    kept: dict[str, Any] = compat.state(datasette, "claude", dict)
    reply: Any = None
    try:
        client = await _client(datasette)
        kept["calls"] = kept.get("calls", 0) + 1
    except failures as error:
        raise ClaudeFailure(_in_words(error, request["model"])) from error
    try:
        reply = await _sent(client, {**request, "stream": stream}, deadline)
        yield reply
    except ClaudeFailure:
        raise
    except failures as error:
        status = getattr(error, "status_code", None)
        if status in (401, 403) and kept.get("client") is client:
            # The key may be another one by the next question; others still use this client.
            kept.setdefault("retired", []).append(kept.pop("client"))
        if status is not None:
            # Not the error itself: what caused it can quote the key.
            said = str(getattr(error, "api_message", None) or "")[:300]
            logger.warning("The Claude API said %s to %s: %r", status, request["model"], said)
        raise ClaudeFailure(_in_words(error, request["model"])) from error
    finally:
        if stream and hasattr(reply, "close"):
            await reply.close()
        kept["calls"] -= 1
        if not kept["calls"]:
            for retired in kept.pop("retired", []):
                await retired.close()


async def _sent(client: Any, request: Mapping[str, Any], deadline: float) -> Any:
    sdk = await _sdk()
    for number in range(MAX_TRIES):
        try:
            return await _before(client.messages.create(**request), deadline)
        except (sdk.APIStatusError, sdk.APIConnectionError) as error:
            wait = _wait_before_retry(error, number)
            if (
                wait is None
                or number + 1 == MAX_TRIES
                or wait > LONGEST_WAIT_SECONDS
                or time.monotonic() + wait >= deadline
            ):
                raise
            await asyncio.sleep(wait)
    raise AssertionError("unreachable")


def _wait_before_retry(error: Exception, number: int) -> float | None:
    """Seconds to wait before the next try; None where another try can't help."""
    status = getattr(error, "status_code", None)
    if status is not None and status not in (408, 409, 429) and status < 500:
        return None
    asked_for = retry_after(error)
    return asked_for if asked_for is not None else 0.5 * 2**number


def retry_after(error: Exception) -> float | None:
    """The seconds that the API asks to wait, if it does."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return min(max(0.0, seconds), LONGEST_RETRY_AFTER)
    return None


async def _before(work: Any, deadline: float) -> Any:
    return await asyncio.wait_for(work, max(0.0, deadline - time.monotonic()))


async def _sdk() -> Any:
    return await asyncio.to_thread(_import_sdk)


def _import_sdk() -> Any:
    import anthropic

    return anthropic


def _failures(sdk: Any) -> tuple[type[BaseException], ...]:
    import httpx2

    # A stream that breaks raises the HTTP client's own errors; a reply that is not the
    # API's raises whatever its reading raises.
    return (
        sdk.AnthropicError,
        httpx2.HTTPError,
        httpx2.StreamError,
        httpx2.InvalidURL,
        RecursionError,
        asyncio.TimeoutError,
        TypeError,
        ValueError,
        AttributeError,
        AssertionError,
        OSError,
    )


async def _client(datasette: Datasette) -> Any:
    """The client of this process; another one where another event loop runs, as in tests."""
    kept: dict[str, Any] = compat.state(datasette, "claude", dict)
    loop = asyncio.get_running_loop()
    if kept.get("loop") is not loop:
        kept.clear()
        kept.update(loop=loop, lock=asyncio.Lock(), calls=0)
    async with kept["lock"]:
        if "client" in kept:
            return kept["client"]
        config = load(datasette)
        key = _key(config)
        if not key:
            raise ClaudeFailure(
                ModelError(
                    "no_key",
                    "Claude can't be asked: this site has no key for it, or one that can't be right. "
                    f"For its owner: set {_KEY_VARIABLE} or the setting api_key.",
                )
            )
        kept["client"] = await asyncio.to_thread(_new_client, key, config.api_base_url)
    return kept["client"]


def _new_client(key: str, base_url: str | None) -> Any:
    import httpx2

    sdk = _import_sdk()
    timeout = httpx2.Timeout(STALL_SECONDS, connect=CONNECT_SECONDS)
    return sdk.AsyncAnthropic(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        # Question and sources go to the configured address and nowhere that it points to.
        http_client=sdk.DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout),
    )


def _key(config: Config) -> str:
    reference = config.api_key or {"$env": _KEY_VARIABLE}
    try:
        key = resolve_env_secrets(dict(reference), os.environ)
    except (OSError, ValueError):
        return ""
    key = key.strip() if isinstance(key, str) else ""
    # Any other would be quoted in the error of the HTTP client that has to send it.
    return key if key.isascii() and key.isprintable() and " " not in key else ""


def _no_message() -> ClaudeFailure:
    return ClaudeFailure(
        ModelError(
            "bad_reply",
            "Claude could not be asked: what answered is not the Claude API. "
            "For the owner of this site: check the setting api_base_url.",
        )
    )


def _in_words(error: BaseException, model: str) -> ModelError:
    """What a failure means, for the visitor, and which setting its owner should look at."""
    status = getattr(error, "status_code", None)
    kind = getattr(error, "type", None)
    wait = retry_after(error) if isinstance(error, Exception) else None
    if isinstance(error, asyncio.TimeoutError) or type(error).__name__ in (
        "APITimeoutError",
        "ReadTimeout",
    ):
        return ModelError("timed_out", "Claude took too long.")
    if kind == "overloaded_error" or status == 529:
        return ModelError("overloaded", "Claude is overloaded at the moment.", wait)
    if status == 429:
        return ModelError("rate_limited", "Claude gets too many questions at the moment.", wait)
    if status == 401:
        return ModelError(
            "bad_key",
            "Claude did not accept this site's key. "
            f"For its owner: check {_KEY_VARIABLE} or the setting api_key.",
        )
    if status == 402:
        return ModelError(
            "billing", "Claude can't be asked. For the owner of this site: check its billing."
        )
    if status == 403:
        return ModelError(
            "no_permission",
            f"This site's key may not use {model}. For its owner: check the settings api_key, "
            "answer_model and keyword_model.",
        )
    if status == 404:
        return ModelError(
            "no_model",
            f"There is no model {model} (any more). For the owner of this site: check the "
            "settings answer_model, keyword_model and api_base_url.",
        )
    said = str(getattr(error, "api_message", None) or "").casefold()
    if status == 413 or (status == 400 and "too long" in said):
        return ModelError(
            "too_long",
            "The sources are too long for the model. For the owner of this site: lower the "
            "settings max_sources and max_chars.",
        )
    if status is not None and 300 <= status < 400:
        return _no_message().error
    if status is not None and 400 <= status < 500:
        return ModelError(
            "bad_request",
            f"Claude refused the request to {model}. For the owner of this site: check the "
            "settings answer_model and keyword_model; the log says more.",
        )
    if status is not None and status >= 500:
        return ModelError("api_error", "Claude has a problem of its own at the moment.", wait)
    if type(error).__name__ in ("APIConnectionError", "ConnectError") or isinstance(error, OSError):
        return ModelError(
            "unreachable",
            "Claude can't be reached. For the owner of this site: check the network and the "
            "setting api_base_url.",
        )
    if (
        isinstance(error, (TypeError, ValueError, AttributeError, AssertionError, RecursionError))
        or type(error).__name__ == "InvalidURL"
    ):
        return _no_message().error
    return ModelError("interrupted", "The connection to Claude broke.")
