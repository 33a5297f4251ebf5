"""A question to one table on a site with 300 searchable tables, against a site with that table alone."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path

import sqlite_utils

from datasette_rag import compat

from .measure import DATASETTE, medians_ms, started

TABLES = 300
ROUNDS = 100


def run() -> Iterable[str]:
    """The table: medians with Datasette's own permission check taken off, and the ratio (bound: 1.2)."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measured(Path(folder)))


async def _measured(folder: Path) -> list[str]:
    sites = {
        count: await started(_database(folder / f"site{count}.db", count)) for count in (1, TABLES)
    }
    question = "?question=where+is+the+harbour+umbrella+number+7"

    async def ask(count: int) -> None:
        address = f"/site{count}/t0/-/ask.json{question}"
        response = await sites[count].client.get(address)
        assert len(response.json()["sources"]) == 8, response.text

    async def permission(count: int) -> None:
        # What a question to one table asks of Datasette.
        site = sites[count]
        await compat.allowed_everywhere(site, None, "view-instance", default=True)
        await compat.allowed_everywhere(site, None, "datasette-rag-ask", default=True)
        await compat.table_page_opens(site, None, f"site{count}", "t0")

    for count in sites:
        await ask(count)
    medians = await medians_ms(
        {
            "ask 1": lambda _: ask(1),
            "ask 300": lambda _: ask(TABLES),
            "permission 1": lambda _: permission(1),
            "permission 300": lambda _: permission(TABLES),
        },
        ROUNDS,
    )
    one = medians["ask 1"] - medians["permission 1"]
    many = medians["ask 300"] - medians["permission 300"]
    return [
        f"Datasette {DATASETTE}, {ROUNDS} questions each",
        f"one table    {medians['ask 1']:6.1f} ms, of it permission {medians['permission 1']:.1f} ms",
        f"{TABLES} tables   {medians['ask 300']:6.1f} ms, of it permission {medians['permission 300']:.1f} ms",
        f"without permission {many / one:.2f} × (bound 1.2); with it "
        f"{medians['ask 300'] / medians['ask 1']:.2f} ×",
    ]


def _database(path: Path, count: int) -> Path:
    db = sqlite_utils.Database(path)
    for number in range(count):
        table = db[f"t{number}"]
        table.insert_all(
            {
                "id": row,
                "title": f"Umbrella {row}",
                "text": f"The harbour umbrella number {row} is here.",
            }
            for row in range(50)
        )
        table.enable_fts(["title", "text"], tokenize="porter")
    db.close()
    return path
