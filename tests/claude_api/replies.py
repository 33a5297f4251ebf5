"""What the stand-in can be told to answer, and what it answers when it is told nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .recorded import Request


@dataclass(frozen=True)
class Cite:
    """A citation of blocks `start` up to `end` of one search result; the request has the rest.

    Without `end` it is one block. With `find` it is the first block that contains this text,
    in whichever search result it stands.
    """

    result: int = 0
    start: int = 0
    end: int | None = None
    find: str | None = None


@dataclass(frozen=True, init=False)
class Text:
    """A text block with its citations; a mapping as citation is sent as it is.

    A list instead of the text is streamed in exactly these deltas.
    """

    text: str
    citations: tuple[Cite | Mapping[str, Any], ...]
    deltas: tuple[str, ...] | None

    def __init__(self, text: str | Sequence[str], *citations: Cite | Mapping[str, Any]) -> None:
        whole = text if isinstance(text, str) else "".join(text)
        object.__setattr__(self, "text", whole)
        object.__setattr__(self, "citations", citations)
        object.__setattr__(self, "deltas", None if isinstance(text, str) else tuple(text))


@dataclass(frozen=True)
class Thinking:
    """A thinking block; its text is empty by default, as the API's own default shows it."""

    thinking: str = ""
    signature: str = "EqQBCgIYAhIM"


@dataclass(frozen=True)
class ToolUse:
    """A call of a tool. `json`, if given, is sent as the input's text: it may be cut off."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    json: str | None = None


Block = str | Text | Thinking | ToolUse | Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer: what it says, and how it travels. Made by `reply()` and the functions below.

    Events are counted as they are sent: `message_start` is the first, pings count.
    """

    # What it says. A mapping as block is sent as it is.
    content: tuple[Block, ...] = ()
    # None: "end_turn", or "tool_use" after a call of a tool.
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: Mapping[str, Any] | None = None
    # Laid over the counts that the stand-in makes up from the lengths; `thinking_tokens` too.
    usage: Mapping[str, int] = field(default_factory=dict)
    # None: the model that was asked for.
    model: str | None = None

    # Which events say it. One text_delta for so many words; 0: all of a block in one.
    words_per_delta: int = 1
    # Where a block's citations come among its text.
    cite_at: Literal["start", "middle", "end"] = "end"
    # After each event a ping, or an event of a type that nobody knows.
    pings: bool = False
    unknown_events: bool = False
    newline: Literal["\n", "\r\n", "\r"] = "\n"
    # Sent instead of all events above: names and data, str as it stands or an object as JSON.
    events: Sequence[tuple[str, Any]] | None = None
    # After so many events an `event: error` of the error below, and no more.
    error_after: int | None = None
    # After so many events the stream ends cleanly.
    end_after: int | None = None

    # An error instead of an answer: any status that is not 200.
    status: int = 200
    error_type: str | None = None
    error_message: str | None = None
    error_details: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    # Sent instead of the message or the error, streamed or not.
    body: bytes | None = None
    content_type: str = "application/json"

    # How it travels. Seconds before the headers, and between them and the first byte of the body.
    delay_headers: float = 0.0
    delay_body: float = 0.0
    # content_block_delta events a second; 0: all at once.
    deltas_per_second: float = 0.0
    # Sends nothing more, ever, instead of the headers, or after so many events.
    stall: Literal["headers"] | int | None = None
    # Closes the connection instead of sending headers, or after so many bytes of the body.
    cut: Literal["headers"] | int | None = None
    # Cuts by a reset (RST) instead of an ordinary close.
    reset: bool = False
    # The body in pieces of so many bytes, or cut at these places; then nothing is slowed down.
    split: int | Sequence[int] | None = None


Answer = Reply | Callable[[Request], Reply]


def reply(*content: Block, **options: Any) -> Reply:
    """An answer of these blocks; a string is a text block. `options` are the fields of `Reply`."""
    return Reply(content=content, **options)


def structured(value: Any, **options: Any) -> Reply:
    """An answer of JSON; a string is sent as it is, whether it is JSON or not."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return reply(text, **options)


def refusal(
    *partial: Block,
    category: str | None = "general_harms",
    explanation: str | None = "This request was refused.",
    **options: Any,
) -> Reply:
    """The model declines, after some text or before any; HTTP says 200."""
    details = {"type": "refusal", "category": category, "explanation": explanation}
    return reply(*partial, stop_reason="refusal", stop_details=details, **options)


def failure(
    status: int,
    message: str | None = None,
    *,
    error_type: str | None = None,
    retry_after: float | str | None = None,
    retry_after_ms: float | None = None,
    **options: Any,
) -> Reply:
    """An error with this status, in the API's form."""
    headers = dict(options.pop("headers", {}))
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    if retry_after_ms is not None:
        headers["retry-after-ms"] = str(retry_after_ms)
    return Reply(
        status=status, error_message=message, error_type=error_type, headers=headers, **options
    )


def html(
    text: str = "<!doctype html><title>Welcome</title><p>Not an API.", **options: Any
) -> Reply:
    """A web page with status 200, as a wrong base URL gives it."""
    return Reply(body=text.encode(), content_type="text/html; charset=utf-8", **options)


def redirect(location: str, status: int = 307) -> Reply:
    """Sends the client elsewhere."""
    return Reply(status=status, headers={"location": location}, body=b"")


# ---- what it answers when it is told nothing


def default_reply(request: Request) -> Reply:
    """Keywords where an output format is asked for, a cited answer where there are sources."""
    forced = request.body.get("tool_choice") or {}
    if request.schema is not None:
        return structured(fill(request.schema, words(request.last_user_text)))
    if forced.get("type") in ("tool", "any"):
        tools = request.body["tools"]
        tool = next((tool for tool in tools if tool["name"] == forced.get("name")), tools[0])
        return reply(
            ToolUse(tool["name"], fill(tool["input_schema"], words(request.last_user_text)))
        )
    content: list[Block] = []
    for number, result in enumerate(request.search_results[:2]):
        content += [" "] if content else []
        cited = (result.get("citations") or {}).get("enabled")
        content.append(Text(result["content"][0]["text"], *([Cite(number)] if cited else [])))
    return reply(*(content or ["Nothing was scripted, and there are no sources to quote."]))


def words(text: str) -> list[str]:
    """Up to five longer words of a text, as keywords."""
    found = re.findall(r"\w[\w.-]*\w", text.lower())
    kept = [word for word in found if len(word) > 3 and word not in STOP_WORDS]
    return list(dict.fromkeys(kept))[:5]


STOP_WORDS = frozenset(
    {"does", "from", "have", "that", "there", "this", "what", "when", "where", "which", "with"}
)


def fill(schema: Mapping[str, Any], words: list[str], root: Mapping[str, Any] | None = None) -> Any:
    """A value that follows the schema, made of these words."""
    root = schema if root is None else root
    if "$ref" in schema:
        definitions = root.get("$defs", root.get("definitions", {}))
        return fill(definitions[schema["$ref"].rpartition("/")[2]], words, root)
    for choice in ("anyOf", "allOf"):
        if choice in schema:
            return fill(schema[choice][0], words, root)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {
            name: fill(part, words, root) for name, part in schema.get("properties", {}).items()
        }
    if kind == "array":
        items = schema.get("items", {})
        plain = items.get("type") == "string" and "enum" not in items
        return words if plain else [fill(items, words, root)]
    return {"string": " ".join(words), "integer": 1, "number": 1.0, "boolean": True}.get(str(kind))
