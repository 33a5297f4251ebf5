"""Turn the demo's documents, or a folder of one's own, into a database and serve it."""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import yaml
from datasette.app import Datasette

TOP = Path(__file__).resolve().parents[1]


def main() -> None:
    """Index, print where to go and what to ask, and become `datasette serve`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, help="a folder of Markdown and text files")
    parser.add_argument("--port", type=int, default=8001)
    options = parser.parse_args()
    datasette = str(Path(sys.executable).with_name("datasette"))
    database = TOP / ("documents.db" if options.docs else "demo.db")
    folder = options.docs or TOP / "demo" / "pages"
    status = subprocess.run([datasette, "rag", "index", str(database), str(folder)]).returncode
    # 3: some files could not be read; all others can be asked.
    if status not in (0, 3):
        sys.exit(1)
    arguments = [datasette, "serve", str(database), "--port", str(options.port)]
    settings = {} if options.docs else yaml.safe_load((TOP / "metadata.yml").read_text("utf-8"))
    if os.environ.get("ANTHROPIC_API_KEY", "").strip():
        ours = settings.setdefault("plugins", {}).setdefault("datasette-rag", {})
        ours["answerer"] = "claude"
    with tempfile.NamedTemporaryFile("w", suffix=".yml", delete=False) as file:
        yaml.safe_dump(settings, file, allow_unicode=True)
    arguments += ["-m", file.name]
    if hasattr(Datasette, "allowed"):
        # 1.0 reads title and licence from the one, queries from the other.
        arguments += ["-c", file.name]
    print(f"\nAsk at http://127.0.0.1:{options.port}/-/ask, for example:\n")
    for question in titles(database) if options.docs else examples():
        print(f"  {question}")
    print(flush=True)
    os.execv(datasette, arguments)


def examples() -> list[str]:
    """The questions that the demo's page offers too."""
    metadata = yaml.safe_load((TOP / "metadata.yml").read_text("utf-8"))
    return metadata["plugins"]["datasette-rag"]["examples"]


def titles(database: Path) -> list[str]:
    """Three titles out of the documents: words that are there to be found."""
    with closing(sqlite3.connect(database)) as conn:
        return [row[0] for row in conn.execute("select title from documents limit 3")]


if __name__ == "__main__":
    main()
