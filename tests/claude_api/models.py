"""The models that the stand-in knows, and what each of them accepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

EFFORTS = ("low", "medium", "high", "xhigh", "max")
THINKING = ("adaptive", "between_tools", "disabled", "enabled")


@dataclass(frozen=True)
class Model:
    """What one model accepts; the defaults are those of the newest ones."""

    name: str
    thinking: tuple[str, ...] = ("adaptive",)
    efforts: tuple[str, ...] = EFFORTS
    # With thinking turned off only these efforts are accepted.
    efforts_without_thinking: tuple[str, ...] = EFFORTS
    forced_tools: bool = True
    prefill: bool = False
    sampling: bool = False
    max_input_tokens: int = 1_000_000
    max_tokens: int = 128_000


UP_TO_HIGH = ("low", "medium", "high")
WITHOUT_XHIGH = ("low", "medium", "high", "max")

_MODELS = [
    Model("claude-fable-5-2", forced_tools=False),
    Model("claude-mythos-5-2", forced_tools=False),
    Model(
        "claude-haiku-5-5",
        thinking=("adaptive", "disabled"),
        efforts_without_thinking=UP_TO_HIGH,
    ),
    Model(
        "claude-sonnet-5-5",
        thinking=("adaptive", "between_tools"),
        efforts_without_thinking=UP_TO_HIGH,
        forced_tools=False,
    ),
    Model("claude-opus-5-5", forced_tools=False),
    Model("claude-fable-5-1", forced_tools=False),
    Model("claude-mythos-5-1", forced_tools=False),
    Model("claude-sonnet-5", thinking=("adaptive", "disabled")),
    Model("claude-fable-5"),
    Model("claude-mythos-5"),
    Model("claude-opus-5", thinking=("adaptive", "disabled")),
    Model("claude-opus-4-8", thinking=("adaptive", "disabled")),
    Model("claude-opus-4-7", thinking=("adaptive", "disabled")),
    *(
        Model(
            name,
            thinking=("adaptive", "disabled", "enabled"),
            efforts=WITHOUT_XHIGH,
            sampling=True,
        )
        for name in ("claude-opus-4-6", "claude-sonnet-4-6")
    ),
    *(
        Model(
            name,
            thinking=("disabled", "enabled"),
            efforts=UP_TO_HIGH if "opus" in name else (),
            prefill=True,
            sampling=True,
            max_input_tokens=200_000,
            max_tokens=64_000,
        )
        for name in (
            "claude-haiku-4-5",
            "claude-haiku-4-5-20251001",
            "claude-opus-4-5",
            "claude-opus-4-5-20251101",
        )
    ),
]
MODELS: dict[str, Model] = {model.name: model for model in _MODELS}

# Named in the catalogue still, but a call gets the 404 that an unknown model gets.
RETIRED = frozenset({"claude-mythos-preview", "claude-sonnet-4-5", "claude-sonnet-4-5-20250929"})
DEPRECATED = frozenset({"claude-opus-4-5", "claude-opus-4-5-20251101"})


def model_info(name: str, retired: bool = False) -> dict[str, Any]:
    """What `GET /v1/models/{id}` says about a model of the catalogue."""
    model = MODELS.get(name, Model(name))

    def supported(yes: bool) -> dict[str, Any]:
        return {"supported": yes}

    lifecycle = "retired" if retired else "deprecated" if name in DEPRECATED else "active"
    return {
        "type": "model",
        "id": name,
        "display_name": name.replace("-", " ").title(),
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": lifecycle,
        "deprecated_at": None if lifecycle == "active" else "2026-06-01T00:00:00Z",
        "retires_at": None if lifecycle == "active" else "2026-11-30T00:00:00Z",
        "max_input_tokens": model.max_input_tokens,
        "max_tokens": model.max_tokens,
        "capabilities": {
            **{
                name: supported(True)
                for name in ("batch", "citations", "image_input", "pdf_input", "structured_outputs")
            },
            "code_execution": supported(False),
            "context_management": supported(False),
            "server_tools": supported(False),
            "effort": {
                **supported(bool(model.efforts)),
                **{effort: supported(effort in model.efforts) for effort in EFFORTS},
            },
            "thinking": {
                **supported(True),
                "types": {kind: supported(kind in model.thinking) for kind in THINKING},
            },
        },
    }
