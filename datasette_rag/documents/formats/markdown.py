"""Markdown, with or without front matter."""

from __future__ import annotations

from ...text.clean import clean
from ...text.headings import document_title
from ..encodings import decoded
from . import front_matter
from .content import Content


def read(content: bytes) -> Content:
    """Read Markdown (CommonMark, with the tables of GitHub).

    Args:
        content: the bytes of the file.

    Raises:
        UnreadableDocument: they are no text.
    """
    said, text = front_matter.split(clean(decoded(content)))
    return described(said, text)


def described(said: front_matter.Said, text: str) -> Content:
    """Markdown with what its front matter says, or else its headings."""
    return Content(
        text=text,
        format="markdown",
        title=front_matter.title(said) or document_title(text),
        date=front_matter.iso_date(said),
        url=front_matter.url(said),
        language=front_matter.language(said),
    )
