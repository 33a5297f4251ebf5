"""What the stand-in remembers of a request, and when what happened to it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any


class Moment:
    """Something that happens at most once; true once it has, and says when.

    It happens in the server's thread, so a test can wait for it in a thread or in any event loop.
    """

    def __init__(self) -> None:
        self.time: float | None = None
        self._event = threading.Event()

    def __bool__(self) -> bool:
        return self._event.is_set()

    def __repr__(self) -> str:
        return f"<Moment {'not yet' if self.time is None else f'{self.time:.3f}'}>"

    def happen(self) -> None:
        """Say that it happened now; only the first time counts."""
        if not self._event.is_set():
            self.time = time.monotonic()
            self._event.set()

    def wait(self, seconds: float) -> bool:
        """Block this thread until it happened; false if it has not in so many seconds."""
        return self._event.wait(seconds)

    async def within(self, seconds: float) -> bool:
        """Wait until it happened without blocking the loop; false if it has not in time."""
        # Polled: an asyncio event belongs to one loop, and nobody knows which one waits here.
        end = time.monotonic() + seconds
        while not self and time.monotonic() < end:
            await asyncio.sleep(0.002)
        return bool(self)


class Request:
    """One request as it arrived. Times are of `time.monotonic()`."""

    def __init__(
        self, number: int, connection: int, method: str, path: str, headers: dict[str, str]
    ) -> None:
        self.number = number
        # Requests with the same number came over the same connection.
        self.connection = connection
        self.method = method
        self.path = path
        # Names in lower case.
        self.headers = headers
        self.content = b""
        # The parsed JSON object; empty where the body is none.
        self.body: dict[str, Any] = {}
        self.time = time.monotonic()
        # What was sent: the status (0 while nothing was), the bytes of the body.
        self.status = 0
        self.bytes_sent = 0
        # Why the API would refuse this request, if it would.
        self.refused: str | None = None
        # The client went away before it had the whole reply.
        self.disconnected = Moment()
        # The whole reply, or what the script allows of it, was handed to the socket.
        self.finished = Moment()

    def __repr__(self) -> str:
        said = f" refused: {self.refused}" if self.refused else ""
        return f"<Request {self.number} {self.method} {self.path} {self.model} {self.status}{said}>"

    def read_body(self) -> str | None:
        """Parse the body; what is wrong with it, or nothing."""
        try:
            body = json.loads(self.content)
        except ValueError as error:
            return f"The request body is not valid JSON: {error}"
        if not isinstance(body, dict):
            return "Input should be a valid dictionary or object to extract fields from"
        self.body = body
        return None

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def stream(self) -> bool:
        return self.body.get("stream") is True

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that the output has to follow, if there is one."""
        config = self.body.get("output_config")
        form = config.get("format") if isinstance(config, dict) else None
        return form.get("schema") if isinstance(form, dict) else None

    @property
    def wants_json(self) -> bool:
        return self.schema is not None

    @property
    def search_results(self) -> list[dict[str, Any]]:
        """The sources, in the order that citations count them in."""
        return [block for _, _, block in blocks(self.body) if block.get("type") == "search_result"]

    @property
    def system(self) -> str:
        """The text of the system prompt."""
        return "\n".join(texts(self.body.get("system")))

    @property
    def last_user_text(self) -> str:
        """The last text that the user sent, which is the question; sources are not it."""
        said = [
            block["text"]
            for _, role, block in blocks(self.body)
            if role == "user" and block.get("type") == "text" and isinstance(block.get("text"), str)
        ]
        return said[-1] if said else ""

    @property
    def characters(self) -> int:
        """How long the prompt is: all that the model reads."""
        prompt = [*texts(self.body.get("system"))]
        for _, _, block in blocks(self.body):
            prompt += [str(block.get(key, "")) for key in ("title", "source", "text")]
            prompt += texts(block["content"]) if block.get("type") == "search_result" else []
        prompt += [json.dumps(self.body[key]) for key in ("tools",) if key in self.body]
        return sum(map(len, prompt))


def texts(content: Any) -> list[str]:
    """The texts of what may be a string or a list of text blocks."""
    if isinstance(content, str):
        return [content]
    return [
        block["text"]
        for block in (content if isinstance(content, list) else [])
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]


def blocks(body: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """All content blocks of the messages with their place and role, those in tool results too.

    A string is given as the one text block that it stands for.
    """
    messages = body.get("messages")
    for number, message in enumerate(messages if isinstance(messages, list) else []):
        if isinstance(message, dict):
            role = str(message.get("role"))
            yield from _blocks(f"messages.{number}.content", role, message.get("content"))


def _blocks(place: str, role: str, content: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if isinstance(content, str):
        yield place, role, {"type": "text", "text": content}
        return
    for number, block in enumerate(content if isinstance(content, list) else []):
        if isinstance(block, dict):
            yield f"{place}.{number}", role, block
            if block.get("type") == "tool_result":
                yield from _blocks(f"{place}.{number}.content", role, block.get("content"))
