"""Fifty streams at once, ten deltas a second each: none lost, and Datasette's other pages still answer."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import sqlite_utils

from .measure import DATASETTE, ON_1_0
from .standin import running

STREAMS = 50
DELTAS = 80
PORT = 8499
ADDRESS = f"http://127.0.0.1:{PORT}"


def run() -> Iterable[str]:
    """The table (bounds: none lost, under 150 MB more, other pages at most 3 × their idle time)."""
    options = ("--deltas-per-second", "10", "--words", str(DELTAS))
    with running(*options) as (base_url, key), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "db.db"
        db = sqlite_utils.Database(path)
        notes = db.table("notes")
        notes.insert_all({"id": n, "body": f"The harbour closes at {n}."} for n in range(500))
        notes.enable_fts(["body"], tokenize="porter")
        db.close()
        with _server(path, base_url, key) as process:
            return asyncio.run(_measured(process.pid))


@contextmanager
def _server(path: Path, base_url: str, key: str) -> Iterator[subprocess.Popen[bytes]]:
    limits = {"at_once": 1000, "per_day": 100_000}
    settings = {"answerer": "claude", "api_base_url": base_url, "limits": limits}
    configuration = path.with_suffix(".json")
    configuration.write_text(json.dumps({"plugins": {"datasette-rag": settings}}))
    datasette = str(Path(sys.executable).with_name("datasette"))
    process = subprocess.Popen(
        [datasette, str(path), "-c" if ON_1_0 else "-m", str(configuration), "-p", str(PORT)],
        env={**os.environ, "ANTHROPIC_API_KEY": key},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


async def _measured(pid: int) -> list[str]:
    limits = httpx.Limits(max_connections=200)
    async with httpx.AsyncClient(base_url=ADDRESS, timeout=60, limits=limits) as client:
        for _ in range(100):
            try:
                await client.get("/-/versions.json")
                break
            except httpx.TransportError:
                await asyncio.sleep(0.1)
        await _stream(client)
        idle = [await _page(client) for _ in range(40)]
        before = _memory_mb(pid)
        streams = [asyncio.create_task(_stream(client)) for _ in range(STREAMS)]
        await asyncio.sleep(1)
        busy, peak = [], before
        while not all(stream.done() for stream in streams):
            busy.append(await _page(client))
            peak = max(peak, _memory_mb(pid))
            await asyncio.sleep(0.1)
        words = [stream.result() for stream in streams]
    ratio = statistics.median(busy) / statistics.median(idle)
    return [
        f"Datasette {DATASETTE}, {STREAMS} streams, stand-in and server in processes of their own",
        f"streams that came whole   {sum(count >= DELTAS for count in words)} of {STREAMS}",
        f"memory                    {before:.0f} MB before, {peak:.0f} MB at most: "
        f"{peak - before:.0f} MB more (bound 150)",
        f"another page              {statistics.median(idle):.1f} ms idle, "
        f"{statistics.median(busy):.1f} ms meanwhile: {ratio:.1f} × (bound 3)",
    ]


async def _stream(client: httpx.AsyncClient) -> int:
    """How many words came in deltas; -1 where they are not the whole answer, or it has no end."""
    said, answer, event = "", None, ""
    async with client.stream(
        "POST", "/-/ask/stream", data={"question": "When does the harbour close?"}
    ) as response:
        async for line in response.aiter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
            elif line.startswith("data: ") and event in ("delta", "done"):
                data = json.loads(line.removeprefix("data: "))
                if event == "delta":
                    said += data["text"]
                else:
                    answer = data["answer"]
    return len(said.split()) if said == answer else -1


async def _page(client: httpx.AsyncClient) -> float:
    began = time.perf_counter()
    response = await client.get("/db/notes")
    assert response.status_code == 200
    return (time.perf_counter() - began) * 1000


def _memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024
