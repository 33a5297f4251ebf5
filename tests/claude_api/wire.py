"""From a reply to the bytes of its body: the message, its events, and the pieces they are sent in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from .recorded import Request
from .replies import Block, Cite, Reply, Text, Thinking, ToolUse

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
MESSAGES = {
    "authentication_error": "invalid x-api-key",
    "billing_error": "Your credit balance is too low to access the Claude API.",
    "not_found_error": "Not found",
    "overloaded_error": "Overloaded",
    "rate_limit_error": "This request would exceed your organization's rate limit.",
    "request_too_large": "Request exceeds the maximum size",
}
_numbers = count(1)


class ScriptError(Exception):
    """What a test scripted can't be an answer to this request."""


@dataclass(frozen=True)
class Piece:
    """Bytes that are sent at once, and the seconds before."""

    data: bytes
    pause: float = 0.0


def error_body(reply: Reply, request_id: str) -> dict[str, Any]:
    """The error of a reply in the API's form."""
    status = 529 if reply.status == 200 else reply.status
    kind = reply.error_type or ERROR_TYPES.get(status, "api_error")
    error: dict[str, Any] = {
        "type": kind,
        "message": reply.error_message or MESSAGES.get(kind, f"A scripted error ({status})."),
    }
    if reply.error_details is not None:
        error["details"] = dict(reply.error_details)
    return {"type": "error", "error": error, "request_id": request_id}


def pieces(reply: Reply, request: Request, request_id: str) -> tuple[str, list[Piece]]:
    """The content type and the pieces of the body."""
    if reply.body is not None:
        kind, sent = reply.content_type, [Piece(reply.body)]
    elif reply.status != 200:
        kind, sent = "application/json", [_json(error_body(reply, request_id))]
    elif not request.stream:
        kind, sent = "application/json", [_json(message(reply, request))]
    else:
        kind = "text/event-stream; charset=utf-8"
        sent = _event_pieces(reply, request, request_id)
    # What is not a stream stalls before its one piece.
    if isinstance(reply.stall, int):
        sent = sent[: reply.stall if request.stream and reply.body is None else 0]
    if reply.split is not None:
        sent = _split(b"".join(piece.data for piece in sent), reply.split)
    return kind, sent


def _json(value: Any) -> Piece:
    return Piece(json.dumps(value, ensure_ascii=False).encode())


def _split(data: bytes, at: int | Sequence[int]) -> list[Piece]:
    places = range(at, len(data), at) if isinstance(at, int) else at
    bounds = [0, *sorted({place for place in places if 0 < place < len(data)}), len(data)]
    return [Piece(data[start:end]) for start, end in zip(bounds, bounds[1:])]


def _event_pieces(reply: Reply, request: Request, request_id: str) -> list[Piece]:
    said = list(events(reply, request))
    if reply.pings:
        said = [each for event in said for each in (event, ("ping", {"type": "ping"}))]
    if reply.unknown_events:
        unknown = ("message_mood", {"type": "message_mood", "mood": "fine"})
        said = [each for event in said for each in (event, unknown)]
    if reply.end_after is not None:
        said = said[: reply.end_after]
    if reply.error_after is not None:
        said = [*said[: reply.error_after], ("error", error_body(reply, request_id))]
    pause = 1 / reply.deltas_per_second if reply.deltas_per_second else 0.0
    return [
        Piece(
            encode(name, data, reply.newline),
            pause if name == "content_block_delta" else 0.0,
        )
        for name, data in said
    ]


def encode(name: str, data: Any, newline: str) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"event: {name}{newline}data: {text}{newline}{newline}".encode()


# ---- the message


def message(reply: Reply, request: Request) -> dict[str, Any]:
    """The message that a reply is, whole."""
    content = _content(reply, request)
    return {
        "id": f"msg_{next(_numbers):024d}",
        "type": "message",
        "role": "assistant",
        "model": reply.model or request.model,
        "content": content,
        "stop_reason": reply.stop_reason
        or ("tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"),
        "stop_sequence": reply.stop_sequence,
        "stop_details": reply.stop_details and dict(reply.stop_details),
        "usage": _usage(reply, request, content),
    }


def _content(reply: Reply, request: Request) -> list[dict[str, Any]]:
    return [_block(block, request) for block in reply.content]


