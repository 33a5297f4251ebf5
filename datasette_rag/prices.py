"""What models cost: a dated table, which the owner's `prices` override."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .events import Usage

# US dollars for a million tokens of input and output, as listed on this day.
PRICES_OF = "2026-11-30"
_LISTED: Mapping[str, tuple[float, float]] = {
    "claude-haiku-5-5": (0.10, 0.50),
    "claude-sonnet-5-5": (2.0, 10.0),
    "claude-opus-5-5": (4.0, 20.0),
    "claude-fable-5-2": (8.0, 40.0),
    "claude-fable-5-1": (10.0, 50.0),
    "claude-sonnet-5": (2.0, 10.0),
    "claude-haiku-4-5": (1.0, 5.0),
}
# From this many tokens of input on, the whole request of this model costs more.
_LONG_PROMPT = {"claude-haiku-5-5": (100_000, (0.50, 2.50))}
_DATE = re.compile(r"-[0-9]{8}\Z")


def cost_usd(model: str, usage: Usage, prices: Mapping[str, Any]) -> float:
    """What a call cost, in US dollars; 0 for a model whose price is not known.

    Args:
        model: the model's id; `-20251001` at its end does not count.
        usage: the tokens that the call took.
        prices: the owner's `{model: {input: …, output: …}}`, per million tokens.
    """
    price = _price(model, usage, prices)
    if price is None:
        return 0.0
    return (usage.input_tokens * price[0] + usage.output_tokens * price[1]) / 1_000_000


def _price(model: str, usage: Usage, prices: Mapping[str, Any]) -> tuple[float, float] | None:
    undated = _DATE.sub("", model)
    own = prices.get(model) or prices.get(undated)
    if own is not None:
        return own["input"], own["output"]
    listed = model if model in _LISTED else undated
    threshold, long_price = _LONG_PROMPT.get(listed, (None, None))
    if threshold is not None and usage.input_tokens > threshold:
        return long_price
    return _LISTED.get(listed)
