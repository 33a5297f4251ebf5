"""Which tables of a database can be searched, through which index, and why others can't."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import compat, permissions
from ..config import Config, TableConfig, load
from .ddl import FullTextIndex, parse_full_text_index

if TYPE_CHECKING:
    from datasette.app import Datasette

TITLE_WEIGHT = 2.0
_TITLES = ("title", "name", "headline", "subject", "heading", "label", "question")
_URLS = ("url", "link", "permalink", "html_url")
_DATES = (
    "date",
    "published",
    "published_at",
    "pub_date",
    "updated",
    "updated_at",
    "modified",
    "modified_at",
    "created",
    "created_at",
    "timestamp",
)
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class SearchableTable:
    """A table with a full-text index, and all that is needed to search it and show its rows.

    `group_column` names the document that a row is a part of, where rows are parts of documents.
    `key_column` is the content table's column that equals the index's rowid. `pks` is empty
    where rows have no address of their own (`addressable` False: a view) or are addressed
    by rowid. `weights` has one number a column of the index. `text_columns` are those that
    passages are cut from. `guards` are tables that must be visible as well.
    """

    database: str
    table: str
    index: FullTextIndex
    key_column: str
    pks: tuple[str, ...]
    addressable: bool
    text_columns: tuple[str, ...]
    title_column: str | None
    heading_column: str | None
    group_column: str | None
    date_column: str | None
    url: str | None
    weights: tuple[float, ...]
    guards: tuple[str, ...] = ()

    @property
    def is_fts4(self) -> bool:
        """Whether the index is the older kind, which has neither `bm25()` nor `rank`."""
        return self.index.module == "fts4"

    @property
    def summary(self) -> str:
        """How the table is searched, in a line for its owner."""
        index = self.index
        tokenize = index.tokenize or ("simple" if self.is_fts4 else "unicode61")
        title = f", titles from {self.title_column}" if self.title_column else ""
        return (
            f"searched through {index.name} ({index.module.upper()}, {tokenize}), "
            f"text from {', '.join(self.text_columns) or self.title_column}{title}"
        )

    @property
    def url_columns(self) -> tuple[str, ...]:
        """The columns that the address of the original is made of."""
        return tuple(_PLACEHOLDER.findall(self.url or ""))


@dataclass(frozen=True)
class Finding:
    """Something that the owner should know of a table: what it is and what mends it."""

    database: str
    table: str | None
    message: str
    about_configuration: bool = False

    def __str__(self) -> str:
        name = self.database if self.table is None else f"{self.database}/{self.table}"
        return f"{name}: {self.message}"


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
        return db, version, read_catalogue(conn, database, load(datasette))

    cache[database] = await db.execute_fn(read)
    return cache[database][2]


def searched_databases(datasette: Datasette) -> list[str]:
    """The databases that questions may go to: all but Datasette's own one and the log's."""
    return [
        name
        for name in datasette.databases
        if name != "_internal" and not permissions.is_private(datasette, name)
    ]


def read_catalogue(conn: sqlite3.Connection, database: str, config: Config) -> Catalogue:
    """Read which tables of the connection's main database can be searched."""
    schema = {
        name: (kind, sql or "")
        for name, kind, sql in conn.execute(
            "select name, type, sql from sqlite_master where type in ('table', 'view')"
        )
    }
    by_folded = {name.casefold(): name for name in schema}
    findings: list[Finding] = []
    candidates: dict[str, list[FullTextIndex]] = {}
    indexes: dict[str, FullTextIndex] = {}

    def found(table: str | None, message: str, about_configuration: bool = False) -> None:
        findings.append(Finding(database, table, message, about_configuration))

    for name, (_, sql) in schema.items():
        if not sql[:40].casefold().lstrip().startswith("create virtual"):
            continue
        index = parse_full_text_index(name, sql)
        if index is None:
            continue
        indexes[name] = index
        if index.module == "fts3":
            found(
                name,
                "FTS3 indexes can't be ranked; make an FTS5 one: sqlite-utils enable-fts --replace",
            )
        elif index.module == "fts4" and index.matchinfo == "fts3":
            found(
                name,
                "an FTS4 index made with matchinfo=fts3 can't be ranked; make an FTS5 one: "
                "sqlite-utils enable-fts --replace",
            )
        elif index.content == "":
            found(name, "the index is contentless: it keeps no text to answer from")
        else:
            content = by_folded.get((index.content or name).casefold())
            if content is None:
                found(name, f"the index belongs to a table that does not exist: {index.content}")
            else:
                candidates.setdefault(content, []).append(index)

    tables: dict[str, SearchableTable] = {}
    for (of_database, table), of_table in config.tables.items():
        if of_database != database:
            continue
        if table not in schema:
            found(table, "configured, but there is no such table", True)
        elif of_table.fts_table is not None:
            if of_table.fts_table not in indexes:
                found(table, f"fts_table: {of_table.fts_table} is no full-text index", True)
            else:
                candidates[table] = [indexes[of_table.fts_table]]
    for table, choices in sorted(candidates.items()):
        of_table = config.table(database, table)
        if not of_table.search:
            found(table, "left out: search is off for it, or Datasette hides it")
            continue
        if schema[table][0] == "view" and of_table.fts_table is None:
            # A view may show what is hidden elsewhere: its owner has to mean it.
            found(table, "a view is searched only if fts_table names its index")
            continue
        columns = _columns(conn, table)
        for key, named in _configured_columns(of_table):
            if named not in columns:
                found(table, f"{key}: there is no column {named}", True)
        index = min(choices, key=lambda choice: _preference(conn, choice))
        outcome = _searchable_table(
            conn, database, table, schema[table][0] == "view", index, of_table, schema
        )
        if isinstance(outcome, str):
            found(table, outcome)
            continue
        tables[table] = outcome
    for name, (kind, _) in schema.items():
        if kind == "table" and name not in candidates and not _is_part_of(name, indexes):
            found(name, "it has no full-text index")
    return Catalogue(database, tables, tuple(findings), frozenset(schema))


