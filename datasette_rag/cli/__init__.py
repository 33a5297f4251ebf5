"""datasette rag …: the command line, one file for each kind of command."""

from __future__ import annotations

import click


def register(cli: click.Group) -> None:
    """Add `datasette rag` to Datasette's command line."""
    from .check import check
    from .eval import evaluate
    from .index import index
    from .log import log
    from .questions import ask, search

    @cli.group(name="rag")
    def rag() -> None:
        "Answer questions from the rows of SQLite databases, with citations"

    for command in (index, ask, search, check, evaluate, log):
        rag.add_command(command)
