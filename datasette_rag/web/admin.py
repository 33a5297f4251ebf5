"""The page for admins: what was asked, what stayed unanswered, what visitors complain of, the cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Forbidden, Request, Response

from .. import permissions
from ..compat import Actor
from ..log.feedback import REASONS
from ..log.figures import DAYS, Day, figures, per_day
from ..log.place import LogRefused, opened, place, why_not
from ..log.read import parsed, thumbs_down, unanswered
from ..log.rows import Row
from ..log.schema import TABLES, VIEWS
from .links import admin_path, answer_path, ask_path, with_query
from .responses import NO_ROBOTS, PRIVATE, error_response, json_response
from .style import stylesheet

if TYPE_CHECKING:
    from datasette.app import Datasette

TEMPLATE = "datasette_rag_admin.html"
UNANSWERED_SHOWN = 50
THUMBS_SHOWN = 20
LINE_WIDTH, LINE_HEIGHT = 600, 80


class LogUnreadable(Exception):
    """The log is there and can't be read now; the message is one line."""


async def admin_page(datasette: Datasette, request: Request) -> Response:
    """The page. Raises Forbidden where the actor may not see the log."""
    refused = await permissions.admin_refusal(datasette, request.actor)
    if refused is not None:
        raise Forbidden(refused.message)
    report: dict[str, Any] = {}
    problem = ""
    try:
        report = await _report(datasette, request.actor)
    except LogUnreadable as error:
        problem = str(error)
    json_url = admin_path(datasette, "json")
    html = await datasette.render_template(
        TEMPLATE,
        {
            "stylesheet": stylesheet(datasette),
            "problem": problem,
            "report": report,
            "reasons": REASONS,
            "line": _line([day["asked"] for day in report.get("per_day", [])]),
            "json_url": json_url,
            "alternate_url_json": json_url,
        },
        request=request,
        view_name="datasette-rag-admin",
    )
    return Response(
        html,
        status=500 if problem else 200,
        headers={**PRIVATE, **NO_ROBOTS},
        content_type="text/html; charset=utf-8",
    )


async def admin_json(datasette: Datasette, request: Request) -> Response:
    """What the page shows, as JSON."""
    refused = await permissions.admin_refusal(datasette, request.actor)
    if refused is not None:
        return error_response(datasette, refused.status, refused.message)
    try:
        return json_response(datasette, await _report(datasette, request.actor))
    except LogUnreadable as error:
        return error_response(datasette, 500, str(error))


async def _report(datasette: Datasette, actor: Actor) -> dict[str, Any]:
    """All that there is to say of the log, as `admin.json` gives it; without a log, why.

    Raises LogUnreadable.
    """
    now = datetime.now(timezone.utc)

    def read(conn: sqlite3.Connection) -> dict[str, Any]:
        return {
            "today": asdict(figures(conn, now, 1)),
            "last_30_days": asdict(figures(conn, now, DAYS)),
            "per_day": [_day(day) for day in per_day(conn, now)],
            "unanswered": [
                _topic(datasette, row) for row in unanswered(conn, limit=UNANSWERED_SHOWN)
            ],
            "thumbs_down": [
                _thumb(datasette, row) for row in thumbs_down(conn, limit=THUMBS_SHOWN)
            ],
        }

    try:
        database = await opened(datasette)
        found = await database.execute_fn(read) if database else {}
    except (sqlite3.Error, LogRefused) as error:
        raise LogUnreadable(f"The log can't be read at the moment: {error}") from error
    log = place(datasette)
    return {
        "ok": True,
        "log": {"kind": log.kind, "database": log.database, "problem": why_not(datasette) or None},
        **found,
        "tables": await _tables(datasette, actor) if database else [],
    }


def _day(day: Day) -> dict[str, Any]:
    return {"day": day.day.isoformat(), "asked": day.asked}


def _topic(datasette: Datasette, row: Row) -> dict[str, Any]:
    question = row["last_question"]
    return {
        **parsed(row),
        "search_url": with_query(ask_path(datasette), [("question", question)]),
        "answer_url": answer_path(datasette, row["last_id"]),
    }


def _thumb(datasette: Datasette, row: Row) -> dict[str, Any]:
    shown = ("given", "reason", "note", "question", "question_id")
    return {
        **{name: row[name] for name in shown},
        "answer_url": answer_path(datasette, row["question_id"]),
    }


async def _tables(datasette: Datasette, actor: Actor) -> list[dict[str, str]]:
    """Datasette's own pages of the log, where it has some that would open for this actor."""
    database = place(datasette).database
    if database is None:
        return []
    names = (*TABLES, *VIEWS)
    opening = await permissions.visible(datasette, actor, [(database, name) for name in names])
    return [
        {"name": name, "url": str(datasette.urls.table(database, name))}
        for name in names
        if (database, name) in opening
    ]


def _line(counts: Sequence[int]) -> dict[str, Any]:
    """A line through these counts, for an SVG of this width and height."""
    highest = max(counts, default=0)
    step = LINE_WIDTH / max(1, len(counts) - 1)
    points = (
        f"{number * step:.1f},{LINE_HEIGHT * (1 - count / max(1, highest)):.1f}"
        for number, count in enumerate(counts)
    )
    return {
        "points": " ".join(points),
        "highest": highest,
        "width": LINE_WIDTH,
        "height": LINE_HEIGHT,
    }
