"""HTTP responses and their headers: caching, robots, CORS, errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from datasette.utils import add_cors_headers
from datasette.utils.asgi import Response

from ..events import Reply
from .json import dumps, error_json

if TYPE_CHECKING:
    from datasette.app import Datasette

# What a reply holds depends on who asks, which can be told by more than cookies: no shared
# cache may keep it. Datasette itself adds `no-store` for whoever is signed in.
PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Cookie, Authorization"}
NO_ROBOTS = {"X-Robots-Tag": "noindex"}


def api_headers(datasette: Datasette) -> dict[str, str]:
    """The headers of everything that is not a page, with those of CORS under `--cors`."""
    headers = {**PRIVATE, **NO_ROBOTS}
    if datasette.cors:
        add_cors_headers(headers)
        # 0.65 leaves these out, and a browser asks for them before it sends JSON.
        headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
        headers["Access-Control-Allow-Methods"] = "GET, HEAD, POST, OPTIONS"
        headers["Access-Control-Max-Age"] = "3600"
    return headers


def json_response(
    datasette: Datasette,
    data: Mapping[str, Any],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A JSON response with the headers that every one of ours has."""
    return Response(
        dumps(data),
        status=status,
        headers={**api_headers(datasette), **(headers or {})},
        content_type="application/json; charset=utf-8",
    )


def error_response(
    datasette: Datasette,
    status: int,
    message: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An error in Datasette 1.0's form, with that HTTP status."""
    return json_response(datasette, error_json(status, message), status, headers)


def http_status(reply: Reply) -> int:
    """200 for whatever was served, 429 for what the limits turned away."""
    return 200 if reply.ok else 429


def retry_after(reply: Reply) -> dict[str, str]:
    """The header that tells when to ask again, where that is known."""
    if reply.ok or reply.error is None or reply.error.retry_after is None:
        return {}
    return {"Retry-After": str(math.ceil(reply.error.retry_after))}
