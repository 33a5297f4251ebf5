"""What the plugin adds to the time to the first token over the bare SDK, against a stand-in that answers at once."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import sqlite_utils
from datasette.app import Datasette

import datasette_rag
from datasette_rag.events import AnswerDelta

from .measure import DATASETTE, configuration
from .standin import running

ROUNDS = 60
QUESTION = "When does the harbour close in winter?"


def run() -> Iterable[str]:
    """The table: medians of turns taken one by one, keywords given (bound: 30 ms more)."""
    with running("--words", "20") as (base_url, key), tempfile.TemporaryDirectory() as folder:
        os.environ["ANTHROPIC_API_KEY"] = key
        return asyncio.run(_measured(Path(folder) / "db.db", base_url, key))


async def _measured(path: Path, base_url: str, key: str) -> list[str]:
    import anthropic

    db = sqlite_utils.Database(path)
    notes = db.table("notes")
    notes.insert_all(
        {"id": number, "body": f"The harbour closes at {number} in winter."}
        for number in range(500)
    )
    notes.enable_fts(["body"], tokenize="porter")
    db.close()
    settings = {"answerer": "claude", "api_base_url": base_url, "limits": {"per_day": 1_000_000}}
    datasette = Datasette([str(path)], **configuration({"plugins": {"datasette-rag": settings}}))
    await datasette.invoke_startup()
    client = anthropic.AsyncAnthropic(api_key=key, base_url=base_url)
    bare: list[float] = []
    plugin: list[float] = []
    for number in range(ROUNDS + 5):
        for times, first_token in (
            (bare, _by_the_sdk(client)),
            (plugin, _by_the_plugin(datasette)),
        ):
            began = time.perf_counter()
            await first_token
            if number >= 5:
                times.append((time.perf_counter() - began) * 1000)
    await client.close()
    one, other = statistics.median(bare), statistics.median(plugin)
    return [
        f"Datasette {DATASETTE}, {ROUNDS} questions each, stand-in in another process",
        f"the SDK alone     {one:5.1f} ms to the first token",
        f"the plugin        {other:5.1f} ms, search included: {other - one:.1f} ms more (bound 30)",
    ]


async def _by_the_sdk(client: object) -> None:
    blocks = [
        {
            "type": "search_result",
            "source": "s",
            "title": "t",
            "content": [{"type": "text", "text": f"The harbour closes at {number} in winter."}],
            "citations": {"enabled": True},
        }
        for number in range(8)
    ]
    stream = await client.messages.create(  # type: ignore[attr-defined]
        model="claude-sonnet-5-5",
        max_tokens=2000,
        messages=[{"role": "user", "content": [*blocks, {"type": "text", "text": QUESTION}]}],
        stream=True,
    )
    async for event in stream:
        if event.type == "content_block_delta" and event.delta.type == "text_delta":
            break
    await stream.close()


async def _by_the_plugin(datasette: Datasette) -> None:
    events = datasette_rag.ask(datasette, QUESTION, keywords=["harbour", "winter"])
    async for event in events:
        if isinstance(event, AnswerDelta):
            break
    await events.aclose()  # type: ignore[attr-defined]