def _is_part_of(name: str, indexes: Mapping[str, FullTextIndex]) -> bool:
    """Whether a table is an index, one of the tables that an index keeps, or SQLite's own."""
    return name.startswith("sqlite_") or any(
        name == index or name.startswith(f"{index}_") for index in indexes
    )


def _preference(conn: sqlite3.Connection, index: FullTextIndex) -> tuple[Any, ...]:
    """The better of several indexes sorts first: filled, FTS5, stemmed, wider, by name."""
    return (
        is_empty(conn, index),
        index.module != "fts5",
        "porter" not in index.tokenize,
        -len(index.columns),
        index.name,
    )


def is_empty(conn: sqlite3.Connection, index: FullTextIndex) -> bool:
    """Whether an index holds no row.

    Its `_docsize` table tells; `count(*)` counts the rows of the content table. An FTS4
    index made with `matchinfo="fts3"` has no such table and counts as filled.
    """
    try:
        return (
            conn.execute(f"select 1 from {quoted(index.name + '_docsize')} limit 1").fetchone()
            is None
        )
    except sqlite3.OperationalError:
        return False


def _searchable_table(
    conn: sqlite3.Connection,
    database: str,
    table: str,
    is_view: bool,
    index: FullTextIndex,
    config: TableConfig,
    schema: Mapping[str, Any],
) -> SearchableTable | str:
    """What is needed to search the table, or the reason why it can't be searched."""
    columns = _columns(conn, table)
    standalone = table == index.name
    key_column = index.content_rowid
    if key_column not in columns and not standalone and not _has_rowid(conn, table, key_column):
        return (
            f"it has no column {key_column} that the index {index.name} could point at "
            "(a view or WITHOUT ROWID): name an integer column with content_rowid="
        )
    title = config.title or _first(_TITLES, columns)
    if title not in columns:
        title = None
    searched = [name for name in index.columns if name not in index.unindexed]
    if config.columns:
        searched = [name for name in searched if name in config.columns]
    text_columns = [name for name in searched if name in columns and name != title]
    if not columns.keys() & set(searched):
        return f"none of the columns of its index {index.name} is a column of the table"
    ours = {"document_id", "heading", "char_start", "char_end"} <= columns.keys()
    if ours:
        text_columns = [name for name in text_columns if name != "heading"]
    date = config.date or _first(_DATES, columns)
    url = config.url or _first(_URLS, columns)
    if url is not None and "{" not in url:
        url = "{" + url + "}"
    if not set(_PLACEHOLDER.findall(url or "")) <= columns.keys():
        url = None
    return SearchableTable(
        database=database,
        table=table,
        index=index,
        key_column=key_column,
        pks=() if is_view else tuple(_primary_key(conn, table)),
        addressable=not is_view,
        text_columns=tuple(text_columns),
        title_column=title,
        heading_column="heading" if ours else None,
        group_column="document_id" if ours else None,
        date_column=date if date in columns else None,
        url=url,
        weights=tuple(_weight(name, title, config, index) for name in index.columns),
        guards=tuple(_namesakes(index.name, schema)) if standalone else (),
    )


def _configured_columns(config: TableConfig) -> list[tuple[str, str]]:
    """The columns that a table's configuration names, as (setting, column)."""
    url = config.url or ""
    named = [("title", config.title), ("date", config.date)]
    named += [("columns", name) for name in config.columns or ()]
    named += [("url", name) for name in _PLACEHOLDER.findall(url) or ([url] if url else [])]
    return [(key, name) for key, name in named if name is not None]


def _weight(column: str, title: str | None, config: TableConfig, index: FullTextIndex) -> float:
    if column in index.unindexed:
        return 0.0
    if config.columns:
        return config.columns.get(column, 0.0)
    return TITLE_WEIGHT if column == title else 1.0


def _namesakes(index_name: str, schema: Mapping[str, Any]) -> list[str]:
    """Tables whose text an index that holds its own text may be a copy of, by its name."""
    return [
        name
        for name in schema
        if name != index_name
        and index_name.casefold() in (f"{name}_fts".casefold(), f"{name}_search".casefold())
    ]


def _columns(conn: sqlite3.Connection, table: str) -> dict[str, None]:
    return {
        row[1]: None for row in conn.execute(f"pragma table_xinfo({quoted(table)})") if row[6] != 1
    }


def _primary_key(conn: sqlite3.Connection, table: str) -> list[str]:
    rows = [row for row in conn.execute(f"pragma table_info({quoted(table)})") if row[5]]
    return [row[1] for row in sorted(rows, key=lambda row: row[5])]


def _has_rowid(conn: sqlite3.Connection, table: str, name: str) -> bool:
    if name.casefold() not in ("rowid", "_rowid_", "oid"):
        return False
    try:
        conn.execute(f"select {name} from {quoted(table)} limit 0")
    except sqlite3.OperationalError:
        return False
    return True


def _first(names: tuple[str, ...], columns: Mapping[str, None]) -> str | None:
    folded = {column.casefold(): column for column in reversed(list(columns))}
    return next((folded[name] for name in names if name in folded), None)


def quoted(identifier: str) -> str:
    """An identifier for SQL, whatever characters it has."""
    return '"' + identifier.replace('"', '""') + '"'
