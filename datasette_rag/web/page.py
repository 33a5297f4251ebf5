"""The ask page: the form, and the answer with everything that it rests on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Forbidden, Request, Response
from markupsafe import Markup

from .. import permissions
from ..answerers.registry import FREE, answerers
from ..ask.ending import reply_to
from ..config import Config, load
from ..events import Failed, Reply, SearchedTable, Source
from .asking import events_of, while_connected
from .links import answer_path, ask_path, on_the_web, with_query
from .markdown import render
from .passages import segments
from .request import (
    EVERYWHERE,
    Asked,
    Receive,
    RequestError,
    Scope,
    asked_in,
    refuse_other_sites,
    scope_of,
)
from .responses import NO_ROBOTS, PRIVATE, http_status, retry_after
from .style import stylesheet

if TYPE_CHECKING:
    from datasette.app import Datasette

TEMPLATE = "datasette_rag_ask.html"
NOTHING = Asked()

_ERROR_TITLES = {
    400: "This question can't be taken",
    403: "This is not allowed",
    404: "Not found",
    405: "This is not how to ask",
    413: "This is too long",
    415: "This question can't be taken",
    500: "The search did not work",
}
_TABLE_STATUS = {
    "timed_out": "The search took too long and was stopped.",
    "error": "The search failed.",
    "out_of_date": "The search index does not match the table.",
    "wrong_script": "The search index can't find words in this script.",
}
# What is said where there is no answer; `nothing_found` and `unknown` are the owner's to word.
_NO_ANSWER = {
    "nothing_searchable": "There is nothing here that can be searched.",
    "refused": "The model declined to answer this question.",
    "failed": "The model gave no answer.",
    "limited": "There have been too many questions.",
}


async def page(datasette: Datasette, request: Request, receive: Receive) -> Response | None:
    """The page for this request; None if the client went away while it was made.

    Raises Forbidden where the actor may not ask: Datasette then lets plugins, which may know
    how to sign in, say what to do.
    """
    asked = NOTHING
    try:
        scope = scope_of(datasette, request)
        asked = await asked_in(datasette, request, receive)
        refuse_other_sites(request)
    except RequestError as error:
        return await error_page(datasette, request, error.status, error.message, asked=asked)
    if asked.question:
        return await _answered(datasette, request, receive, scope, asked)
    refused = await permissions.refusal(
        datasette, request.actor, database=scope.database, table=scope.table
    )
    if refused is not None:
        return await _failed(datasette, request, scope, asked, refused)
    return await rendered(datasette, request, scope, asked)


async def error_page(
    datasette: Datasette,
    request: Request,
    status: int,
    message: str,
    *,
    scope: Scope = EVERYWHERE,
    asked: Asked = NOTHING,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An error in words, with that HTTP status, and the form to ask again.

    `scope` must be one that the actor may see.
    """
    context = {
        "error_title": _ERROR_TITLES.get(status, "Error"),
        "error_message": message,
    }
    return await rendered(
        datasette, request, scope, asked, context=context, status=status, headers=headers
    )


async def _answered(
    datasette: Datasette, request: Request, receive: Receive, scope: Scope, asked: Asked
) -> Response | None:
    reply = await while_connected(receive, reply_to(events_of(datasette, request, scope, asked)))
    if reply is None:
        return None
    if isinstance(reply, Failed):
        return await _failed(datasette, request, scope, asked, reply)
    if request.method == "POST" and reply.logged and reply.error is None:
        # A reload of the answer's own address asks nobody again. Where something went wrong,
        # asking again is what a reload is for.
        return Response.redirect(answer_path(datasette, reply.id), status=303)
    return await rendered(
        datasette,
        request,
        scope,
        asked,
        context=await asyncio.to_thread(reply_context, datasette, reply),
        status=http_status(reply),
        headers=retry_after(reply),
    )


async def _failed(
    datasette: Datasette, request: Request, scope: Scope, asked: Asked, failed: Failed
) -> Response:
    if failed.status == 403:
        raise Forbidden(failed.message)
    if failed.status == 404:
        # A name that may not be seen must not come back in a form or a trail.
        scope = EVERYWHERE
        asked = replace(asked, tables=None)
    return await error_page(
        datasette, request, failed.status, failed.message, scope=scope, asked=asked
    )


