"""The two tables of an index: their names, their columns, and how to tell that they are ours.

Each table says in a comment inside its own `CREATE TABLE` that this plugin made it, what for,
and with which version of the schema. SQLite keeps that text with the table: it is copied,
dumped, vacuumed and dropped with it, and no further table has to stand among the owner's.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

from ..sql import quoted, writing
from .errors import DocumentsError

# Raise it with every change to the columns, to the full-text index, or to how text is cut:
# indexes of another version are then made anew on the next run.
SCHEMA_VERSION = 2

_MARKER = "made by datasette rag index: {role}, schema {version}"
_MARKED = re.compile(r"/\* made by datasette rag index: (\w+), schema (\d+) \*/")

_DOCUMENTS_SQL = """
CREATE TABLE {documents} (
  /* {marker} */
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  url TEXT,
  date TEXT NOT NULL,
  modified TEXT NOT NULL,
  language TEXT,
  hash TEXT NOT NULL,
  settings TEXT NOT NULL
)
"""
# Search reads the columns of one table only, so what a source shows besides its text stands
# with every passage. The text of a document stands in its passages and nowhere else.
_PASSAGES_SQL = """
CREATE TABLE {passages} (
  /* {marker} */
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES {documents}(id),
  title TEXT NOT NULL,
  heading TEXT NOT NULL,
  text TEXT NOT NULL,
  url TEXT,
  date TEXT NOT NULL,
  path TEXT NOT NULL,
  position INTEGER NOT NULL,
  char_start INTEGER NOT NULL,
  char_end INTEGER NOT NULL
)
"""
# What sqlite-utils' own `enable_fts` makes, but in one transaction with the tables: that commits
# in between. `content` in double quotes is what Datasette and sqlite-utils recognise.
_FULL_TEXT_SQL = (
    """
CREATE VIRTUAL TABLE {full_text} USING fts5(
  title, heading, text, tokenize='porter', content={passages}
)
""",
    "CREATE INDEX {by_document} ON {passages} (document_id)",
    """
CREATE TRIGGER {inserted} AFTER INSERT ON {passages} BEGIN
  INSERT INTO {full_text} (rowid, title, heading, text)
    VALUES (new.id, new.title, new.heading, new.text);
END
""",
    """
CREATE TRIGGER {deleted} AFTER DELETE ON {passages} BEGIN
  INSERT INTO {full_text} ({full_text}, rowid, title, heading, text)
    VALUES ('delete', old.id, old.title, old.heading, old.text);
END
""",
    """
CREATE TRIGGER {updated} AFTER UPDATE ON {passages} BEGIN
  INSERT INTO {full_text} ({full_text}, rowid, title, heading, text)
    VALUES ('delete', old.id, old.title, old.heading, old.text);
  INSERT INTO {full_text} (rowid, title, heading, text)
    VALUES (new.id, new.title, new.heading, new.text);
