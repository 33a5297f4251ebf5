"""The triggers that keep an index in step with its table, read from their SQL."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_BODY = re.compile(r"\bbegin\b(.*)\bend\b", re.IGNORECASE | re.DOTALL)
_WHEN = re.compile(r"\bwhen\b", re.IGNORECASE)
_WRITES = r"(?:insert(?:\s+or\s+\w+)?\s+into|replace\s+into|delete\s+from|update)\s+"


@dataclass(frozen=True)
class Filling:
    """The triggers on a table that write to one index.

    `names` are theirs. `replaceable` says that they do nothing else, and for every row;
    `by_sqlite_utils` that sqlite-utils sees them as its own, and drops them with the index.
    `in_part` says that one of them leaves rows out.
    """

    names: Sequence[str]
    replaceable: bool
    by_sqlite_utils: bool
    in_part: bool


def filling(conn: sqlite3.Connection, table: str, index: str) -> Filling:
    """Read which triggers on a table write to an index."""
    bodies = dict(
        conn.execute(
            "select name, sql from sqlite_master where type = 'trigger' and tbl_name = ?", [table]
        )
    )
    return read_filling(bodies, index)


def read_filling(bodies: Mapping[str, str], index: str) -> Filling:
    """The same for the SQL of a table's triggers by name."""
    name = re.escape(index)
    writes = re.compile(
        rf"{_WRITES}(?:\"{re.escape(index.replace(chr(34), chr(34) * 2))}\"|\[{name}\]|`{name}`"
        rf"|'{name}'|{name}(?!\w))",
        re.IGNORECASE,
    )
    ours = {trigger: sql for trigger, sql in bodies.items() if writes.search(sql)}
    in_part = any(_WHEN.search(sql[: _body(sql).start()]) for sql in ours.values())
    alone = all(
        writes.match(statement.strip())
        for sql in ours.values()
        for statement in _body(sql)[1].split(";")
        if statement.strip()
    )
    folded = index.casefold()
    marks = (f"insert into [{folded}]", f'insert into "{folded}"')
    return Filling(
        names=tuple(ours),
        replaceable=alone and not in_part,
        by_sqlite_utils=all(any(mark in sql.casefold() for mark in marks) for sql in ours.values()),
        in_part=in_part,
    )


def _body(sql: str) -> re.Match[str]:
    found = _BODY.search(sql)
    # SQLite takes no trigger without a body.
    assert found is not None
    return found
