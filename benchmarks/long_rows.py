"""What a long row costs more than a short one, when a passage is cut out of it for a question."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

import sqlite_utils

from .measure import medians_ms, started

_QUESTION = "Where does the kingfisher nest?"
_SENTENCES = (
    "The harbour office is open all week, and everybody is welcome to come in.",
    "Umbrellas that were left behind are kept for a year; then they are given away.",
    "Ask for the key at the counter, e.g. before 9 a.m., and bring it back at night.",
)
_BIRD = "The kingfisher nests in the bank behind the old mill."
_ROUNDS = 15


def _paragraphs(size: int) -> list[str]:
    paragraph = " ".join(_SENTENCES)
    return [f"{number}: {paragraph}" for number in range(max(1, size // len(paragraph)))]


def _markdown(size: int) -> str:
    parts = _paragraphs(size)
    parts[len(parts) // 2] += " " + _BIRD
    return "# Guide\n\n" + "\n\n".join(
        f"## Part {number}\n\n{part}" if number % 8 == 0 else part
        for number, part in enumerate(parts)
    )


def _plain(size: int) -> str:
    parts = _paragraphs(size)
    parts[len(parts) // 2] += " " + _BIRD
    return "\n\n".join(parts)


def _html(size: int) -> str:
    parts = _paragraphs(size)
    parts[len(parts) // 2] += " " + _BIRD
    return "<h1>Guide</h1>" + "".join(
        f"<h2>Part {number}</h2><p>{part}</p>" if number % 8 == 0 else f"<p>{part}</p>"
        for number, part in enumerate(parts)
    )


def run() -> Iterable[str]:
    """A row of 1 kB and one of 1 MB, each alone in its table, asked in turns (bound: 30 ms)."""
    return asyncio.run(_run())


async def _run() -> list[str]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "rows.db"
        db = sqlite_utils.Database(database)
        kinds = {"plain": _plain, "markdown": _markdown, "html": _html}
        for kind, text in kinds.items():
            for name, size in (("short", 1_000), ("long", 1_000_000)):
                table = db[f"{kind}_{name}"]
                table.insert({"id": 1, "title": "Notes", "text": text(size)}, pk="id")
                table.enable_fts(["title", "text"], tokenize="porter")
        db.close()
        datasette = await started(database)

        async def ask(table: str) -> None:
            path = f"/rows/{table}/-/ask.json?question={quote(_QUESTION)}"
            reply = (await datasette.client.get(path)).json()
            assert "kingfisher nests" in reply["sources"][0]["passage"], table

        for kind in kinds:
            times = await medians_ms(
                {name: lambda _, table=f"{kind}_{name}": ask(table) for name in ("short", "long")},
                _ROUNDS,
            )
            rows.append(
                f"{kind:9} 1 kB {times['short']:6.1f} ms   1 MB {times['long']:6.1f} ms   "
                f"difference {times['long'] - times['short']:6.1f} ms"
            )
    return rows
