"""Which files of a folder are documents, and their bytes: nothing here looks into them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .errors import DocumentsError, UnreadableDocument
from .formats import FORMATS
from .globs import Globs, PatternError

SUFFIXES = tuple(FORMATS)


@dataclass(frozen=True)
class Folder:
    """The documents of a folder, before any of them is read.

    `root` is the folder, or the folder of the one file that was named. `paths` are relative
    to it, with `/` between their parts, sorted. `skipped` names what was left out, with the
    reason. `unseen` are the folders that could not be listed: what they hold is not known.
    """

    root: Path
    paths: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    unseen: tuple[str, ...]

    @property
    def endings(self) -> str:
        """How the names of documents end, for a message."""
        return f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"


def find_documents(
    source: Path, *, include: Iterable[str] = (), exclude: Iterable[str] = ()
) -> Folder:
    """Find the files with a name in `SUFFIXES` in a folder and the folders in it.

    Hidden files and folders are passed over. Links to files are followed within the folder;
    links that lead out of it are skipped and reported, links to folders are passed over.

    Args:
        source: a folder, or one file, for which patterns do not count.
        include: patterns (see `Globs`); if there are any, only files that one means are found.
        exclude: patterns; what one means is not found, nor looked into, nor reported.

    Raises:
        DocumentsError: there is no such folder or file, the file has no such name, or a
            pattern can't be used.
    """
    if not source.exists():
        raise DocumentsError(f"{source} does not exist. Name a folder of documents.")
    if not source.is_dir():
        if source.suffix.lower() not in SUFFIXES:
            raise DocumentsError(
                f"{source} is not a document: its name ends in none of {', '.join(SUFFIXES)}."
            )
        return Folder(source.parent, (source.name,), (), ())
    try:
        included, excluded = Globs.parsed(include), Globs.parsed(exclude)
    except PatternError as error:
        raise DocumentsError(str(error)) from error
    root = source.resolve()
    paths: list[str] = []
    skipped: list[tuple[str, str]] = []
    unseen: list[str] = []

    def not_listed(error: OSError) -> None:
        path = Path(error.filename).relative_to(root).as_posix()
        if path == ".":
            raise DocumentsError(f"{source} cannot be read: {reason(error)}.")
        unseen.append(path)
        skipped.append((_printable(path), reason(error)))

    for place, folders, files in os.walk(root, onerror=not_listed):
        above = "" if place == str(root) else f"{Path(place).relative_to(root).as_posix()}/"
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and not excluded.match(above + name, folder=True)
        ]
        for name in files:
            path = above + name
            if (
                name.startswith(".")
                or not name.lower().endswith(SUFFIXES)
                or excluded.match(path)
                or (included and not included.cover(path))
            ):
                continue
            problem = _why_skipped(os.path.join(place, name), path, root)
            if problem:
                skipped.append((_printable(path), problem))
            else:
                paths.append(path)
    return Folder(root, tuple(sorted(paths)), tuple(sorted(skipped)), tuple(unseen))


def read_content(root: Path, path: str) -> tuple[bytes, str]:
    """Read the bytes of a document, and tell what stands for them.

    Args:
        root: the folder.
        path: the document's path in it.

    Returns:
        The content, and its SHA-256 in hexadecimal.

    Raises:
        UnreadableDocument: the file could not be read.
    """
    try:
        with open(os.path.join(root, path), "rb") as file:
            content = file.read()
    except OSError as error:
        raise UnreadableDocument(reason(error)) from error
    return content, hashlib.sha256(content).hexdigest()


def _why_skipped(file: str, path: str, root: Path) -> str | None:
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is not in UTF-8"
    try:
        kind = os.lstat(file).st_mode
        if stat.S_ISLNK(kind):
            if root not in Path(file).resolve().parents:
                return "a link that leads out of the folder"
            kind = os.stat(file).st_mode
    except (OSError, RuntimeError):
        # A link to itself; which of the two is raised depends on the version of Python.
        return "a link that leads nowhere"
    return None if stat.S_ISREG(kind) else "not a regular file"


def _printable(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")


def reason(error: OSError) -> str:
    """Why the system refused something, in words."""
    return (error.strerror or type(error).__name__).lower()
