"""What the benchmarks share: a Datasette with a corpus in it, and medians of turns taken in pairs."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import sqlite_utils
from datasette.app import Datasette
from datasette.version import __version__

DATASETTE = __version__
ON_1_0 = hasattr(Datasette, "allowed")
SHARED = Path(__file__).resolve().parents[2] / "shared"


def lines(path: Path) -> Iterable[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def corpus_database(path: Path, name: str) -> Path:
    """A database with one judged set of `../shared/data` as a table with an FTS5 index."""
    db = sqlite_utils.Database(path)
    table = db["corpus"]
    table.insert_all(
        (
            {"id": row["_id"], "title": row["title"], "text": row["text"]}
            for row in lines(SHARED / "data" / name / "corpus.jsonl")
        ),
        pk="id",
    )
    table.enable_fts(["title", "text"], tokenize="porter", create_triggers=True)
    db.close()
    return path


def configuration(tree: dict[str, Any]) -> dict[str, Any]:
    """A configuration tree as the argument of `Datasette` that it is on this line."""
    return {"config" if ON_1_0 else "metadata": tree}


async def started(path: Path, plugin: dict[str, Any] | None = None) -> Datasette:
    """A Datasette over one file, ready to answer; `plugin` is the plugin's configuration."""
    tree = {"plugins": {"datasette-rag": plugin}} if plugin else {}
    datasette = Datasette([str(path)], **configuration(tree))
    await datasette.invoke_startup()
    return datasette


async def medians_ms(
    turns: dict[str, Callable[[int], Awaitable[Any]]], rounds: int
) -> dict[str, float]:
    """The median time of each of several calls, in milliseconds.

    They take turns, so that what else the machine does falls on all of them alike.
    """
    times: dict[str, list[float]] = {name: [] for name in turns}
    for number in range(rounds):
        for name, call in turns.items():
            start = time.perf_counter()
            await call(number)
            times[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(values) for name, values in times.items()}
