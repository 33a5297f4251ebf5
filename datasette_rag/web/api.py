"""The JSON API: the whole reply to one question, or an error."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from datasette.utils.asgi import Request, Response

from ..ask.ending import reply_to
from ..events import Failed
from .asking import events_of, while_connected
from .json import reply_json
from .links import answer_url
from .request import Receive, RequestError, asked_in, refuse_other_sites, scope_of
from .responses import error_response, http_status, json_response, retry_after

if TYPE_CHECKING:
    from datasette.app import Datasette


async def reply_as_json(
    datasette: Datasette, request: Request, receive: Receive
) -> Response | None:
    """The reply to the request's question, or an error; None if the client went away."""
    try:
        refuse_other_sites(request)
        scope = scope_of(datasette, request)
        asked = await asked_in(datasette, request, receive)
    except RequestError as error:
        return error_response(datasette, error.status, error.message)
    reply = await while_connected(receive, reply_to(events_of(datasette, request, scope, asked)))
    if reply is None:
        return None
    if isinstance(reply, Failed):
        return error_response(datasette, reply.status, reply.message)
    # In a thread: a long answer takes a while to render, and others wait for the event loop.
    data = await asyncio.to_thread(reply_json, reply, answer_url(datasette, reply))
    return json_response(datasette, data, http_status(reply), retry_after(reply))
