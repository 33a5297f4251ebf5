"""A searchable table: all that is needed to search it and to show its rows."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..config import TableConfig
from . import findings, schema
from .ddl import FullTextIndex
from .findings import Finding
from .triggers import filling

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


def describe(
    conn: sqlite3.Connection,
    database: str,
    table: str,
    index: FullTextIndex,
    config: TableConfig,
    found: Mapping[str, tuple[str, str]],
    file: str,
) -> SearchableTable | Finding:
    """What is needed to search the table through this index, or why that can't be.

    `found` is the schema of the database, `file` the database's, for commands.
    """
    columns = schema.columns(conn, table)
    is_view = found[table][0] == "view"
    standalone = table == index.name
    key_column = index.content_rowid
    if (
        key_column not in columns
        and not standalone
        and not schema.has_rowid(conn, table, key_column)
    ):
        kind = "a view" if is_view else "WITHOUT ROWID"
        message = (
            f"it has no column {key_column} that the index {index.name} could point at ({kind}): "
            "name an integer column with content_rowid="
        )
        key = None if is_view else schema.integer_key(conn, table)
        if key is None:
            return Finding(database, table, message)
        searched = [name for name in index.columns if name in columns]
        mend = findings.enable_by_key(file, table, searched, key, index)
        return Finding(database, table, message, mend=mend)
    title = config.title or _first(_TITLES, columns)
    if title not in columns:
        title = None
    searched = [name for name in index.columns if name not in index.unindexed]
    if config.columns:
        searched = [name for name in searched if name in config.columns]
    text_columns = [name for name in searched if name in columns and name != title]
    if not columns.keys() & set(searched):
        return Finding(
            database,
            table,
            f"none of the columns of its index {index.name} is a column of the table",
            mend=findings.replace(
                file,
                table,
                text_candidates(columns),
                index,
                found[index.name][1],
                filling(conn, table, index.name),
            ),
        )
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
        pks=() if is_view else tuple(schema.primary_key(conn, table)),
        addressable=not is_view,
        text_columns=tuple(text_columns),
        title_column=title,
        heading_column="heading" if ours else None,
        group_column="document_id" if ours else None,
        date_column=date if date in columns else None,
        url=url,
        weights=tuple(_weight(name, title, config, index) for name in index.columns),
        guards=tuple(_namesakes(index.name, found)) if standalone else (),
    )


def text_candidates(columns: Mapping[str, str]) -> list[str]:
    """The columns of a table that an index could be made of: they hold text, as far as declared."""
    return [
        name
        for name, kind in columns.items()
        if (not kind or any(word in kind for word in ("char", "clob", "text")))
        and name.casefold() not in (*_URLS, *_DATES)
    ]


def configured_columns(config: TableConfig) -> list[tuple[str, str]]:
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


def _namesakes(index_name: str, found: Mapping[str, Any]) -> list[str]:
    """Tables whose text an index that holds its own text may be a copy of, by its name."""
    return [
        name
        for name in found
        if name != index_name
        and index_name.casefold() in (f"{name}_fts".casefold(), f"{name}_search".casefold())
    ]


def _first(names: tuple[str, ...], columns: Mapping[str, str]) -> str | None:
    folded = {column.casefold(): column for column in reversed(list(columns))}
    return next((folded[name] for name in names if name in folded), None)
