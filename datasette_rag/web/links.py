"""The addresses of the ask pages, JSON APIs and event streams."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

if TYPE_CHECKING:
    from datasette.app import Datasette

    from ..events import Reply


Format = Literal["json", "stream"]

_SUFFIXES = {None: "/-/ask", "json": "/-/ask.json", "stream": "/-/ask/stream"}
_ON_THE_WEB = re.compile(r"https?://[^\s/]", re.IGNORECASE)


def ask_path(
    datasette: Datasette,
    database: str | None = None,
    table: str | None = None,
    format: Format | None = None,
) -> str:
    """The address of an ask page, or of the JSON API or event stream beside it.

    `database` and `table` are names as in `datasette.databases`. The address starts with
    `base_url`, is tilde-encoded and holds no host. Raises KeyError for an unknown database.
    """
    suffix = _SUFFIXES[format]
    if database is None:
        return str(datasette.urls.path(suffix))
    if table is None:
        return f"{datasette.urls.database(database)}{suffix}"
    return f"{datasette.urls.table(database, table)}{suffix}"


def answer_path(datasette: Datasette, id: str) -> str:
    """The address of a logged answer."""
    return str(datasette.urls.path(f"/-/ask/{id}"))


def answer_url(datasette: Datasette, reply: Reply) -> str | None:
    """Where this reply can be read again; None if it was not logged."""
    return answer_path(datasette, reply.id) if reply.logged else None


def admin_path(datasette: Datasette, format: Literal["json"] | None = None) -> str:
    """The address of the page about what was asked, or of its JSON."""
    return f"{ask_path(datasette)}/admin{'.json' if format else ''}"


def with_query(path: str, pairs: Iterable[tuple[str, str]]) -> str:
    """The address with these pairs as its query string, in their order."""
    query = urlencode(list(pairs))
    return f"{path}?{query}" if query else path


def on_the_web(url: str | None) -> str | None:
    """The address if it is one that a reader may be sent to (http or https), else None.

    It comes out of a row, so it can be anything, `javascript:` included.
    """
    if url is None:
        return None
    url = url.strip()
    return url if _ON_THE_WEB.match(url) else None
