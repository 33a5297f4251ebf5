"""Documents to rows: the tables that `datasette rag index` writes, and how they keep in step."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..text.passages import cut
from .read import (
    Document,
    DocumentsError,
    Folder,
    UnreadableDocument,
    find_documents,
    read_content,
    read_document,
    to_document,
)
from .tables import Tables, check_names, create, is_current, quoted

if TYPE_CHECKING:
    from sqlite_utils import Database

Progress = Callable[[Iterable[str], int], Iterable[str]]

_WAIT_FOR_LOCK = 10.0  # seconds


@dataclass
class IndexReport:
    """What a run of `index_folder` did.

    `added`, `updated`, `removed` and `unchanged` count documents; `skipped` names files that
    were left out, each with the reason; `passages` is how many the index now holds.
    """

    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    passages: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)


def index_folder(
    database: Path,
    source: Path,
    *,
    table: str = "passages",
    progress: Progress | None = None,
) -> IndexReport:
    """Make a searchable table of the documents in a folder, or bring it up to date.

    The tables mirror the folder: documents that are new or whose content changed are read,
    those whose file is gone are removed, all others are left alone; if nothing changed,
    nothing is written. Each document is replaced in one transaction, so a reader sees all of
    its old passages or all of its new ones, and a run that was interrupted is completed by
    the next. One file instead of a folder is added or updated, and nothing is removed.
    Tables written by another version of the schema are made anew.

    Args:
        database: the SQLite file; created if it does not exist and there is a document.
        source: a folder, or one file (see `find_documents` for what is read).
        table: the name of the table of passages. With "passages" the other table is called
            "documents", with any other name "<name>_documents".
        progress: is given the paths of the documents and how many they are, and returns an
            iterable over the same paths: so it sees how far the run has come.

    Returns:
        What was done.

    Raises:
        DocumentsError: there is nothing to index, the tables' names are taken, or the
            database cannot be read or written. The message says which and what mends it.
    """
    tables = Tables.named(table)
    folder = find_documents(source)
    report = IndexReport(skipped=list(folder.skipped))
    if not folder.paths:
        raise DocumentsError(
            f"No documents in {source}: no file whose name ends in .md, .markdown, .txt or .text."
        )
    if not database.exists():
        _check_new(database, folder)
    with _opened(database) as db:
        check_names(db, tables)
        known: dict[str, tuple[int, str]] = {}
        if is_current(db, tables):
            known = {
                path: (key, content_hash)
                for key, path, content_hash in db.execute(
                    f"select id, path, hash from {quoted(tables.documents)}"
                )
            }
        else:
            create(db, tables)
        paths = progress(folder.paths, len(folder.paths)) if progress else folder.paths
        for path in paths:
            _bring_up_to_date(db, tables, folder.root, path, known.get(path), report)
        if source.is_dir():
            report.removed = _remove_gone(db, tables, known, folder)
        report.passages = db.table(tables.passages).count
    return report


def _check_new(database: Path, folder: Folder) -> None:
    """Before a database is created: is there a place for it, and anything to put into it?"""
    if not database.parent.is_dir():
        raise DocumentsError(f"There is no folder {database.parent} for the database.")
    reasons = []
    for path in folder.paths:
        try:
            read_document(folder.root, path)
            return
        except UnreadableDocument as error:
            reasons.append(f"{path}: {error}")
    raise DocumentsError(f"None of the documents could be read. {reasons[0]}.")


@contextmanager
def _opened(database: Path) -> Iterator[Database]:
    from sqlite_utils import Database

    try:
        with closing(sqlite3.connect(database, timeout=_WAIT_FOR_LOCK)) as connection:
            # With a write-ahead log this is safe against corruption and spares a wait for the
            # disk after each document; what a power cut loses, the next run makes up for.
            connection.execute("pragma synchronous = normal")
            yield Database(connection, execute_plugins=False)
    except sqlite3.Error as error:
        raise DocumentsError(_explained(database, str(error))) from error


def _explained(database: Path, error: str) -> str:
    for sign, message in (
        ("not a database", "is not a SQLite database. Name another file."),
        ("locked", "is being written to by another program. Try again when it is done."),
        ("readonly", "cannot be written to. Check the permissions of the file and its folder."),
        ("unable to open", "cannot be opened. Check that it is a file and its permissions."),
        ("malformed", "is damaged. Restore it, or name a new file: it can be indexed anew."),
        ("full", "could not be written: the disk is full."),
    ):
        if sign in error:
            return f"{database} {message}"
    return f"{database} could not be indexed into: {error}."


def _bring_up_to_date(
    db: Database,
    tables: Tables,
    root: Path,
    path: str,
    known: tuple[int, str] | None,
    report: IndexReport,
) -> None:
    """Index one document if it is new or changed; `known` is its key and its hash so far."""
    try:
        content, content_hash = read_content(root, path)
        if known is not None and known[1] == content_hash:
            report.unchanged += 1
            return
        document = to_document(root, path, content, content_hash)
    except UnreadableDocument as error:
        report.skipped.append((path, str(error)))
        return
    _replace(db, tables, document)
    if known is None:
        report.added += 1
    else:
        report.updated += 1


@contextmanager
def _writing(db: Database) -> Iterator[None]:
    """A transaction that waits for the lock; one that reads first would fail at once instead."""
    db.execute("begin immediate")
    try:
        yield
    except BaseException:
        db.conn.rollback()
        raise
    db.conn.commit()


def _replace(db: Database, tables: Tables, document: Document) -> None:
    row = {
        "path": document.path,
        "title": document.title,
        "modified": document.modified,
        "hash": document.hash,
    }
    passages = cut(document.text, markdown=document.is_markdown)
    with _writing(db):
        # Another run may have been faster; what counts is what is there now.
        key = next(
            (
                row[0]
                for row in db.execute(
                    f"select id from {quoted(tables.documents)} where path = ?", [document.path]
                )
            ),
            None,
        )
        if key is None:
            key = db.table(tables.documents).insert(row).last_pk
        else:
            _delete_passages(db, tables, key)
            db.table(tables.documents).update(key, row)
        db.table(tables.passages).insert_all(
            {
                "document_id": key,
                "title": document.title,
                "heading": passage.heading,
                "text": passage.text,
                "date": document.modified[:10],
                "path": document.path,
                "position": position,
                "char_start": passage.start,
                "char_end": passage.end,
            }
            for position, passage in enumerate(passages, start=1)
        )


def _remove_gone(
    db: Database, tables: Tables, known: dict[str, tuple[int, str]], folder: Folder
) -> int:
    """Remove the documents whose file is gone; how many that were."""
    gone = known.keys() - set(folder.paths)
    # What lies in a folder that could not be listed is out of sight and not gone.
    out_of_sight = tuple(f"{path}/" for path in folder.unseen)
    removed = 0
    for path in sorted(gone):
        if path.startswith(out_of_sight):
            continue
        key = known[path][0]
        with _writing(db):
            _delete_passages(db, tables, key)
            db.table(tables.documents).delete(key)
        removed += 1
    return removed


def _delete_passages(db: Database, tables: Tables, key: int) -> None:
    db.execute(f"delete from {quoted(tables.passages)} where document_id = ?", [key])
