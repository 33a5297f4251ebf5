"""A logged answer under its own address, and what visitors say of it."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING

from datasette.utils.asgi import Forbidden, Request, Response

from ..ask.logged import LoggedAnswer, logged_answer
from ..events import Failed
from ..log import feedback
from ..log.feedback import FeedbackRefused
from ..log.place import LogRefused
from .json import logged_json
from .links import answer_path, with_query
from .page import error_page, rendered, reply_context
from .request import EVERYWHERE, Asked, Receive, RequestError, refuse_other_sites, values_in
from .responses import error_response, json_response

if TYPE_CHECKING:
    from datasette.app import Datasette

_CHANGES = {
    "changed": "This row has changed since it was answered from.",
    "gone": "This row is gone since it was answered from.",
}


async def answer_page(datasette: Datasette, request: Request) -> Response:
    """The page of the answer whose id is in the address.

    Raises Forbidden where the actor may not ask at all.
    """
    found = await _found(datasette, request)
    if isinstance(found, Failed):
        return await _refused(datasette, request, found)
    reply = found.reply
    context = await asyncio.to_thread(reply_context, datasette, reply)
    for source in context["sources"]:
        source["change"] = _CHANGES.get(found.freshness[source["number"]], "")
    path = answer_path(datasette, reply.id)
    return await rendered(
        datasette,
        request,
        EVERYWHERE,
        Asked(reply.question),
        context={
            **context,
            "asked": found.asked,
            "feedback_path": f"{path}/feedback",
            "feedback_reasons": feedback.REASONS,
            "feedback_given": request.args.get("feedback") == "given",
            "max_note_chars": feedback.MAX_NOTE_CHARS,
            "json_url": f"{path}.json",
            "alternate_url_json": f"{path}.json",
        },
    )


async def answer_json(datasette: Datasette, request: Request) -> Response:
    """The same as JSON: the reply, when it was asked, and how fresh each source is."""
    found = await _found(datasette, request)
    if isinstance(found, Failed):
        return error_response(datasette, found.status, found.message)
    url = answer_path(datasette, found.reply.id)
    data = await asyncio.to_thread(logged_json, found.reply, url, found.asked, found.freshness)
    return json_response(datasette, data)


async def feedback_given(datasette: Datasette, request: Request, receive: Receive) -> Response:
    """Take feedback from the form of the page, or as JSON."""
    as_json = request.headers.get("content-type", "").startswith("application/json")
    try:
        refuse_other_sites(request)
        values = await values_in(request, receive, ("rating", "reason", "note"))
        found = await _found(datasette, request)
        if isinstance(found, Failed):
            raise RequestError(found.status, found.message)
        await feedback.give(
            datasette,
            feedback.Feedback(
                found.reply.id,
                values["rating"],
                values["reason"] or None,
                values["note"].strip() or None,
            ),
            actor=request.actor,
        )
    except (RequestError, FeedbackRefused) as error:
        status, message = error.status, error.message
    except (sqlite3.Error, LogRefused):
        status, message = 500, "The feedback can't be written at the moment"
    else:
        if as_json:
            return json_response(datasette, {"ok": True})
        path = answer_path(datasette, found.reply.id)
        return Response.redirect(with_query(path, [("feedback", "given")]), status=303)
    if as_json:
        return error_response(datasette, status, message)
    return await error_page(datasette, request, status, message)


async def _found(datasette: Datasette, request: Request) -> LoggedAnswer | Failed:
    return await logged_answer(datasette, request.url_vars["id"], request.actor)


async def _refused(datasette: Datasette, request: Request, failed: Failed) -> Response:
    if failed.status == 403:
        raise Forbidden(failed.message)
    return await error_page(datasette, request, failed.status, failed.message)
