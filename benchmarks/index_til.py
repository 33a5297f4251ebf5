"""Time and memory of indexing the 577 notes of `../shared/data/til`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from .measure import SHARED

TURNS = 3


def run() -> Iterable[str]:
    """The table: a first run, and a second one that finds nothing changed.

    Bounds: 4 s and 120 MB; the second one under 1 s, of which Datasette's own start, the last
    line, is most, and without a write.
    """
    if not SHARED.is_dir():
        return ["left out: the folder ../shared is not there"]
    datasette = str(Path(sys.executable).with_name("datasette"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "til.db"
        index = [datasette, "rag", "index", str(database), str(SHARED / "data" / "til")]
        rows.append(_row("first run", [_measured(index)]))
        before = database.stat().st_mtime_ns, database.read_bytes()
        turns = [(_measured(index), _measured([datasette, "--version"])) for _ in range(TURNS)]
        written = (database.stat().st_mtime_ns, database.read_bytes()) != before
        second, bare = zip(*turns)
        rows.append(
            _row("second run", second)
            + f", {'the database was written' if written else 'no write'}"
        )
        rows.append(_row("datasette --version", bare))
    return rows


def _measured(command: list[str]) -> tuple[float, float]:
    """Seconds and megabytes of a command."""
    start = time.perf_counter()
    process = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(process, 0)
    assert status == 0
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def _row(name: str, turns: Iterable[tuple[float, float]]) -> str:
    """The best of the turns: what others do on the machine only adds to it."""
    seconds, megabytes = min(turns)
    return f"{name:20} {seconds:5.2f} s   {megabytes:5.0f} MB"
