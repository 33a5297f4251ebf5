"""Measure the demo's questions, and write the table of figures into demo/README.md."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
README = TOP / "demo" / "README.md"
START, END = "<!-- figures -->\n", "<!-- end of figures -->\n"


def main() -> None:
    """Index the demo's pages anew, ask the 60 questions, and replace what stands between the marks."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "demo.db"
        rag("index", database, TOP / "demo" / "pages")
        questions, settings = TOP / "demo" / "questions.yml", TOP / "metadata.yml"
        lines = rag("eval", database, questions, "-m", settings, "--answers").splitlines()
    table = "\n".join(f"    {line}".rstrip() for line in lines)
    before, _, rest = README.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{START}\n{table}\n\n{END}{after}", "utf-8")
    print(table)


def rag(*arguments: object) -> str:
    """What a command of `datasette rag` prints."""
    command = [sys.executable, "-m", "datasette", "rag", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
