"""The server in a thread of its own: what a test does with it, and what it decides to answer."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from .connection import Connection
from .models import MODELS, RETIRED, model_info
from .recorded import Request
from .replies import Answer, Block, Reply, default_reply, failure, reply
from .rules import check_key, check_message, check_version
from .shapes import PARAMETERS, Refused

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

KEY = "sk-ant-stand-in"
MAX_BODY = 32 * 1024 * 1024
Kind = Literal["keywords", "answer"]


class ClaudeAPI:
    """The stand-in, from entering to leaving its context.

    `keys` are the valid keys, a set that a test may change: an emptied one revokes all.
    `retired` are models that are not there any more. `max_prompt_chars` makes longer prompts too long.
    `keep` is how many requests are remembered.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        keys: Iterable[str] = (KEY,),
        max_prompt_chars: int | None = None,
        default: Answer = default_reply,
        keep: int | None = None,
    ) -> None:
        self.keys = set(keys)
        self.key = next(iter(self.keys), "")
        self.retired: set[str] = set()
        self.max_prompt_chars = max_prompt_chars
        self.requests: list[Request] = []
        # The most connections that ever were open at once.
        self.most_connections = 0
        self.errors: list[Exception] = []
        self._default = default
        self._always: Answer = default
        self._queue: list[tuple[Kind | None, Answer]] = []
        self._port = port
        self._keep = keep
        self._connections: set[Connection] = set()
        self._lock = threading.Lock()

    # ---- what a test scripts

    def reply(self, *content: Block | Reply, to: Kind | None = None, **options: Any) -> None:
        """Answer the next call with this: blocks and fields of `Reply`, or a `Reply` made before.

        `to` waits for a call that asks for keywords (has an output format), or for an answer.
        """
        if len(content) == 1 and isinstance(content[0], Reply):
            self._queue_up(replace(content[0], **options), to)
        else:
            self._queue_up(reply(*content, **options), to)  # type: ignore[arg-type]

    def script(self, answers: Iterable[Answer] | Answer, to: Kind | None = None) -> None:
        """Answer the next calls with these, in order; one `Reply` or a function: every call."""
        if isinstance(answers, Reply) or callable(answers):
            with self._lock:
                before = self._always
                self._always = answers if to is None else _only(to, answers, before)
        else:
            for answer in answers:
                self._queue_up(answer, to)

    def reset(self) -> None:
        """Forget the script and what was recorded."""
        with self._lock:
            self._queue.clear()
            self._always = self._default
            self.requests.clear()
            self.errors.clear()

    @property
    def unused(self) -> int:
        """How many scripted answers nobody has asked for yet."""
        return len(self._queue)

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self._connections)

    @property
    def refused(self) -> list[Request]:
        """The requests that the API refused."""
        return [request for request in self.requests if request.refused]

    async def arrived(self, count: int = 1, within: float = 5.0) -> Request:
        """Wait until so many requests have arrived; the last of these."""
        end = time.monotonic() + within
        while len(self.requests) < count:
            if time.monotonic() > end:
                raise AssertionError(f"{len(self.requests)} of {count} requests in {within} s")
            await asyncio.sleep(0.002)
        return self.requests[count - 1]

    def _queue_up(self, answer: Answer, to: Kind | None) -> None:
        with self._lock:
            self._queue.append((to, answer))

    # ---- its life

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def client(self, **options: Any) -> AsyncAnthropic:
        """The real SDK's client of this server; without retries, so that a failure is seen."""
        # Here because importing it takes over a second, which benchmarks count elsewhere.
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

        given = {"api_key": self.key, "base_url": self.base_url, "max_retries": 0, "timeout": 5.0}
        if "http_client" not in options:
            # Certificates are of no use here, and loading them takes 50 ms. No proxies either.
            given["http_client"] = DefaultAsyncHttpxClient(verify=False, trust_env=False)
        return AsyncAnthropic(**{**given, **options})

    def __enter__(self) -> ClaudeAPI:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="claude-api", daemon=True
        )
        self._thread.start()
        starting = self._loop.create_server(
            lambda: Connection(self), "127.0.0.1", self._port, backlog=512
        )
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result(10)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
        # A mistake in a script would else look like a failure of the API, which tests expect.
        if self.errors and kind is None:
            raise self.errors[0]

    async def _stop(self) -> None:
        self._server.close()
        # A connection that is only just being accepted turns up while the others are closed.
        while self._connections or len(asyncio.all_tasks()) > 1:
            for connection in list(self._connections):
                connection.close(reset=True)
            await asyncio.sleep(0.001)

    # ---- what it answers; in the server's thread

    def connected(self, connection: Connection) -> None:
        self._connections.add(connection)
        self.most_connections = max(self.most_connections, self.connections)

    def disconnected(self, connection: Connection) -> None:
        self._connections.discard(connection)

    def record(self, request: Request) -> None:
        self.requests.append(request)
        if self._keep is not None and len(self.requests) > self._keep:
            del self.requests[0]

    def answer(self, request: Request) -> Reply:
        try:
            return self._route(request)
        except Refused as refused:
            request.refused = refused.message
            return failure(refused.status, refused.message)

    def _route(self, request: Request) -> Reply:
        path = request.path
        model = path.removeprefix("/v1/models/")
        method = "GET" if path == "/v1/models" or model != path else "POST"
        if method == "POST" and path not in PARAMETERS:
            raise Refused("Not found", 404)
        if request.method != method:
            raise Refused("Method Not Allowed", 405)
        check_key(request.headers, self.keys)
        check_version(request.headers)
        if method == "GET":
            return self._models(None if path == "/v1/models" else model)
        if len(request.content) > MAX_BODY:
            raise Refused("Request exceeds the maximum size", 413)
        if wrong := request.read_body():
            raise Refused(wrong)
        check_message(request, self.retired, self.max_prompt_chars)
        if path.endswith("/count_tokens"):
            return _plain({"input_tokens": max(1, request.characters // 4)})
        answer = self._next("keywords" if request.wants_json else "answer")
        return answer if isinstance(answer, Reply) else answer(request)

    def _models(self, name: str | None) -> Reply:
        gone = self.retired | RETIRED
        catalogue = [model_info(each, each in gone) for each in {**MODELS, **dict.fromkeys(gone)}]
        if name is None:
            ends = {"first_id": catalogue[0]["id"], "last_id": catalogue[-1]["id"]}
            return _plain({"data": catalogue, "has_more": False, **ends})
        found = [info for info in catalogue if info["id"] == name]
        if not found:
            raise Refused(f"model: {name}", 404)
        return _plain(found[0])

    def _next(self, kind: Kind) -> Answer:
        with self._lock:
            for place, (to, answer) in enumerate(self._queue):
                if to in (None, kind):
                    del self._queue[place]
                    return answer
            return self._always


def _only(to: Kind, answer: Answer, other: Answer) -> Callable[[Request], Reply]:
    """Answers one kind of call this way, and the other kind as before."""

    def answering(request: Request) -> Reply:
        chosen = answer if request.wants_json == (to == "keywords") else other
        return chosen if isinstance(chosen, Reply) else chosen(request)

    return answering


def _plain(value: Any) -> Reply:
    return Reply(body=json.dumps(value).encode())


@contextmanager
def refusing_port() -> Iterator[str]:
    """A base URL where every connection is refused."""
    # Bound but not listening, so that nobody else can take the port meanwhile.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
