"""A client that goes away, over a real server: the call to the model is closed within two seconds."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import pytest
import uvicorn

from ..site import fts_table, make_database, make_datasette

BODY = urlencode({"question": "When does the harbour close?"})


@asynccontextmanager
async def served(datasette):
    """The port of a real server of this Datasette on loopback."""
    config = uvicorn.Config(datasette.app(), port=0, log_level="error", lifespan="on")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await serving


@pytest.mark.asyncio
@pytest.mark.parametrize("stall", ["headers", 5], ids=["before the first token", "in the middle"])
@pytest.mark.parametrize("path", ["/-/ask/stream", "/-/ask.json", "/-/ask"])
async def test_who_leaves_closes_the_call(tmp_path, claude_api, path, stall):
    database = make_database(tmp_path / "db.db", fts_table("notes", "The harbour closes at nine."))
    settings = {"answerer": "claude", "api_base_url": claude_api.base_url}
    datasette = await make_datasette([database], {"plugins": {"datasette-rag": settings}})
    claude_api.reply("a few words of an answer", stall=stall, to="answer")
    async with served(datasette) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(BODY)}\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\n\r\n{BODY}".encode()
        )
        await writer.drain()
        await claude_api.arrived(2)
        answer = next(request for request in claude_api.requests if not request.wants_json)
        await asyncio.sleep(0.2)
        writer.close()
        assert await answer.disconnected.within(2)


@pytest.mark.asyncio
async def test_who_leaves_at_any_moment_closes_the_call_and_keeps_no_place(tmp_path, claude_api):
    database = make_database(tmp_path / "db.db", fts_table("notes", "The harbour closes at nine."))
    settings = {
        "answerer": "claude",
        "api_base_url": claude_api.base_url,
        "limits": {"at_once": 1},
    }
    datasette = await make_datasette([database], {"plugins": {"datasette-rag": settings}})
    words = " ".join(f"word{number}" for number in range(1_500))
    async with served(datasette) as port:
        for number in range(24):
            claude_api.reset()
            claude_api.reply(words, deltas_per_second=150.0, to="answer")
            path = ("/-/ask/stream", "/-/ask.json")[number % 2]
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(BODY)}\r\n"
                f"Content-Type: application/x-www-form-urlencoded\r\n\r\n{BODY}".encode()
            )
            await claude_api.arrived(2)
            answer = next(request for request in claude_api.requests if not request.wants_json)
            # The critical moment is that in which the reply begins.
            await asyncio.sleep(number * 0.002)
            writer.close()
            assert await answer.disconnected.within(2), number
        claude_api.reset()
        reply = await datasette.client.post("/-/ask.json", data={"question": "harbour"})
        assert reply.status_code == 200


@pytest.mark.asyncio
async def test_the_client_is_closed_with_the_server(tmp_path, claude_api):
    database = make_database(tmp_path / "db.db", fts_table("notes", "The harbour closes at nine."))
    settings = {"answerer": "claude", "api_base_url": claude_api.base_url}
    datasette = await make_datasette([database], {"plugins": {"datasette-rag": settings}})
    async with served(datasette):
        await datasette.client.post("/-/ask.json", data={"question": "harbour"})
        assert claude_api.connections == 1
    for _ in range(40):
        if not claude_api.connections:
            break
        await asyncio.sleep(0.05)
    assert claude_api.connections == 0