def _block(block: Block, request: Request) -> dict[str, Any]:
    if isinstance(block, str):
        block = Text(block)
    if isinstance(block, Text):
        made: dict[str, Any] = {"type": "text", "text": block.text}
        if block.citations:
            made["citations"] = [citation(cite, request) for cite in block.citations]
        return made
    if isinstance(block, Thinking):
        return {"type": "thinking", "thinking": block.thinking, "signature": block.signature}
    if isinstance(block, ToolUse):
        return {
            "type": "tool_use",
            "id": f"toolu_{next(_numbers):024d}",
            "name": block.name,
            "input": dict(block.input),
        }
    return dict(block)


def citation(cite: Cite | Mapping[str, Any], request: Request) -> dict[str, Any]:
    """A citation in the API's form, its text and source taken from the request itself."""
    if not isinstance(cite, Cite):
        return dict(cite)
    results = request.search_results
    number, start = cite.result, cite.start
    if cite.find is not None:
        number, start = next(
            (
                (number, place)
                for number, result in enumerate(results)
                for place, part in enumerate(result["content"])
                if cite.find in part["text"]
            ),
            (-1, -1),
        )
    end = start + 1 if cite.end is None else cite.end
    if not (0 <= number < len(results) and 0 <= start < end <= len(results[number]["content"])):
        sizes = [len(result["content"]) for result in results]
        raise ScriptError(f"{cite} can't be cited: the search results have {sizes} blocks")
    result = results[number]
    if not (result.get("citations") or {}).get("enabled"):
        raise ScriptError(f"{cite} can't be cited: the request did not enable citations")
    return {
        "type": "search_result_location",
        "cited_text": "".join(part["text"] for part in result["content"][start:end]),
        "search_result_index": number,
        "source": result["source"],
        "title": result["title"],
        "start_block_index": start,
        "end_block_index": end,
    }


def _usage(reply: Reply, request: Request, content: list[dict[str, Any]]) -> dict[str, Any]:
    given = dict(reply.usage)
    thinking = given.pop("thinking_tokens", None)
    said = sum(len(str(block.get("text", block.get("input", "")))) for block in content)
    return {
        "input_tokens": max(1, request.characters // 4),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": max(1, said // 4),
        "output_tokens_details": None if thinking is None else {"thinking_tokens": thinking},
        "service_tier": "standard",
        **given,
    }


# ---- its events


def events(reply: Reply, request: Request) -> Sequence[tuple[str, Any]]:
    """The events of a stream, each with its name and data."""
    if reply.events is not None:
        return reply.events
    whole = message(reply, request)
    usage = whole["usage"]
    start = {
        **whole,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "stop_details": None,
        # What was put out is counted at the end; the beginning says one token, as the API does.
        "usage": {**usage, "output_tokens": 1, "output_tokens_details": None},
    }
    said: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for index, (block, source) in enumerate(zip(whole["content"], reply.content)):
        empty, deltas = _deltas(block, source, reply)
        said.append({"type": "content_block_start", "index": index, "content_block": empty})
        said += [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        ]
        said.append({"type": "content_block_stop", "index": index})
    stop = {key: whole[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    counted = {key: value for key, value in usage.items() if key != "service_tier"}
    said.append({"type": "message_delta", "delta": stop, "usage": counted})
    said.append({"type": "message_stop"})
    return [(event["type"], event) for event in said]


def _deltas(
    block: dict[str, Any], source: Block, reply: Reply
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it begins, and what is added to it."""
    size = reply.words_per_delta
    if block["type"] == "text":
        exact = source.deltas if isinstance(source, Text) else None
        parts = _parts(block["text"], size) if exact is None else exact
        deltas = [{"type": "text_delta", "text": part} for part in parts]
        cited = [
            {"type": "citations_delta", "citation": each} for each in block.get("citations", [])
        ]
        place = {"start": 0, "middle": len(deltas) // 2, "end": len(deltas)}[reply.cite_at]
        empty = {"type": "text", "text": "", **({"citations": []} if cited else {})}
        return empty, [*deltas[:place], *cited, *deltas[place:]]
    if block["type"] == "thinking":
        thought = _parts(block["thinking"], size)
        deltas = [{"type": "thinking_delta", "thinking": part} for part in thought]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {"type": "thinking", "thinking": "", "signature": ""}, deltas
    if block["type"] == "tool_use":
        text = source.json if isinstance(source, ToolUse) else None
        parts = _parts(json.dumps(block["input"]) if text is None else text, size)
        return {**block, "input": {}}, [
            {"type": "input_json_delta", "partial_json": part} for part in parts
        ]
    return block, []


def _parts(text: str, size: int) -> Sequence[str]:
    """A text in runs of so many words; nothing of it is lost."""
    words = re.findall(r"\s*\S+|\s+", text) if size else [text] if text else []
    return ["".join(words[at : at + size]) for at in range(0, len(words), size)] if size else words
