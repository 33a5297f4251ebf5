"""The routes, and which methods they take.

The faces are imported when the first request comes, so that they do not slow the start.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from datasette.utils.asgi import Request, Response

if TYPE_CHECKING:
    from datasette.app import Datasette

    from .request import Receive
    from .stream import Send

View = Callable[..., Awaitable[Any]]
MaybeResponse = TypeVar("MaybeResponse", Response, Response | None)

# A "%" is left to Datasette, which redirects to the tilde-encoded address.
_SCOPES = (
    "",
    "/(?P<database>[^/%]+)",
    "/(?P<database>[^/%]+)/(?P<table>[^/%]+)",
)
_METHODS = ("GET", "HEAD", "POST")
_READING = ("GET", "HEAD")
_ID = "(?P<id>[0-9a-f]{32})"


def routes() -> list[tuple[str, View]]:
    """Every (regular expression, view) of ours, for Datasette's hook `register_routes`."""
    of_questions: list[tuple[str, View]] = [
        ("", page_view),
        (r"\.json", json_view),
        ("/stream", stream_view),
    ]
    of_answers: list[tuple[str, View]] = [
        ("", answer_view),
        (r"\.json", answer_json_view),
        ("/feedback", feedback_view),
    ]
    return [
        *((f"^{scope}/-/ask{end}$", view) for scope in _SCOPES for end, view in of_questions),
        *((f"^/-/ask/{_ID}{end}$", view) for end, view in of_answers),
        ("^/-/ask/admin$", admin_view),
        (r"^/-/ask/admin\.json$", admin_json_view),
    ]


async def page_view(datasette: Datasette, request: Request, receive: Receive) -> Response | None:
    """The page."""
    from .page import error_page, page

    if request.method == "OPTIONS":
        return Response("", status=204, headers=_allow(_METHODS))
    if request.method not in _METHODS:
        return await error_page(datasette, request, 405, _only(_METHODS), headers=_allow(_METHODS))
    return _for_method(request, await page(datasette, request, receive))


async def json_view(datasette: Datasette, request: Request, receive: Receive) -> Response | None:
    """The JSON API."""
    from .api import reply_as_json

    refused = _other_methods(datasette, request, _METHODS)
    return refused or _for_method(request, await reply_as_json(datasette, request, receive))


async def stream_view(
    datasette: Datasette, request: Request, send: Send, receive: Receive
) -> Response | None:
    """The event stream."""
    from .stream import reply_as_stream

    refused = _other_methods(datasette, request, ("POST",))
    return refused or await reply_as_stream(datasette, request, send, receive)


async def answer_view(datasette: Datasette, request: Request) -> Response:
    """The page of a logged answer."""
    from .answer import answer_page

    return await _page_to_read(datasette, request, answer_page)


async def answer_json_view(datasette: Datasette, request: Request) -> Response:
    """A logged answer as JSON."""
    from .answer import answer_json

    refused = _other_methods(datasette, request, _READING)
    return refused or _for_method(request, await answer_json(datasette, request))


async def feedback_view(datasette: Datasette, request: Request, receive: Receive) -> Response:
    """Feedback on a logged answer."""
    from .answer import feedback_given

    refused = _other_methods(datasette, request, ("POST",))
    return refused or await feedback_given(datasette, request, receive)


async def admin_view(datasette: Datasette, request: Request) -> Response:
    """The page about what was asked."""
    from .admin import admin_page

    return await _page_to_read(datasette, request, admin_page)


async def admin_json_view(datasette: Datasette, request: Request) -> Response:
    """The same as JSON."""
    from .admin import admin_json

    refused = _other_methods(datasette, request, _READING)
    return refused or _for_method(request, await admin_json(datasette, request))


async def _page_to_read(
    datasette: Datasette,
    request: Request,
    page: Callable[[Datasette, Request], Awaitable[Response]],
) -> Response:
    from .page import error_page

    if request.method not in _READING:
        return await error_page(datasette, request, 405, _only(_READING), headers=_allow(_READING))
    return _for_method(request, await page(datasette, request))


def _other_methods(
    datasette: Datasette, request: Request, methods: tuple[str, ...]
) -> Response | None:
    from .responses import api_headers, error_response

    if request.method == "OPTIONS":
        headers = {**api_headers(datasette), **_allow(methods)}
        return Response("", status=204, headers=headers)
    if request.method not in methods:
        return error_response(datasette, 405, _only(methods), _allow(methods))
    return None


def _allow(methods: tuple[str, ...]) -> dict[str, str]:
    return {"Allow": ", ".join(methods)}


def _only(methods: tuple[str, ...]) -> str:
    return f"This address takes only {', '.join(methods)}"


def _for_method(request: Request, response: MaybeResponse) -> MaybeResponse:
    if response is not None and request.method == "HEAD":
        response.body = ""
    return response
