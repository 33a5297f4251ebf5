"""Which tables of a database can be searched, through which index, and why others can't."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import compat, permissions
from ..config import Config, load
from . import findings, schema
from .ddl import FullTextIndex, parse_full_text_index
from .findings import Finding, Kind
from .schema import is_empty
from .tables import SearchableTable, configured_columns, describe, text_candidates
from .triggers import filling

if TYPE_CHECKING:
    from datasette.app import Datasette


@dataclass(frozen=True)
class Catalogue:
    """The searchable tables of one database by name, and what was found on the way."""

    database: str
    tables: Mapping[str, SearchableTable]
    findings: tuple[Finding, ...]
    names: frozenset[str]


async def catalogue(datasette: Datasette, database: str) -> Catalogue:
    """The searchable tables of a database, read anew only when its schema has changed.

    Raises sqlite3.Error if the database can't be read.
    """
    cache: dict[str, tuple[object, int, Catalogue]] = compat.state(datasette, "catalogues", dict)
    db = datasette.databases[database]
    known = cache.get(database)
    if known is not None and known[0] is not db:
        # Another file has been put into this name's place.
        known = None

    def read(conn: sqlite3.Connection) -> tuple[object, int, Catalogue]:
        version = conn.execute("pragma schema_version").fetchone()[0]
        if known is not None and known[1] == version:
            return known
        config = load(datasette)
        return db, version, read_catalogue(conn, database, config, file_of(datasette, database))

    cache[database] = await db.execute_fn(read)
    return cache[database][2]


async def readable_catalogues(datasette: Datasette) -> list[Catalogue]:
    """The catalogues of the searched databases, without those that can't be read now."""
    found = []
    for database in searched_databases(datasette):
        with suppress(sqlite3.Error):
            found.append(await catalogue(datasette, database))
    return found


def searched_databases(datasette: Datasette) -> list[str]:
    """The databases that questions may go to: all but Datasette's own one and the log's."""
    return [
        name
        for name in datasette.databases
        if name != "_internal" and not permissions.is_private(datasette, name)
    ]


def file_of(datasette: Datasette, database: str) -> str:
    """The file of a database as it was named at the start, for the commands of findings."""
    return str(datasette.databases[database].path or f"{database}.db")


def read_catalogue(
    conn: sqlite3.Connection, database: str, config: Config, file: str | None = None
) -> Catalogue:
    """Read which tables of the connection's main database can be searched.

    `file` is the database's, for commands; without it, one called like the database.
    """
    return _Reading(conn, database, config, file or f"{database}.db").catalogue()