END
""",
)


@dataclass(frozen=True)
class Tables:
    """The names of the tables of one index."""

    passages: str
    documents: str

    @classmethod
    def named(cls, name: str) -> Tables:
        """The tables of the index with this name.

        Args:
            name: the table of passages. "passages" goes with "documents", any other name
                with "<name>_documents".

        Raises:
            DocumentsError: SQLite allows no table of this name.
        """
        if not name.strip() or "\0" in name or name.lower().startswith("sqlite_"):
            raise DocumentsError(f"No table can be named {name!r}. Choose another --table NAME.")
        return cls(name, "documents" if name == "passages" else f"{name}_documents")

    @property
    def full_text(self) -> str:
        """The full-text index of the passages."""
        return f"{self.passages}_fts"

    @property
    def triggers(self) -> tuple[str, str, str]:
        """What keeps the full-text index in step: on insert, delete and update."""
        return f"{self.passages}_ai", f"{self.passages}_ad", f"{self.passages}_au"

    @property
    def roles(self) -> dict[str, str]:
        """Each of the two tables and what it is for."""
        return {self.documents: "documents", self.passages: "passages"}


def check_names(conn: sqlite3.Connection, tables: Tables) -> None:
    """Make sure that the names are free or stand for tables that we made.

    Args:
        conn: the database.
        tables: the names.

    Raises:
        DocumentsError: something else has one of the names.
    """
    for name in tables.roles:
        for spelled, sql in conn.execute(
            "select name, sql from sqlite_master where lower(name) = lower(?) and name <> ?",
            [name, name],
        ):
            if _MARKED.search(sql or ""):
                raise DocumentsError(
                    f"The database has {spelled}, which is the same table to SQLite as {name}. "
                    "Give --table as it is spelled there, or another name."
                )
    ours = _versions(conn, tables)
    taken = [name for name in tables.roles if name not in ours and _sql(conn, name) is not None]
    if tables.passages not in ours and _sql(conn, tables.full_text) is not None:
        taken.append(tables.full_text)
    if taken:
        names = " and ".join(taken)
        raise DocumentsError(
            f"The database has a table named {names} that was not made by this command, and it "
            "is left alone. Choose other names with --table NAME, or another database file."
        )


def is_current(conn: sqlite3.Connection, tables: Tables) -> bool:
    """Whether the tables are all there, in step, and of this version of the schema.

    Args:
        conn: the database.
        tables: the names.
    """
    versions = _versions(conn, tables)
    return (
        len(versions) == len(tables.roles)
        and set(versions.values()) == {SCHEMA_VERSION}
        and _sql(conn, tables.full_text) is not None
        and all(_sql(conn, name, "trigger") is not None for name in tables.triggers)
    )


def is_there(conn: sqlite3.Connection, tables: Tables) -> bool:
    """Whether one of the tables is there, of whatever version.

    Args:
        conn: the database.
        tables: the names.
    """
    return bool(_versions(conn, tables))


def create(conn: sqlite3.Connection, tables: Tables) -> None:
    """Make the tables and their full-text index, in place of older ones of ours.

    Args:
        conn: the database, in which `check_names` found the names free or ours.
        tables: the names.
    """
    conn.execute("pragma journal_mode = wal")
    inserted, deleted, updated = tables.triggers
    names = {
        "documents": tables.documents,
        "passages": tables.passages,
        "full_text": tables.full_text,
        "by_document": f"idx_{tables.passages}_document_id",
        "inserted": inserted,
        "deleted": deleted,
        "updated": updated,
    }
    identifiers = {key: quoted(name) for key, name in names.items()}
    with writing(conn):
        if is_current(conn, tables):
            # Another run was faster, and has perhaps filled them.
            return
        for name in (tables.full_text, tables.passages, tables.documents):
            conn.execute(f"drop table if exists {quoted(name)}")
        for name, sql in (
            (tables.documents, _DOCUMENTS_SQL),
            (tables.passages, _PASSAGES_SQL),
        ):
            marker = _MARKER.format(role=tables.roles[name], version=SCHEMA_VERSION)
            conn.execute(sql.format(marker=marker, **identifiers))
        for sql in _FULL_TEXT_SQL:
            conn.execute(sql.format(**identifiers))


def _sql(conn: sqlite3.Connection, name: str, *types: str) -> str | None:
    """The SQL that made a table or view (or what `types` say), None if there is none so named."""
    for kind, sql in conn.execute(
        "select type, sql from sqlite_master where lower(name) = lower(?)", [name]
    ):
        if kind in (types or ("table", "view")):
            return str(sql)
    return None


def _versions(conn: sqlite3.Connection, tables: Tables) -> dict[str, int]:
    """Those of the two tables that we made for what they are to be, and their schema version."""
    versions = {}
    for name, role in tables.roles.items():
        found = _MARKED.search(_sql(conn, name) or "")
        if found and found[1] == role:
            versions[name] = int(found[2])
    return versions
