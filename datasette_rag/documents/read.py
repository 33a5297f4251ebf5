"""The bytes of a Markdown or text file to a document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from ..text.clean import clean
from ..text.headings import document_title
from .errors import UnreadableDocument
from .folder import MARKDOWN_SUFFIXES, read_content, reason


@dataclass(frozen=True)
class Document:
    """A file that was read.

    `path` is relative to the folder, with `/` between its parts. `text` is its content with
    `\\n` as line end and without control characters: offsets of passages count in it.
    `modified` is the time of its last change, ISO 8601 in UTC; `hash` the SHA-256 of its
    bytes, in hexadecimal. `date`, `url` and `language` are what the document says of itself.
    """

    path: str
    title: str
    text: str
    modified: str
    hash: str
    date: str | None = None
    url: str | None = None
    language: str | None = None

    @property
    def format(self) -> Literal["markdown", "plain"]:
        """What the file's name says that it is written in."""
        return "markdown" if _is_markdown(self.path) else "plain"


def read_document(root: Path, path: str) -> Document:
    """Read a document.

    Its text is UTF-8, or else Windows-1252. The title is the document's own, if it is
    Markdown and has a heading (see `document_title`), else it is made of the file's name.

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
        path: the document's path in it.
        content: the bytes of the file.
        content_hash: what stands for them.

    Raises:
        UnreadableDocument: the content is no text, or the file has vanished.
    """
    text = clean(_decoded(content))
    try:
        changed = Path(root, path).stat().st_mtime
        modified = datetime.fromtimestamp(changed, timezone.utc)
    except OSError as error:
        raise UnreadableDocument(reason(error)) from error
    title = document_title(text) if _is_markdown(path) else None
    return Document(
        path=path,
        title=title or _title_from_name(path),
        text=text,
        modified=modified.isoformat(timespec="seconds"),
        hash=content_hash,
    )


def _is_markdown(path: str) -> bool:
    return path.lower().endswith(MARKDOWN_SUFFIXES)


def _decoded(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
        if b"\0" not in content:
            try:
                return content.decode("cp1252")
            except UnicodeDecodeError:
                pass
        raise UnreadableDocument("not a text in UTF-8 or Windows-1252") from None
    # UTF-16 without a mark is valid UTF-8, every other character of it a NUL. A single stray
    # NUL makes no file binary.
    if text.count("\0") * 10 > len(text):
        raise UnreadableDocument("not a text in UTF-8 or Windows-1252")
    return text


def _title_from_name(path: str) -> str:
    """`guides/shipping-and_pickup.md` → "Shipping and pickup"."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    words = " ".join(stem.replace("-", " ").replace("_", " ").split()) or stem
    return words[:1].upper() + words[1:]
