"""Findings: what the owner should know of a table or its index, and the command that mends it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..sql import quoted
from .ddl import FullTextIndex, with_content
from .triggers import Filling

Kind = Literal["stale", "configuration", "left_out", "advice"]


@dataclass(frozen=True)
class Finding:
    """Something that the owner should know: what it is, and what mends it.

    `kind` is `stale` for an index that does not fit its table, `configuration` for settings
    that name what does not exist, `left_out` for a table that is not searched, `advice` for
    one that is, and could be better. `mend` is a command for a shell, empty where there is
    none.
    """

    database: str
    table: str | None
    message: str
    kind: Kind = "left_out"
    mend: str = ""

    def __str__(self) -> str:
        name = self.database if self.table is None else f"{self.database}/{self.table}"
        return f"{name}: {self.message}" + (f". This mends it: {self.mend}" if self.mend else "")


def rebuild(file: str, index: FullTextIndex) -> str:
    """The command that builds an index anew from its content table.

    It names the index itself: sqlite-utils finds one by its table only if `content=` is quoted
    in one of two ways, and of several the first.
    """
    return _command("rebuild-fts", file, index.name)


def enable(file: str, table: str, columns: Iterable[str]) -> str:
    """The command that makes a stemmed full-text index of a table that has none."""
    return f"{_command('enable-fts', file, table, *columns)} --tokenize porter --create-triggers"


def enable_by_key(
    file: str, table: str, columns: Iterable[str], key: str, old: FullTextIndex | None = None
) -> str:
    """The same for a table WITHOUT ROWID that has an integer key, in the place of an index."""
    name = old.name if old else f"{table}_fts"
    arguments = ", ".join(
        [
            *map(quoted, columns),
            "tokenize=porter",
            f"content={quoted(table)}",
            f"content_rowid={quoted(key)}",
        ]
    )
    made = f"create virtual table {quoted(name)} using fts5({arguments})"
    steps = [drop(file, old)] if old else []
    steps += [_command("query", file, made), _command("rebuild-fts", file, name)]
    return " && ".join(steps)


def index_copy(file: str, table: str, columns: Iterable[str]) -> str:
    """The command that makes an index of a table that can have no triggers."""
    return f"{_command('enable-fts', file, table, *columns)} --tokenize porter"


def replace(
    file: str,
    table: str,
    columns: Iterable[str],
    index: FullTextIndex,
    sql: str,
    filled: Filling,
) -> str:
    """The command that puts a stemmed FTS5 index in the place of another one.

    `sql` is how that was declared, `filled` which triggers fill it. sqlite-utils replaces what
    it can have made itself; all else, with these triggers, has to go before. Where they do
    more than to fill the index, the command would undo that: there is none.
    """
    if not filled.replaceable:
        return ""
    if index.name == f"{table}_fts" and found_by_others(sql, table) and filled.by_sqlite_utils:
        return f"{enable(file, table, columns)} --replace"
    drops = [_command("query", file, f"drop trigger {quoted(name)}") for name in filled.names]
    return " && ".join([*drops, drop(file, index), enable(file, table, columns)])


def found_by_others(sql: str, table: str) -> bool:
    """Whether Datasette and sqlite-utils see from an index's declaration whose it is."""
    folded, name = sql.casefold(), table.casefold()
    return f'content="{name}"' in folded or f"content=[{name}]" in folded


def drop(file: str, index: FullTextIndex) -> str:
    """The command that removes an index."""
    return _command("drop-table", file, index.name)


def declare_anew(file: str, table: str, index: FullTextIndex, sql: str) -> str:
    """The command that declares an index again, with its content table so that all find it.

    `sql` is how it was declared. Triggers that fill it go on doing so.
    """
    return " && ".join(
        [
            drop(file, index),
            _command("query", file, with_content(index.name, sql, quoted(table))),
            rebuild(file, index),
        ]
    )


def _command(name: str, file: str, *arguments: str) -> str:
    return " ".join(["sqlite-utils", name, *map(shlex.quote, (file, *arguments))])
