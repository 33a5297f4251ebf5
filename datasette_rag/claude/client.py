"""The one client of the Claude API: made with the first question, closed at shutdown.

The SDK is imported when the first question needs it: that takes over a second.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from datasette.utils import resolve_env_secrets

from .. import compat
from ..config import Config, load
from ..events import ModelError
from ..waiting import within
from .failures import KEY_VARIABLE, ClaudeFailure, failures, in_words, retry_after

if TYPE_CHECKING:
    from datasette.app import Datasette

logger = logging.getLogger("datasette_rag")

MAX_TRIES = 3
# A retry that the API wants later than this is left to the visitor.
LONGEST_WAIT_SECONDS = 8.0
CONNECT_SECONDS = 5.0
# Nothing received for so long, pings included, and the connection is dead.
READ_SECONDS = 30.0


def has_key(datasette: Datasette) -> bool:
    """Whether a key of the Claude API is set; it may still be a wrong one."""
    return bool(_key(load(datasette)))


async def close(datasette: Datasette) -> None:
    """Close the client, at the shutdown of Datasette."""
    kept: dict[str, Any] = compat.state(datasette, "claude", dict)
    client = kept.pop("client", None)
    for one in (*kept.pop("retired", []), *([client] if client else [])):
        await one.close()


@asynccontextmanager
async def opened(
    datasette: Datasette, request: Mapping[str, Any], deadline: float, *, stream: bool
) -> AsyncIterator[Any]:
    """Send the request, again where that can help, and translate every failure.

    `deadline` is of `time.monotonic()`; it holds for the beginning of the reply. Gives the
    SDK's message, or its stream of events. Raises ClaudeFailure.
    """
    known = failures(await import_sdk())
    kept: dict[str, Any] = compat.state(datasette, "claude", dict)
    reply: Any = None
    try:
        client = await _client(datasette)
        kept["calls"] = kept.get("calls", 0) + 1
    except known as error:
        raise ClaudeFailure(in_words(error, request["model"])) from error
    try:
        reply = await _sent(client, {**request, "stream": stream}, deadline)
        yield reply
    except ClaudeFailure:
        raise
    except known as error:
        status = getattr(error, "status_code", None)
        if status in (401, 403) and kept.get("client") is client:
            # The key may be another one by the next question; others still use this client.
            kept.setdefault("retired", []).append(kept.pop("client"))
        if status is not None:
            # Not the error itself: what caused it can quote the key, and so can what was said.
            said = str(getattr(error, "api_message", None) or "").replace(client.api_key, "…")
            kind = getattr(error, "type", None) or status
            logger.warning("The Claude API said %s to %s: %r", kind, request["model"], said[:300])
        raise ClaudeFailure(in_words(error, request["model"])) from error
    finally:
        if stream and hasattr(reply, "close"):
            await reply.close()
        kept["calls"] -= 1
        if not kept["calls"]:
            for retired in kept.pop("retired", []):
                await retired.close()


async def _sent(client: Any, request: Mapping[str, Any], deadline: float) -> Any:
    sdk = await import_sdk()
    for number in range(MAX_TRIES):
        try:
            reply = asyncio.ensure_future(client.messages.create(**request))
            try:
                return await within(deadline - time.monotonic(), reply)
            except BaseException:
                # It can have come at the very moment in which nobody waits for it any more.
                reply.add_done_callback(_close_unread)
                raise
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


def _close_unread(reply: asyncio.Future[Any]) -> None:
    if not reply.cancelled() and reply.exception() is None and hasattr(reply.result(), "close"):
        closing = asyncio.ensure_future(reply.result().close())
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)


# The event loop keeps no task alive by itself.
_closing: set[asyncio.Future[Any]] = set()


def _wait_before_retry(error: Exception, number: int) -> float | None:
    """Seconds to wait before the next try; None where another try can't help."""
    status = getattr(error, "status_code", None)
    if status is not None and status not in (408, 409, 429) and status < 500:
        return None
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    if headers.get("x-should-retry") == "false":
        return None
    asked_for = retry_after(error)
    return asked_for if asked_for is not None else 0.5 * 2**number


async def import_sdk() -> Any:
    """The SDK, imported when first asked for: that takes over a second."""
    return await asyncio.to_thread(_import_sdk)


def _import_sdk() -> Any:
    import anthropic

    return anthropic


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
                    f"For its owner: set {KEY_VARIABLE} or the setting api_key.",
                )
            )
        kept["client"] = await asyncio.to_thread(_new_client, key, config.api_base_url)
    return kept["client"]


def _new_client(key: str, base_url: str | None) -> Any:
    import httpx2

    sdk = _import_sdk()
    timeout = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    return sdk.AsyncAnthropic(
        api_key=key,
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        # Question and sources go to the configured address and nowhere that it points to.
        http_client=sdk.DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout),
    )


def _key(config: Config) -> str:
    reference = config.api_key or {"$env": KEY_VARIABLE}
    try:
        key = resolve_env_secrets(dict(reference), os.environ)
    except (OSError, ValueError):
        return ""
    key = key.strip() if isinstance(key, str) else ""
    # Any other would be quoted in the error of the HTTP client that has to send it.
    return key if key.isascii() and key.isprintable() and " " not in key else ""
