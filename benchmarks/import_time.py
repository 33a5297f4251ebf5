"""What importing the plugin adds to importing Datasette."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterable

from .measure import DATASETTE

ROUNDS = 15
# Datasette loads no plugins where it believes to be under test.
_WITHOUT_PLUGINS = "import sys; sys._called_from_test = True"
_CODE = """
import time
start = time.perf_counter()
import datasette.app, datasette.cli
print(time.perf_counter() - start)
"""


def run() -> Iterable[str]:
    """The table: medians of fresh processes, in turn without and with the plugin (bound: 10 %)."""
    times: dict[str, list[float]] = {"without": [], "with": []}
    for _ in range(ROUNDS):
        for name, values in times.items():
            code = (_WITHOUT_PLUGINS if name == "without" else "") + _CODE
            printed = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
            values.append(float(printed) * 1000)
    without, with_plugin = (statistics.median(values) for values in times.values())
    return [
        f"Datasette {DATASETTE}, {ROUNDS} processes each",
        f"importing Datasette          {without:6.1f} ms",
        f"the same with the plugin     {with_plugin:6.1f} ms   "
        f"{with_plugin / without - 1:.1%} more (bound 10 %)",
    ]
