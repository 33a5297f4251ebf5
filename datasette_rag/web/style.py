"""The style sheet that all pages of the plugin share."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datasette.app import Datasette

_STYLESHEET = Path(__file__).parent.parent / "static" / "ask.css"


def stylesheet(datasette: Datasette) -> str:
    """Its address, which changes with its content."""
    address = datasette.urls.static_plugins("datasette_rag", _STYLESHEET.name)
    return f"{address}?_hash={_hash()}"


@cache
def _hash() -> str:
    """What Datasette 1.0 compares with the file to let browsers keep it for good."""
    return hashlib.sha256(_STYLESHEET.read_bytes()).hexdigest()[:12]
