"""One document in the tables: written, replaced or removed as a whole."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from ..sql import quoted, writing
from .addresses import Addresses, section
from .tables import Tables

if TYPE_CHECKING:
    from sqlite_utils import Database

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
        row = {
            "path": document.path,
            "title": document.title,
            "url": url,
            "date": date,
            "modified": document.modified,
            "language": document.language,
            "hash": document.hash,
            "settings": settings.recorded,
        }
        db = _database(conn)
        if key is None:
            key = db.table(tables.documents).insert(row).last_pk
        else:
            db.table(tables.documents).update(key, row)
        db.table(tables.passages).insert_all(
            {
                "document_id": key,
                "title": document.title,
                "heading": passage.heading,
                "text": passage.text,
                "url": section(url, passage.anchor),
                "date": date,
                "path": document.path,
                "position": position,
                "char_start": passage.start,
                "char_end": passage.end,
            }
            for position, passage in enumerate(passages, start=1)
        )


def remove(conn: Connection, tables: Tables, path: str) -> None:
    """Remove a document and its passages; another run may have done it already."""
    with writing(conn):
        key = _key(conn, tables, path)
        if key is not None:
            _delete_passages(conn, tables, key)
            _database(conn).table(tables.documents).delete(key)


def _database(conn: Connection) -> Database:
    # Imported with the first document that is written: a run that finds nothing new is fast.
    from sqlite_utils import Database

    return Database(conn, execute_plugins=False)


def _key(conn: Connection, tables: Tables, path: str) -> int | None:
    row = conn.execute(
        f"select id from {quoted(tables.documents)} where path = ?", [path]
    ).fetchone()
    return row[0] if row else None


def _delete_passages(conn: Connection, tables: Tables, key: int) -> None:
    conn.execute(f"delete from {quoted(tables.passages)} where document_id = ?", [key])
