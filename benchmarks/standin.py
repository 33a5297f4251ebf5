"""The stand-in of the Claude API in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KEY = "sk-of-the-benchmarks"


@contextmanager
def running(*options: str) -> Iterator[tuple[str, str]]:
    """Start it and give its address and its key."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.claude_api", "--port", "0", "--key", KEY, *options],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), KEY
    finally:
        process.terminate()
        process.wait()
