"""One document in the tables: written, replaced or removed as a whole."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from .addresses import Addresses, section
from .connection import writing
from .tables import Tables, quoted

if TYPE_CHECKING:
    from .read import Document

Connection = sqlite3.Connection


class Settings(NamedTuple):
    """How documents are indexed; `recorded` is what the tables keep of it, as JSON."""

    addresses: Addresses
    words: int
    recorded: str


class Known(NamedTuple):
    """What a document was indexed from: the hash of its content, and the settings as recorded."""

    hash: str
    settings: str


def known_documents(conn: Connection, tables: Tables) -> dict[str, Known]:
    """The documents in the tables, by path."""
    return {
        path: Known(*known)
        for path, *known in conn.execute(
            f"select path, hash, settings from {quoted(tables.documents)}"
        )
    }


def count_passages(conn: Connection, tables: Tables) -> int:
    """How many passages there are."""
    (count,) = conn.execute(f"select count(*) from {quoted(tables.passages)}").fetchone()
    return int(count)


def replace(conn: Connection, tables: Tables, document: Document, settings: Settings) -> None:
    """Write a document and its passages, in place of what was there of it."""
    from ..text.passages import cut

    url = settings.addresses.of(document.path, document.url)
    date = (document.date or document.modified)[:10]
    passages = cut(
        document.text, markdown=document.format == "markdown", target_words=settings.words
    )
    with writing(conn):
        # Another run may have been faster; what counts is what is there now.
        key = _key(conn, tables, document.path)
        if key is not None:
            _delete_passages(conn, tables, key)
        values = {
            "id": key,
            "path": document.path,
            "title": document.title,
            "url": url,
            "date": date,
            "modified": document.modified,
            "language": document.language,
            "hash": document.hash,
            "settings": settings.recorded,
        }
        columns = ", ".join(values)
        key = conn.execute(
            f"insert or replace into {quoted(tables.documents)} ({columns}) "
            f"values ({', '.join(map(':{}'.format, values))})",
            values,
        ).lastrowid
        conn.executemany(
            f"insert into {quoted(tables.passages)} (document_id, title, heading, text, url, "
            "date, path, position, char_start, char_end) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    key,
                    document.title,
                    passage.heading,
                    passage.text,
                    section(url, passage.anchor),
                    date,
                    document.path,
                    position,
                    passage.start,
                    passage.end,
                )
                for position, passage in enumerate(passages, start=1)
            ),
        )


def remove(conn: Connection, tables: Tables, path: str) -> None:
    """Remove a document and its passages; another run may have done it already."""
    with writing(conn):
        key = _key(conn, tables, path)
        if key is not None:
            _delete_passages(conn, tables, key)
            conn.execute(f"delete from {quoted(tables.documents)} where id = ?", [key])


def _key(conn: Connection, tables: Tables, path: str) -> int | None:
    row = conn.execute(
        f"select id from {quoted(tables.documents)} where path = ?", [path]
    ).fetchone()
    return row[0] if row else None


def _delete_passages(conn: Connection, tables: Tables, key: int) -> None:
    conn.execute(f"delete from {quoted(tables.passages)} where document_id = ?", [key])