async def rendered(
    datasette: Datasette,
    request: Request,
    scope: Scope,
    asked: Asked,
    *,
    context: Mapping[str, Any] | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The page with its form, and with what the context has besides."""
    html = await datasette.render_template(
        TEMPLATE,
        {**_form_context(datasette, scope, asked), **(context or {})},
        request=request,
        view_name="datasette-rag-ask",
    )
    return Response(
        # A title or passage can hold what no encoding can carry.
        html.encode("utf-8", "replace"),
        status=status,
        headers={**PRIVATE, **(NO_ROBOTS if asked.question else {}), **(headers or {})},
        content_type="text/html; charset=utf-8",
    )


def _form_context(datasette: Datasette, scope: Scope, asked: Asked) -> dict[str, Any]:
    """What the page needs with and without a reply."""
    config = load(datasette)
    path = ask_path(datasette, scope.database, scope.table)
    json_path = ask_path(datasette, scope.database, scope.table, format="json")
    json_url = with_query(json_path, asked.pairs()) if asked.question else None
    return {
        "stylesheet": stylesheet(datasette),
        "database": scope.database,
        "table": scope.table,
        "path": path,
        "everywhere": ask_path(datasette) if scope.database else None,
        "question": asked.question,
        "max_question_chars": config.max_question_chars,
        "fields": _kept_fields(asked),
        "all_fields": asked.pairs(),
        "narrowed_to": [
            {"database": database, "table": table} for database, table in asked.tables or ()
        ],
        "without_narrowing": with_query(
            path, [pair for pair in asked.pairs() if pair[0] != "table"]
        ),
        "examples": [
            {"question": example, "url": with_query(path, [("question", example)])}
            for example in config.examples
        ],
        "json_url": json_url,
        # Datasette's own base template makes a <link rel="alternate"> of it.
        "alternate_url_json": json_url,
    }


def _kept_fields(asked: Asked) -> list[tuple[str, str]]:
    """What the next question keeps of this one: where to search, not the keywords."""
    return [pair for pair in asked.pairs() if pair[0] in ("table", "answer")]


def reply_context(datasette: Datasette, reply: Reply) -> dict[str, Any]:
    """What the page shows of a reply. It renders the answer, which can take a while."""
    config = load(datasette)
    numbers = [source.number for source in reply.sources]
    configured = answerers(datasette)[config.answerer or FREE]
    return {
        "reply": reply,
        "answer_html": Markup(render(_answer_text(reply, config), numbers)),
        "extractive": reply.answered and reply.answerer == "extractive",
        "model": reply.models.get("answer"),
        # Not where it has been asked already, and what it would be told is known.
        "better": configured
        if configured.name != reply.answerer and reply.sources and reply.outcome
        else None,
        "sources": [_source_context(source) for source in reply.sources],
        "checks_fine": all(check.ok for check in reply.checks),
        "tables": [_table_context(table) for table in reply.tables],
        "seconds": reply.timings_ms.get("total", 0.0) / 1000,
    }


def _answer_text(reply: Reply, config: Config) -> str:
    """The answer, or what is said in its place."""
    if reply.answer or reply.outcome is None:
        return reply.answer
    return _NO_ANSWER.get(reply.outcome, config.no_answer)


def _source_context(source: Source) -> dict[str, Any]:
    return {
        "number": source.number,
        "title": source.title.strip() or " ".join(source.pks) or source.table,
        "row_url": source.row_url,
        "url": on_the_web(source.url),
        "heading": _below_title(source.heading, source.title),
        "date": source.date,
        "database": source.database,
        "table": source.table,
        "cited": source.cited,
        "segments": segments(source.passage, source.quotes),
    }


def _below_title(heading: str, title: str) -> str:
    """The trail of headings without the title, which stands above it already."""
    return "" if heading == title else heading.removeprefix(f"{title} > ")


def _table_context(table: SearchedTable) -> dict[str, Any]:
    return {
        "database": table.database,
        "table": table.table,
        "rows": table.rows,
        "query_url": table.query_url,
        "ok": table.status == "ok",
        "problem": table.message or _TABLE_STATUS.get(table.status, ""),
    }
