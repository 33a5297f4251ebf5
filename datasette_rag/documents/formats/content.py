"""What is in a document, whatever the format of its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Format = Literal["markdown", "html", "plain"]


@dataclass(frozen=True)
class Content:
    """The text of a document and what it says of itself, None where it says nothing.

    `format` is how the text is to be cut: pages of HTML, say, have become Markdown by then.
    `date` is ISO 8601; `url` an address on the web, or a path on a site that begins with `/`.
    """

    text: str
    format: Format
    title: str | None = None
    date: str | None = None
    url: str | None = None
    language: str | None = None
