"""Documents to rows: one run of `datasette rag index`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from .addresses import Addresses
from .connection import opened
from .errors import DocumentsError, UnreadableDocument
from .folder import Folder, find_documents, read_content
from .rows import Connection, Known, Settings, count_passages, known_documents, remove, replace
from .tables import Tables, check_names, create, is_current, is_there

Progress = Callable[[Iterable[str], int], Iterable[str]]
What = Literal["add", "update", "remove"]

DEFAULT_WORDS = 150


@dataclass
class IndexReport:
    """What a run of `index_folder` did, or would do.

    `changes` are the documents that were added, updated or removed, as it happened;
    `unchanged` counts those that were read and left alone; `skipped` names files that were
    left out, each with the reason; `passages` is how many the index now holds; `made_anew`
    says that another version of this plugin had made the index.
    """

    changes: list[tuple[What, str]] = field(default_factory=list)
    unchanged: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    passages: int = 0
    made_anew: bool = False

    @property
    def added(self) -> int:
        """How many documents are new."""
        return self._count("add")

    @property
    def updated(self) -> int:
        """How many documents were replaced."""
        return self._count("update")

    @property
    def removed(self) -> int:
        """How many documents are gone."""
        return self._count("remove")

    @property
    def read(self) -> int:
        """How many documents were read."""
        return self.added + self.updated + self.unchanged

    def _count(self, what: What) -> int:
        return sum(change == what for change, _ in self.changes)


def index_folder(
    database: Path,
    source: Path,
    *,
    table: str = "passages",
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    url: str | None = None,
    words: int = DEFAULT_WORDS,
    delete_missing: bool = True,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Make a searchable table of the documents in a folder, or bring it up to date.

    The tables mirror what is found: documents that are new, whose content changed or which
    were indexed with another `url` or `words` are read, those that are not found any more are
    removed, all others are left alone; if nothing changed, nothing is written. Each document
    is replaced in one transaction, so a reader sees all of its old passages or all of its new
    ones, and a run that was interrupted is completed by the next. One file instead of a folder
    is added or updated, and nothing is removed. Tables written by another version of the
    schema are made anew.

    Args:
        database: the SQLite file; created if it does not exist and there is a document.
        source: a folder, or one file (see `find_documents` for what is read).
        table: the name of the table of passages. With "passages" the other table is called
            "documents", with any other name "<name>_documents".
        include: patterns (see `Globs`); if there are any, only files that one means are read.
        exclude: patterns; what one means is not read.
        url: where the documents live on the web (see `Addresses.parsed`).
        words: the size of passages to aim at.
        delete_missing: whether documents that are not found any more are removed.
        dry_run: whether only to tell what would happen.
        progress: is given the paths of the documents and how many they are, and returns an
            iterable over the same paths: so it sees how far the run has come.

    Returns:
        What was done.

    Raises:
        DocumentsError: there is nothing to index, an argument or the tables' names can't be
            used, or the database cannot be read or written. The message says which and what
            mends it.
    """
    tables = Tables.named(table)
    addresses = Addresses.parsed(url)
    settings = Settings(addresses, words, json.dumps({"words": words, "url": addresses.template}))
    patterns = {"--include": tuple(include), "--exclude": tuple(exclude)}
    folder = find_documents(source, include=patterns["--include"], exclude=patterns["--exclude"])
    report = IndexReport(skipped=list(folder.skipped))
    if not folder.paths:
        raise DocumentsError(_nothing_found(source, folder, patterns))
    if not database.exists():
        _check_new(database, folder)
        if dry_run:
            _bring_up_to_date(None, tables, folder, folder.paths, {}, settings, report)
            return report
    with opened(database, read_only=dry_run) as conn:
        check_names(conn, tables)
        current = is_current(conn, tables)
        report.made_anew = not current and is_there(conn, tables)
        known = known_documents(conn, tables) if current else {}
        if not (current or dry_run):
            create(conn, tables)
        writer = None if dry_run else conn
        paths = progress(folder.paths, len(folder.paths)) if progress else folder.paths
        _bring_up_to_date(writer, tables, folder, paths, known, settings, report)
        if delete_missing and source.is_dir():
            _remove_gone(writer, tables, known, folder, report)
        if not dry_run:
            report.passages = count_passages(conn, tables)
    return report


def _nothing_found(source: Path, folder: Folder, patterns: dict[str, tuple[str, ...]]) -> str:
    given = " ".join(f"{option} {value}" for option in patterns for value in patterns[option])
    if folder.skipped:
        path, problem = folder.skipped[0]
        return f"No documents in {source} can be read. {path}: {problem}."
    if given:
        return f"No documents in {source} with {given}."
    return f"No documents in {source}: no file whose name ends in {folder.endings}."


def _check_new(database: Path, folder: Folder) -> None:
    """Before a database is created: is there a place for it, and anything to put into it?"""
    from .read import read_document

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


def _bring_up_to_date(
    conn: Connection | None,
    tables: Tables,
    folder: Folder,
    paths: Iterable[str],
    known: dict[str, Known],
    settings: Settings,
    report: IndexReport,
) -> None:
    """Index the documents that are new or changed; without a connection, tell which."""
    for path in paths:
        before = known.get(path)
        try:
            content, content_hash = read_content(folder.root, path)
            if before == Known(content_hash, settings.recorded):
                report.unchanged += 1
                continue
            # Parsers take longer to import than a run takes that finds nothing changed.
            from .read import to_document

            document = to_document(folder.root, path, content, content_hash)
        except UnreadableDocument as error:
            report.skipped.append((path, str(error)))
            continue
        if conn is not None:
            replace(conn, tables, document, settings)
        report.changes.append(("add" if before is None else "update", path))


def _remove_gone(
    conn: Connection | None,
    tables: Tables,
    known: dict[str, Known],
    folder: Folder,
    report: IndexReport,
) -> None:
    """Remove the documents that are not found any more; without a connection, tell which."""
    # What lies in a folder that could not be listed is out of sight and not gone.
    out_of_sight = tuple(f"{path}/" for path in folder.unseen)
    for path in sorted(known.keys() - set(folder.paths)):
        if path.startswith(out_of_sight):
            continue
        if conn is not None:
            remove(conn, tables, path)
        report.changes.append(("remove", path))
