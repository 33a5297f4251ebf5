"""The bytes of a file to a document, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from .errors import UnreadableDocument
from .folder import read_content, reason
from .formats import reader
from .formats.content import Format


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
    try:
        found = reader(path)(content)
    except UnreadableDocument:
        raise
    except Exception as error:
        # One odd file must not keep the others from being read, whatever its parser stumbles over.
        raise UnreadableDocument(f"its content can't be read: {type(error).__name__}") from error
    try:
        changed = Path(root, path).stat().st_mtime
        modified = datetime.fromtimestamp(changed, timezone.utc)
    except OSError as error:
        raise UnreadableDocument(reason(error)) from error
    except (ValueError, OverflowError) as error:
        raise UnreadableDocument("the time of its last change is none that can be") from error
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
