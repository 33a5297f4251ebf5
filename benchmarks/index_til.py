"""Time and memory of indexing the 577 notes of `../shared/data/til`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from .measure import SHARED


def run() -> Iterable[str]:
    """The table: a first run and a second one that finds nothing changed (bounds: 4 s, 120 MB)."""
    if not SHARED.is_dir():
        return ["left out: the folder ../shared is not there"]
    datasette = str(Path(sys.executable).with_name("datasette"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "til.db")
        for name in ("first run", "second run"):
            start = time.perf_counter()
            process = os.posix_spawn(
                datasette,
                [datasette, "rag", "index", database, str(SHARED / "data" / "til")],
                os.environ,
                file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
            )
            _, status, usage = os.wait4(process, 0)
            seconds = time.perf_counter() - start
            assert status == 0
            rows.append(f"{name:10} {seconds:5.2f} s   {usage.ru_maxrss / 1024:5.0f} MB")
    return rows
