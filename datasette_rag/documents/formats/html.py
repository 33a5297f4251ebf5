"""Pages of HTML: their main content, as Markdown."""

from __future__ import annotations

from ...text.clean import clean
from ...text.headings import document_title
from ...text.html_page import declared_charset, read_page
from ..encodings import decoded
from . import front_matter
from .content import Content

_HEAD = 4096  # bytes in which a page has to name its encoding; browsers look at 1024


def read(content: bytes) -> Content:
    """Read a page of HTML, with or without front matter.

    Args:
        content: the bytes of the file.

    Raises:
        UnreadableDocument: they are no text.
    """
    text = clean(decoded(content, declared_charset(content[:_HEAD].decode("latin-1"))))
    said, source = front_matter.split(text)
    page = read_page(source)
    return Content(
        text=page.markdown,
        format="markdown",
        title=front_matter.title(said) or document_title(page.markdown) or page.title,
        date=front_matter.iso_date(said) or front_matter.as_date(page.date),
        url=front_matter.url(said) or front_matter.as_url(page.url or ""),
        language=front_matter.language(said) or front_matter.as_language(page.language or ""),
    )
