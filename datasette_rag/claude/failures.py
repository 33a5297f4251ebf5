"""What can go wrong with a call of the Claude API, in words for the visitor and the owner."""

from __future__ import annotations

import asyncio
import math
import time
from email.utils import parsedate_to_datetime
from typing import Any

from ..events import ModelError, Outcome, Usage

NOTHING_USED = Usage()
KEY_VARIABLE = "ANTHROPIC_API_KEY"
LONGEST_RETRY_AFTER = 86_400.0  # seconds


class ClaudeFailure(Exception):
    """A call that gave nothing (more): the outcome of the question, the reason, what it took."""

    def __init__(
        self, error: ModelError, outcome: Outcome = "failed", usage: Usage = NOTHING_USED
    ) -> None:
        super().__init__(error.kind)
        self.error = error
        self.outcome = outcome
        self.usage = usage


def retry_after(error: Exception) -> float | None:
    """The seconds that the API asks to wait, if it does."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                until = parsedate_to_datetime(value)
            except ValueError:
                continue
            seconds = until.timestamp() - time.time()
        if math.isfinite(seconds):
            return min(max(0.0, seconds), LONGEST_RETRY_AFTER)
    return None


def failures(sdk: Any) -> tuple[type[BaseException], ...]:
    """The exceptions that a call through the SDK can end with, because of the other side."""
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


def no_message() -> ClaudeFailure:
    """The failure of a call that something else than the Claude API has answered."""
    return ClaudeFailure(
        ModelError(
            "bad_reply",
            "Claude could not be asked: what answered is not the Claude API. "
            "For the owner of this site: check the setting api_base_url.",
        )
    )


def in_words(error: BaseException, model: str) -> ModelError:
    """What a failure means, for the visitor, and which setting its owner should look at."""
    status = getattr(error, "status_code", None)
    kind = getattr(error, "type", None)
    wait = retry_after(error) if isinstance(error, Exception) else None
    if (
        status == 408
        or isinstance(error, asyncio.TimeoutError)
        or type(error).__name__ in ("APITimeoutError", "ReadTimeout")
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
            f"For its owner: check {KEY_VARIABLE} or the setting api_key.",
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
        return no_message().error
    if status is not None and (status == 409 or status >= 500):
        return ModelError("api_error", "Claude has a problem of its own at the moment.", wait)
    if status is not None and 400 <= status < 500:
        return ModelError(
            "bad_request",
            f"Claude refused the request to {model}. For the owner of this site: check the "
            "settings answer_model and keyword_model; the log says more.",
        )
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
        return no_message().error
    return ModelError("interrupted", "The connection to Claude broke.")
