"""Does cutting take longer per MB in a large text than in a small one?"""

from __future__ import annotations

import time
from collections.abc import Iterable

from datasette_rag.text.passages import cut

_SECTION = (
    "## Part\n\n"
    + "A sentence of some words, e.g. these. " * 40
    + "\n\nYou need:\n\n"
    + "- an item of a list\n" * 12
    + "\n| Plan | Fee |\n|---|---|\n"
    + "| P | 3 |\n" * 30
    + "\n```sh\n# run it\nrun --all\n```\n\n"
)


def run() -> Iterable[str]:
    """1 MB and 20 MB of Markdown, and one line of each size (bound: the same time per MB)."""
    rows = []
    for name, piece, markdown in (
        ("markdown", _SECTION, True),
        ("one line", "word and word ", True),
        ("no spaces", "QUJD", False),
    ):
        per_megabyte = {}
        for megabytes in (1, 20):
            text = piece * (megabytes * 1_000_000 // len(piece))
            runs = []
            for _ in range(3 if megabytes == 1 else 1):
                start = time.process_time()
                passages = cut(text, markdown=markdown)
                runs.append(time.process_time() - start)
            assert max(len(passage.text) for passage in passages) <= 2_000
            per_megabyte[megabytes] = min(runs) / megabytes
            del passages
        ratio = per_megabyte[20] / per_megabyte[1]
        rows.append(
            f"{name:9} 1 MB {per_megabyte[1]:5.2f} s/MB   20 MB {per_megabyte[20]:5.2f} s/MB   "
            f"ratio {ratio:4.2f}"
        )
    return rows
