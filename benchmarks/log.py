"""What logging adds to the median of an offline /-/ask.json, on SciFact as a table."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from .measure import DATASETTE, SHARED, corpus_database, lines, medians_ms, started

ROUNDS = 6


def run() -> Iterable[str]:
    """The table: medians and what logging adds (bound: 5 %)."""
    if not SHARED.is_dir():
        return ["left out: the folder ../shared is not there"]
    with tempfile.TemporaryDirectory() as folder:
        path = corpus_database(Path(folder) / "scifact.db", "scifact")
        return asyncio.run(_measured(path, Path(folder) / "rag-log.db"))


async def _measured(path: Path, log: Path) -> list[str]:
    sites = {
        "log: false": await started(path, {"log": False}),
        "log: path": await started(path, {"log": str(log)}),
    }
    questions = [row["text"] for row in lines(SHARED / "data" / "scifact" / "queries.jsonl")][:100]
    addresses = [f"/-/ask.json?question={quote(question)}" for question in questions]

    async def get(name: str, number: int) -> None:
        response = await sites[name].client.get(addresses[number % len(addresses)])
        assert response.status_code == 200, response.text

    for name in sites:
        for number in range(len(addresses)):
            await get(name, number)
    medians = await medians_ms(
        {name: lambda number, name=name: get(name, number) for name in sites},
        ROUNDS * len(addresses),
    )
    without, with_log = medians["log: false"], medians["log: path"]
    return [
        f"Datasette {DATASETTE}, {ROUNDS * len(addresses)} questions to each",
        f"log: false   {without:6.2f} ms",
        f"log: path    {with_log:6.2f} ms   +{100 * (with_log / without - 1):.1f} % (bound 5 %)",
    ]
