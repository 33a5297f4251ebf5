"""What a request must look like whatever its model: parameters, messages, blocks."""

from __future__ import annotations

from typing import Any

from .recorded import blocks

SAMPLING = ("temperature", "top_p", "top_k")
SHARED = frozenset(
    {
        "cache_control",
        "messages",
        "model",
        "output_config",
        "system",
        "thinking",
        "tool_choice",
        "tools",
        "user_profile_id",
    }
)
# What each endpoint takes at the top of its body.
PARAMETERS = {
    "/v1/messages": SHARED
    | {
        "container",
        "diagnostics",
        "inference_geo",
        "max_tokens",
        "metadata",
        "service_tier",
        "speed",
        "stop_sequences",
        "stream",
    },
    "/v1/messages/count_tokens": SHARED,
}
# For each type of block what it must have, and what else it may have.
BLOCKS: dict[str, tuple[str, str]] = {
    "text": ("text", "cache_control citations"),
    "search_result": ("source title content", "cache_control citations"),
    "document": ("source", "cache_control citations context title"),
    "image": ("source", "cache_control"),
    "thinking": ("thinking signature", ""),
    "redacted_thinking": ("data", ""),
    "tool_use": ("id name input", "cache_control caller"),
    "tool_result": ("tool_use_id", "cache_control content is_error"),
}


NAMES = {str: "string", list: "list", dict: "dictionary", int: "integer", bool: "boolean"}


class Refused(Exception):
    """The API would refuse this request, with this status and for this reason."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def expect(value: Any, kind: type, place: str) -> None:
    """Refuse a value of another type; a bool is no number here."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Refused(f"{place}: Input should be a valid {NAMES[kind]}")


def check_parameters(body: dict[str, Any], path: str, version: str) -> None:
    required: dict[str, type] = {"messages": list, "model": str}
    if path == "/v1/messages":
        required["max_tokens"] = int
    for name, kind in required.items():
        if name not in body:
            raise Refused(f"{name}: Field required")
        expect(body[name], kind, name)
    accepted = PARAMETERS[path]
    if version != "2026-10-21":
        accepted = accepted | set(SAMPLING)
    for name in body:
        if name == "output_format":
            raise Refused(
                "output_format: This field is deprecated. Use 'output_config.format' instead."
            )
        if name not in accepted:
            raise Refused(f"{name}: Extra inputs are not permitted")
    if body.get("max_tokens", 0) < 0:
        raise Refused("max_tokens: Input should be greater than or equal to 0")
    optional: dict[str, type] = {"stream": bool, "stop_sequences": list, "metadata": dict}
    for name in optional.keys() & body.keys():
        expect(body[name], optional[name], name)
    if "system" in body and not isinstance(body["system"], str):
        expect(body["system"], list, "system")
        for number, block in enumerate(body["system"]):
            _check_block(f"system.{number}", "system", block, only="text")


def check_messages(body: dict[str, Any]) -> None:
    if not body["messages"]:
        raise Refused("messages: at least one message is required")
    for number, message in enumerate(body["messages"]):
        place = f"messages.{number}"
        expect(message, dict, place)
        for name in ("role", "content"):
            if name not in message:
                raise Refused(f"{place}.{name}: Field required")
        for name in message.keys() - {"role", "content"}:
            raise Refused(f"{place}.{name}: Extra inputs are not permitted")
        if message["role"] not in ("user", "assistant", "system"):
            raise Refused(f"{place}.role: Input should be 'user', 'assistant' or 'system'")
        if not isinstance(message["content"], str):
            expect(message["content"], list, f"{place}.content")
            for place_in, block in enumerate(message["content"]):
                expect(block, dict, f"{place}.content.{place_in}")
        if not message["content"]:
            raise Refused(f"{place}: {message['role']} messages must have non-empty content")
    for place, role, block in blocks(body):
        _check_block(place, role, block)
    marked = [block for _, _, block in blocks(body) if block.get("cache_control")]
    for name in ("system", "tools"):
        parts = body.get(name)
        marked += [
            part
            for part in (parts if isinstance(parts, list) else [])
            if isinstance(part, dict) and part.get("cache_control")
        ]
    if len(marked) > 4:
        raise Refused(
            f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
        )


def _check_block(place: str, role: str, block: Any, only: str | None = None) -> None:
    expect(block, dict, place)
    kind = block.get("type")
    if kind not in BLOCKS or (only and kind != only):
        tags = only or ", ".join(BLOCKS)
        raise Refused(
            f"{place}: Input tag '{kind}' found using 'type' does not match any of the "
            f"expected tags: {tags}"
        )
    required, optional = (names.split() for names in BLOCKS[kind])
    for name in required:
        if block.get(name) is None:
            raise Refused(f"{place}.{kind}.{name}: Field required")
    for name in block.keys() - {"type", *required, *optional}:
        raise Refused(f"{place}.{kind}.{name}: Extra inputs are not permitted")
    if role == "assistant" and kind in ("document", "search_result"):
        raise Refused(f"{place}: `{kind}` blocks are not permitted in assistant messages")
    if kind == "text":
        expect(block["text"], str, f"{place}.text.text")
        if not block["text"].strip():
            raise Refused(f"{place}: text content blocks must contain non-whitespace text")
        if role != "assistant" and block.get("citations") is not None:
            raise Refused(f"{place}.text.citations: not permitted in {role} messages")
    if kind == "search_result":
        for name in ("source", "title"):
            expect(block[name], str, f"{place}.search_result.{name}")
            if not block[name].strip():
                raise Refused(f"{place}.search_result.{name}: must not be empty")
        expect(block["content"], list, f"{place}.search_result.content")
        if not block["content"]:
            raise Refused(f"{place}.search_result.content: at least one text block is required")
        for number, part in enumerate(block["content"]):
            _check_block(f"{place}.search_result.content.{number}", role, part, only="text")
    if kind in ("search_result", "document") and block.get("citations") is not None:
        expect(block["citations"], dict, f"{place}.{kind}.citations")
        if block["citations"].keys() - {"enabled"}:
            raise Refused(f"{place}.{kind}.citations: Extra inputs are not permitted")
