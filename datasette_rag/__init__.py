"""Answers questions from the rows of a Datasette, with citations.

This is the plugin's front door: Datasette's hooks, each handing on to a room below.
"""

from __future__ import annotations

from typing import Any

from datasette import hookimpl
from datasette.plugins import pm

from . import hookspecs
from .ask import ask

__all__ = ["ask"]

pm.add_hookspecs(hookspecs)

# The rooms are imported when they are first needed: importing the plugin must stay fast.


@hookimpl
def startup(datasette: Any) -> Any:
    from .start import start

    return lambda: start(datasette)


@hookimpl
def register_rag_answerers(datasette: Any) -> Any:
    from .answerers.claude import ClaudeAnswerer
    from .answerers.extractive import ExtractiveAnswerer

    return [ExtractiveAnswerer(), ClaudeAnswerer(datasette)]


@hookimpl
def asgi_wrapper(datasette: Any) -> Any:
    from . import permissions, start

    return lambda app: permissions.per_request(start.stopped_at_shutdown(app, datasette))


@hookimpl
def prepare_connection(conn: Any, database: str, datasette: Any) -> None:
    from .log import place
    from .retrieval import fts4

    fts4.register(conn)
    place.settle(datasette, database, conn)


@hookimpl
def register_routes() -> Any:
    from .web.routes import routes

    return routes()


@hookimpl
def register_commands(cli: Any) -> None:
    from .cli import register

    register(cli)


@hookimpl
def menu_links(datasette: Any, actor: Any) -> Any:
    from .web import menus

    return lambda: menus.menu(datasette, actor)


@hookimpl
def homepage_actions(datasette: Any, actor: Any) -> Any:
    from .web import menus

    return lambda: menus.homepage_links(datasette, actor)


@hookimpl
def database_actions(datasette: Any, actor: Any, database: str) -> Any:
    from .web import menus

    return lambda: menus.database_links(datasette, actor, database)


@hookimpl
def table_actions(datasette: Any, actor: Any, database: str, table: str) -> Any:
    from .web import menus

    return lambda: menus.table_links(datasette, actor, database, table)


# Datasette 0.65 asks these two. Its last answer wins: ours must be it for our own queries.


@hookimpl(tryfirst=True)
def get_metadata(key: Any, database: Any) -> Any:
    # Datasette puts what canned_queries returns into the very dictionary that it has the
    # owner's queries in. This makes that dictionary a new one for each call.
    if key == "queries" and database is not None:
        return {"databases": {database: {"queries": {}}}}
    return {}


@hookimpl
def canned_queries(datasette: Any, database: str, actor: Any) -> Any:
    from .retrieval import canned

    return lambda: canned.queries(datasette, database, actor)


@hookimpl(trylast=True)
def permission_allowed(datasette: Any, actor: Any, action: str, resource: Any) -> Any:
    from . import permissions

    if permissions.is_private(datasette, resource):
        return lambda: permissions.private_verdict(datasette, actor, action)
    if action == "view-query" and resource is not None:
        from .retrieval import canned

        return lambda: canned.query_opens(datasette, actor, *resource)
    return permissions.verdict(datasette, actor, action)


# Datasette 1.0 asks these three.


@hookimpl
def register_events(datasette: Any) -> Any:
    from . import compat

    return compat.event_classes(datasette)


@hookimpl
def register_actions() -> Any:
    from . import compat

    return compat.actions()


@hookimpl
async def permission_resources_sql(datasette: Any, actor: Any, action: str) -> Any:
    from . import compat, permissions

    rows = [
        (*row, "the log of datasette-rag is its admins' alone")
        for row in await permissions.private_rows(datasette, actor, action)
    ]
    if action == "view-query":
        from .retrieval import canned

        rows += [
            (*row, "a query of datasette-rag opens as its table does")
            for row in await canned.query_verdicts(datasette, actor)
        ]
    verdict = permissions.verdict(datasette, actor, action)
    if verdict is not None:
        rows.append((None, None, verdict, "the configuration of datasette-rag"))
    return compat.permission_rows(rows) if rows else None
