"""Plain text: no markup, no heading."""

from __future__ import annotations

from ...text.clean import clean
from ..encodings import decoded
from .content import Content


def read(content: bytes) -> Content:
    """Read plain text.

    Args:
        content: the bytes of the file.

    Raises:
        UnreadableDocument: they are no text.
    """
    return Content(clean(decoded(content)), "plain")
