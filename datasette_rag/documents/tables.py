"""The two tables of an index: their names, their columns, and how to tell that they are ours.

Each table says in a comment inside its own `CREATE TABLE` that this plugin made it, what for,
and with which version of the schema. SQLite keeps that text with the table: it is copied,
dumped, vacuumed and dropped with it, and no further table has to stand among the owner's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .read import DocumentsError

if TYPE_CHECKING:
    from sqlite_utils import Database

# Raise it with every change to the columns, to the full-text index, or to how text is cut:
# indexes of another version are then made anew on the next run.
SCHEMA_VERSION = 1

_MARKER = "made by datasette rag index: {role}, schema {version}"
_MARKED = re.compile(r"/\* made by datasette rag index: (\w+), schema (\d+) \*/")

_DOCUMENTS_SQL = """
CREATE TABLE {documents} (
  /* {marker} */
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  modified TEXT NOT NULL,
  hash TEXT NOT NULL
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
  date TEXT NOT NULL,
  path TEXT NOT NULL,
  position INTEGER NOT NULL,
  char_start INTEGER NOT NULL,
  char_end INTEGER NOT NULL
)
"""


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
    def roles(self) -> dict[str, str]:
        """Each of the two tables and what it is for."""
        return {self.documents: "documents", self.passages: "passages"}


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def check_names(db: Database, tables: Tables) -> None:
    """Make sure that the names are free or stand for tables that we made.

    Args:
        db: the database.
        tables: the names.

    Raises:
        DocumentsError: something else has one of the names.
    """
    for name in tables.roles:
        for spelled, sql in db.execute(
            "select name, sql from sqlite_master where lower(name) = lower(?) and name <> ?",
            [name, name],
        ):
            if _MARKED.search(sql or ""):
                raise DocumentsError(
                    f"The database has {spelled}, which is the same table to SQLite as {name}. "
                    "Give --table as it is spelled there, or another name."
                )
    ours = _versions(db, tables)
    taken = [name for name in tables.roles if name not in ours and _sql(db, name) is not None]
    if tables.passages not in ours and _sql(db, tables.full_text) is not None:
        taken.append(tables.full_text)
    if taken:
        names = " and ".join(taken)
        raise DocumentsError(
            f"The database has a table named {names} that was not made by this command, and it "
            "is left alone. Choose other names with --table NAME, or another database file."
        )


def is_current(db: Database, tables: Tables) -> bool:
    """Whether the tables are all there and of this version of the schema.

    Args:
        db: the database.
        tables: the names.
    """
    versions = _versions(db, tables)
    return (
        len(versions) == len(tables.roles)
        and set(versions.values()) == {SCHEMA_VERSION}
        and _sql(db, tables.full_text) is not None
    )


def create(db: Database, tables: Tables) -> None:
    """Make the tables and their full-text index, in place of older ones of ours.

    Args:
        db: the database, in which `check_names` found the names free or ours.
        tables: the names.
    """
    db.enable_wal()
    with db.atomic():
        for name in (tables.full_text, tables.passages, tables.documents):
            db.execute(f"drop table if exists {quoted(name)}")
        for name, sql in (
            (tables.documents, _DOCUMENTS_SQL),
            (tables.passages, _PASSAGES_SQL),
        ):
            marker = _MARKER.format(role=tables.roles[name], version=SCHEMA_VERSION)
            db.execute(
                sql.format(
                    documents=quoted(tables.documents),
                    passages=quoted(tables.passages),
                    marker=marker,
                )
            )
        passages = db.table(tables.passages)
        passages.create_index(["document_id"])
        passages.enable_fts(["title", "heading", "text"], tokenize="porter", create_triggers=True)


def _sql(db: Database, name: str) -> str | None:
    """The SQL that made a table or view, None if there is none of this name."""
    for (sql,) in db.execute(
        "select sql from sqlite_master where type in ('table', 'view') and lower(name) = lower(?)",
        [name],
    ):
        return str(sql)
    return None


def _versions(db: Database, tables: Tables) -> dict[str, int]:
    """Those of the two tables that we made for what they are to be, and their schema version."""
    versions = {}
    for name, role in tables.roles.items():
        found = _MARKED.search(_sql(db, name) or "")
        if found and found[1] == role:
            versions[name] = int(found[2])
    return versions
