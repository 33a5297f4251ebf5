"""A folder of documents, read one at a time."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from .errors import DocumentsError, UnreadableDocument
from .formats import FORMATS, reader
from .formats.content import Format

SUFFIXES = tuple(FORMATS)


@dataclass(frozen=True)
class Document:
    """A file that was read.

    `path` is relative to the folder, with `/` between its parts. `title` is what the front
    matter says, else the first heading, else made of the file's name. `text` is its content
    with `\n` as line end and without front matter and control characters: offsets of passages
    count in it. `modified` is the time of its last change, ISO 8601 in UTC; `hash` the SHA-256
    of its bytes, in hexadecimal.

    `date` (ISO 8601), `url` (on the web, or a path on a site that begins with `/`) and
    `language` (`en`, `pt-BR`) are what the document says of itself, None where it says
    nothing. `format` is how `text` is to be cut, whatever the format of the file was.
    """

    path: str
    title: str
    text: str
    modified: str
    hash: str
    date: str | None = None
    url: str | None = None
    language: str | None = None
    format: Format = "plain"

    @property
    def is_markdown(self) -> bool:
        """Whether `text` is to be cut as Markdown."""
        return self.format == "markdown"


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


def find_documents(source: Path) -> Folder:
    """Find the files with a name in `SUFFIXES` in a folder and the folders in it.

    Hidden files and folders are passed over. Links to files are followed within the folder;
    links that lead out of it are skipped and reported, links to folders are passed over.

    Args:
        source: a folder, or one file.

    Raises:
        DocumentsError: there is no such folder or file, or the file has no such name.
    """
    if not source.exists():
        raise DocumentsError(f"{source} does not exist. Name a folder of documents.")
    if not source.is_dir():
        if source.suffix.lower() not in SUFFIXES:
            raise DocumentsError(
                f"{source} is not a document: its name ends in none of {', '.join(SUFFIXES)}."
            )
        return Folder(source.parent, (source.name,), (), ())
    root = source.resolve()
    paths: list[str] = []
    skipped: list[tuple[str, str]] = []
    unseen: list[str] = []

    def not_listed(error: OSError) -> None:
        path = Path(error.filename).relative_to(root).as_posix()
        if path == ".":
            raise DocumentsError(f"{source} cannot be read: {_reason(error)}.")
        unseen.append(path)
        skipped.append((_printable(path), _reason(error)))

    for place, folders, files in os.walk(root, onerror=not_listed):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if name.startswith(".") or not name.lower().endswith(SUFFIXES):
                continue
            file = Path(place, name)
            path = file.relative_to(root).as_posix()
            reason = _why_skipped(file, path, root)
            if reason:
                skipped.append((_printable(path), reason))
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
        content = Path(root, path).read_bytes()
    except OSError as error:
        raise UnreadableDocument(_reason(error)) from error
    return content, hashlib.sha256(content).hexdigest()


def read_document(root: Path, path: str) -> Document:
    """Read a document.

    Args:
        root: the folder.
        path: the document's path in it.

    Raises:
        UnreadableDocument: the file could not be read, or holds no text.
    """
    content, content_hash = read_content(root, path)
    return to_document(root, path, content, content_hash)


def to_document(root: Path, path: str, content: bytes, content_hash: str) -> Document:
    """Make a document of what `read_content` gave.

    Args:
        root: the folder.
        path: the document's path in it, whose end says in which format it is.
        content: the bytes of the file.
        content_hash: what stands for them.

    Raises:
        UnreadableDocument: the content is no text, what reads the format is not installed, or
            the file has vanished.
    """
    found = reader(path)(content)
    try:
        changed = Path(root, path).stat().st_mtime
        modified = datetime.fromtimestamp(changed, timezone.utc)
    except OSError as error:
        raise UnreadableDocument(_reason(error)) from error
    return Document(
        path=path,
        title=found.title or _title_from_name(path),
        text=found.text,
        modified=modified.isoformat(timespec="seconds"),
        hash=content_hash,
        date=found.date,
        url=found.url,
        language=found.language,
        format=found.format,
    )


def _title_from_name(path: str) -> str:
    """`guides/shipping-and_pickup.md` → "Shipping and pickup"."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    words = " ".join(stem.replace("-", " ").replace("_", " ").split()) or stem
    return words[:1].upper() + words[1:]


def _why_skipped(file: Path, path: str, root: Path) -> str | None:
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is not in UTF-8"
    try:
        leads_out = file.is_symlink() and root not in file.resolve().parents
    except (OSError, RuntimeError):
        # A link to itself; which of the two is raised depends on the version of Python.
        return "a link that leads nowhere"
    if leads_out:
        return "a link that leads out of the folder"
    if not file.exists():
        return "a link that leads nowhere"
    if not file.is_file():
        return "not a regular file"
    return None


def _printable(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
