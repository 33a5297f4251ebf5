"""The event stream: its events, its headers, and what stops it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from datasette_rag.events import Failed
from datasette_rag.web import stream
from datasette_rag.web.json import reply_json

BODY = b"question=What+are+late+fees%3F"


def parse(text: str) -> list[tuple[str, Any]]:
    """The events of a stream; comments are left out."""
    found = []
    assert text.endswith("\n\n")
    for block in text[:-2].split("\n\n"):
        if not block.startswith(":"):
            name, data = block.split("\n")
            assert name.startswith("event: ") and data.startswith("data: ")
            found.append((name[7:], json.loads(data[6:])))
    return found


async def post(datasette: Any, path: str = "/-/ask/stream", **arguments: Any) -> Any:
    return await datasette.client.post(path, data={"question": "a"}, **arguments)


class Client:
    """A client at the level of ASGI, which can stay, wait and leave."""

    def __init__(self, datasette: Any, path: str = "/-/ask/stream") -> None:
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._left = asyncio.Event()
        self._asked = False
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(b"content-type", b"application/x-www-form-urlencoded")],
        }
        self.task = asyncio.create_task(datasette.app()(scope, self._receive, self.sent.put))

    async def _receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": BODY, "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def next(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.sent.get(), 5)

    def leave(self) -> None:
        self._left.set()


class SlowCore:
    """Asks like the core, but stops after the sources until it is let go on or cancelled."""

    def __init__(self, events: list[Any], stop_after: int) -> None:
        self.events = events
        self.stop_after = stop_after
        self.go_on = asyncio.Event()
        self.outcome: str | None = None

    async def ask(self, *_: Any, **__: Any) -> Any:
        try:
            for index, event in enumerate(self.events):
                if index == self.stop_after:
                    await self.go_on.wait()
                yield event
        except asyncio.CancelledError:
            self.outcome = "cancelled"
            raise


@pytest.mark.asyncio
async def test_events(site: Any, core: Any, samples: Any) -> None:
    response = await post(site())
    assert response.status_code == 200
    events = parse(response.text)
    # Two deltas that are there at once are sent as one.
    assert [name for name, _ in events] == [
        "keywords",
        "sources",
        "delta",
        "citation",
        "check",
        "done",
    ]
    data = dict(events)
    whole = json.loads(json.dumps(reply_json(samples.reply())))
    assert data["keywords"] == {
        "keywords": ["late", "fees"],
        "keywords_from": "question",
        "match": '"late" OR "fees"',
    }
    assert data["sources"] == {"sources": whole["sources"], "tables": whole["tables"]}
    assert data["citation"] == {
        "number": 1,
        "text": samples.quoted,
        "start": samples.start,
        "end": samples.start + len(samples.quoted),
    }
    assert data["check"] == whole["checks"][0]
    assert data["done"] == whole
    deltas = [data for name, data in events if name == "delta"]
    assert "".join(delta["text"] for delta in deltas) == whole["answer"]
    assert deltas[-1]["block"] == 0
    assert deltas[-1]["html"] == whole["answer_html"]
    assert core.call["answerer"] is None


@pytest.mark.asyncio
async def test_headers(site: Any, core: Any) -> None:
    response = await post(site())
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache, no-transform"
    assert response.headers["x-accel-buffering"] == "no"
    assert "access-control-allow-origin" not in response.headers
    assert (await post(site(cors=True))).headers["access-control-allow-origin"] == "*"


@pytest.mark.asyncio
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_only_a_post_streams(site: Any, core: Any, method: str) -> None:
    response = await site().client.request(method, "/-/ask/stream?question=a")
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert core.calls == []


@pytest.mark.asyncio
async def test_a_failure_that_comes_first_is_a_plain_error(site: Any, core: Any) -> None:
    core.events = [Failed(404, "There is no such table")]
    response = await post(site())
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("application/json")
    assert response.json() == {
        "ok": False,
        "error": "There is no such table",
        "errors": ["There is no such table"],
        "status": 404,
    }


@pytest.mark.asyncio
@pytest.mark.parametrize("last", [Failed(500, "The search failed"), RuntimeError("secret"), None])
async def test_a_later_failure_is_the_last_event(
    site: Any, core: Any, samples: Any, last: Any
) -> None:
    core.events = [samples.events(samples.reply())[0], *([last] if last else [])]
    response = await post(site())
    assert response.status_code == 200
    (_, (name, data)) = parse(response.text)
    assert name == "error"
    assert (data["ok"], data["status"]) == (False, 500)
    assert "secret" not in response.text


@pytest.mark.asyncio
async def test_each_event_is_sent_when_it_happens(
    site: Any, samples: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowCore(samples.events(samples.reply()), stop_after=2)
    monkeypatch.setattr("datasette_rag.web.asking.ask", slow.ask)
    client = Client(site())
    assert (await client.next())["status"] == 200
    assert b"event: keywords" in (await client.next())["body"]
    assert b"event: sources" in (await client.next())["body"]
    assert client.sent.empty()
    slow.go_on.set()
    assert b"event: delta" in (await client.next())["body"]
    await client.task
    assert not client.sent._queue[-1]["more_body"]  # type: ignore[attr-defined]


@pytest.mark.asyncio
@pytest.mark.parametrize("stop_after", [0, 2])
async def test_a_comment_while_waiting(
    site: Any, samples: Any, monkeypatch: pytest.MonkeyPatch, stop_after: int
) -> None:
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 0.02)
    slow = SlowCore(samples.events(samples.reply()), stop_after)
    monkeypatch.setattr("datasette_rag.web.asking.ask", slow.ask)
    client = Client(site())
    for _ in range(1 + stop_after):
        await client.next()
    assert (await client.next())["body"] == b": waiting\n\n"
    assert (await client.next())["body"] == b": waiting\n\n"
    slow.go_on.set()
    await client.task
    sent = b"".join(message.get("body", b"") for message in client.sent._queue)  # type: ignore[attr-defined]
    assert sent.count(b"event: done") == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("stop_after", [0, 2, 3])
@pytest.mark.parametrize("path", ["/-/ask/stream", "/-/ask.json", "/-/ask"])
async def test_work_stops_when_the_client_leaves(
    site: Any, samples: Any, monkeypatch: pytest.MonkeyPatch, path: str, stop_after: int
) -> None:
    slow = SlowCore(samples.events(samples.reply()), stop_after)
    monkeypatch.setattr("datasette_rag.web.asking.ask", slow.ask)
    client = Client(site(), path)
    await asyncio.sleep(0.2)
    client.leave()
    await asyncio.wait_for(client.task, 5)
    assert slow.outcome == "cancelled"


@pytest.mark.asyncio
async def test_a_stream_leaves_no_task_behind(site: Any, core: Any) -> None:
    await post(site())
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