class _Reading:
    """One reading of a database: its schema, its indexes, and what was found so far."""

    def __init__(self, conn: sqlite3.Connection, database: str, config: Config, file: str) -> None:
        self.conn = conn
        self.database = database
        self.config = config
        self.file = file
        self.schema = schema.read_schema(conn)
        self.indexes = dict(_indexes(self.schema))
        self.findings: list[Finding] = []
        self.refused: set[str] = set()

    def catalogue(self) -> Catalogue:
        named = self._indexes_by_configuration()
        candidates = self._indexes_by_content(named)
        candidates.update({table: [index] for table, index in named.items()})
        tables = {}
        for table, choices in sorted(candidates.items()):
            described = self._described(table, choices)
            if described is not None:
                tables[table] = described
        self._without_index(candidates, tables)
        return Catalogue(self.database, tables, tuple(self.findings), frozenset(self.schema))

    def _found(self, table: str, message: str, kind: Kind = "left_out", mend: str = "") -> None:
        self.findings.append(Finding(self.database, table, message, kind, mend))

    def _indexes_by_configuration(self) -> dict[str, FullTextIndex]:
        """The indexes that `fts_table` names, by table."""
        named = {}
        for (database, table), of_table in self.config.tables.items():
            if database != self.database:
                continue
            if table not in self.schema:
                self._found(table, "configured, but there is no such table", "configuration")
            elif of_table.fts_table is not None:
                index = self.indexes.get(of_table.fts_table)
                if index is None:
                    message = f"fts_table: {of_table.fts_table} is no full-text index"
                    self._found(table, message, "configuration")
                elif index.can_be_ranked:
                    named[table] = index
                else:
                    self.refused.add(index.name)
                    self._found(
                        table,
                        f"fts_table: {index.name} can't be ranked ({_why_unranked(index)}); leave "
                        "it out, and have an FTS5 index",
                        "configuration",
                        self._replacement(table, index),
                    )
        return named

    def _indexes_by_content(
        self, named: Mapping[str, FullTextIndex]
    ) -> dict[str, list[FullTextIndex]]:
        """The indexes that can be searched, by the table whose text they cover."""
        by_folded = {name.casefold(): name for name in self.schema}
        candidates: dict[str, list[FullTextIndex]] = {}
        unranked: list[tuple[str, FullTextIndex]] = []
        for name, index in self.indexes.items():
            content = by_folded.get((index.content or name).casefold())
            if index.name in self.refused:
                continue
            if not index.can_be_ranked:
                unranked.append((content or name, index))
            elif index.content == "":
                if index not in named.values():
                    self._found(
                        name,
                        "the index is contentless: it keeps no text to answer from. If its rowids "
                        "are those of a table, say fts_table: in the configuration of that",
                    )
            elif content is None:
                self._found(
                    name,
                    f"the index belongs to a table that does not exist: {index.content}",
                    mend=findings.drop(self.file, index),
                )
            else:
                candidates.setdefault(content, []).append(index)
        for table, index in unranked:
            # With a better index beside it, an older one does no harm.
            if table not in candidates and table not in named:
                self._found(
                    table,
                    f"its index {index.name} can't be ranked ({_why_unranked(index)})",
                    mend=self._replacement(table, index),
                )
        return candidates

    def _replacement(self, table: str, index: FullTextIndex) -> str:
        """The command that makes an index that can be ranked."""
        if table == index.name:
            # It holds the text itself. SQLite has no triggers on such a table.
            return findings.index_copy(self.file, table, index.columns)
        if (index.content or index.name).casefold() != table.casefold():
            columns = text_candidates(schema.columns(self.conn, table))
            return findings.enable(self.file, table, columns)
        return findings.replace(
            self.file,
            table,
            [name for name in index.columns if name not in index.unindexed],
            index,
            self.schema[index.name][1],
            filling(self.conn, table, index.name),
        )

    def _described(self, table: str, choices: Sequence[FullTextIndex]) -> SearchableTable | None:
        of_table = self.config.table(self.database, table)
        if not of_table.search:
            self._found(table, "left out: search is off for it, or Datasette hides it")
            return None
        if self.schema[table][0] == "view" and of_table.fts_table is None:
            # A view may show what is hidden elsewhere: its owner has to mean it.
            self._found(
                table,
                f"a view is searched only if fts_table: {choices[0].name} stands in its "
                "configuration",
            )
            return None
        columns = schema.columns(self.conn, table)
        for key, name in configured_columns(of_table):
            if name not in columns:
                self._found(table, f"{key}: there is no column {name}", "configuration")
        index = min(choices, key=self._preference)
        described = describe(
            self.conn, self.database, table, index, of_table, self.schema, self.file
        )
        if isinstance(described, Finding):
            self.findings.append(described)
            return None
        return described

    def _preference(self, index: FullTextIndex) -> tuple[Any, ...]:
        """The better of several indexes sorts first: filled, FTS5, stemmed, wider, by name."""
        return (
            is_empty(self.conn, index),
            index.module != "fts5",
            "porter" not in index.tokenize,
            -len(index.columns),
            index.name,
        )

    def _without_index(
        self, candidates: Mapping[str, object], tables: Mapping[str, SearchableTable]
    ) -> None:
        """Tables that nobody has indexed; not those whose text stands in another, in parts."""
        in_parts = {
            schema.referenced(self.conn, table.table, table.group_column)
            for table in tables.values()
            if table.group_column
        }
        told = {finding.table for finding in self.findings if finding.kind == "left_out"}
        for name, (kind, _) in self.schema.items():
            if (
                kind != "table"
                or name in candidates
                or name in told
                or name in in_parts
                or self._is_part_of_an_index(name)
            ):
                continue
            columns = text_candidates(schema.columns(self.conn, name))
            if not columns:
                self._found(name, "it has no full-text index, and no column of text for one")
                continue
            if schema.has_rowid(self.conn, name):
                mend = findings.enable(self.file, name, columns)
                self._found(name, "it has no full-text index", mend=mend)
                continue
            key = schema.integer_key(self.conn, name)
            if key is None:
                message = "it has no full-text index, nor rowids (WITHOUT ROWID) or an integer key"
                self._found(name, f"{message} that one could point at")
                continue
            mend = findings.enable_by_key(self.file, name, columns, key)
            self._found(name, "it has no full-text index", mend=mend)

    def _is_part_of_an_index(self, name: str) -> bool:
        """Whether a table is an index, one of the tables that an index keeps, or SQLite's own."""
        return name.startswith("sqlite_") or any(
            name == index or name.startswith(f"{index}_") for index in self.indexes
        )


def _indexes(found: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, FullTextIndex]]:
    for name, (_, sql) in found.items():
        if sql[:40].casefold().lstrip().startswith("create virtual"):
            index = parse_full_text_index(name, sql)
            if index is not None:
                yield name, index


def _why_unranked(index: FullTextIndex) -> str:
    return "FTS3" if index.module == "fts3" else "FTS4 with matchinfo=fts3"
