"""/-/ask.json, offline and warm, against the canned query's own JSON, on SciFact as a table."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from .measure import DATASETTE, SHARED, corpus_database, lines, medians_ms, started


def run() -> Iterable[str]:
    """The table: medians and their ratio (bound: 3)."""
    if not SHARED.is_dir():
        return ["left out: the folder ../shared is not there"]
    with tempfile.TemporaryDirectory() as folder:
        path = corpus_database(Path(folder) / "scifact.db", "scifact")
        return asyncio.run(_measured(path))


async def _measured(path: Path) -> list[str]:
    datasette = await started(path)
    questions = [row["text"] for row in lines(SHARED / "data" / "scifact" / "queries.jsonl")][:100]
    addresses = [f"/-/ask.json?question={quote(question)}" for question in questions]
    replies = [(await datasette.client.get(address)).json() for address in addresses]
    queries = [reply["tables"][0]["query_url"].replace("?", ".json?") for reply in replies]

    async def get(address: str) -> None:
        response = await datasette.client.get(address)
        assert response.status_code == 200, response.text

    medians = await medians_ms(
        {
            "ask": lambda number: get(addresses[number]),
            "query": lambda number: get(queries[number]),
            "search only": lambda number: get(addresses[number] + "&answer=off"),
        },
        len(questions),
    )
    stages = {
        stage: sorted(reply["timings_ms"][stage] for reply in replies)[len(replies) // 2]
        for stage in replies[0]["timings_ms"]
    }
    return [
        f"Datasette {DATASETTE}, 100 questions",
        f"canned query as JSON   {medians['query']:6.1f} ms",
        f"ask.json, answer=off   {medians['search only']:6.1f} ms",
        f"ask.json               {medians['ask']:6.1f} ms   "
        f"{medians['ask'] / medians['query']:.2f} × the canned query (bound 3)",
        f"its stages at the median: {stages}",
    ]
