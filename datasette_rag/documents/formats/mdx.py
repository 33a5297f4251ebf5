"""MDX: Markdown with JSX in it, read without the JSX."""

from __future__ import annotations

from ...text.clean import clean
from ...text.mdx import mdx_to_markdown
from ..encodings import decoded
from . import front_matter
from .content import Content
from .markdown import described


def read(content: bytes) -> Content:
    """Read MDX.

    Args:
        content: the bytes of the file.

    Raises:
        UnreadableDocument: they are no text.
    """
    said, source = front_matter.split(clean(decoded(content)))
    return described(said, mdx_to_markdown(source))
