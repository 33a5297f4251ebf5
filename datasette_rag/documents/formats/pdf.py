"""PDF: the text of its pages."""

from __future__ import annotations

import io
import logging

from ...text.clean import clean
from ..errors import UnreadableDocument
from .content import Content


def read(content: bytes) -> Content:
    """Read a PDF.

    Args:
        content: the bytes of the file.

    Raises:
        UnreadableDocument: pypdf is not installed or cannot read the file, or there is no
            text in it, as in one made of scanned pages.
    """
    try:
        import pypdf
    except ImportError:
        raise UnreadableDocument("needs pypdf: datasette install 'datasette-rag[pdf]'") from None
    # It reports every oddity of a file that it can read all the same.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableDocument("it needs a password")
        pages = [page.extract_text() for page in reader.pages]
        metadata = reader.metadata
        title = metadata.title if metadata is not None else None
        created = metadata.creation_date if metadata is not None else None
    except UnreadableDocument:
        raise
    except Exception as error:
        # Damaged files raise whatever comes up on the way.
        raise UnreadableDocument("not a PDF that can be read") from error
    text = clean("\n\n".join(page.strip() for page in pages if page.strip()))
    if not text.strip():
        raise UnreadableDocument("there is no text in it, only pictures")
    return Content(
        text=text,
        format="plain",
        title=" ".join(clean(str(title)).split()) or None if title else None,
        date=created.isoformat() if created is not None else None,
    )
