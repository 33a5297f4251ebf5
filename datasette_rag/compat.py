"""Every difference between Datasette 0.65 and 1.0, and nothing else.

The rest of the plugin calls these functions and never asks which Datasette it runs on.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
)

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.database import Database


Actor = Mapping[str, Any] | None
Value = TypeVar("Value")

logger = logging.getLogger("datasette_rag")


def is_1_0(datasette: Datasette) -> bool:
    """Whether this is Datasette 1.0's line: it has `allowed()`, 0.65 does not."""
    return hasattr(datasette, "allowed")


def state(datasette: Datasette, name: str, make: Callable[[], Value]) -> Value:
    """What the plugin keeps with this instance under `name`, made when first asked for."""
    kept: dict[str, Any] = datasette.__dict__.setdefault("_datasette_rag", {})
    if name not in kept:
        kept[name] = make()
    return kept[name]


def raw_config(datasette: Datasette) -> Mapping[str, Any]:
    """The whole configuration tree as the owner wrote it, `$env` references unresolved.

    On 0.65 that is the metadata, on 1.0 `datasette.yaml` (into which it moves `plugins:`
    of a metadata file by itself).
    """
    if is_1_0(datasette):
        return datasette.config or {}
    return datasette.metadata() or {}


async def allowed_everywhere(
    datasette: Datasette, actor: Actor, action: str, *, default: bool
) -> bool:
    """Whether the actor may do `action` on the instance as a whole.

    `default` counts on 0.65 where no rule speaks; on 1.0 rules, ours included, say it all.
    Where neither permission API is there the answer is no.
    """
    if is_1_0(datasette):
        return bool(await datasette.allowed(action=action, actor=actor))
    if hasattr(datasette, "permission_allowed"):
        return bool(await datasette.permission_allowed(actor, action, default=default))
    return False


async def database_page_opens(datasette: Datasette, actor: Actor, database: str) -> bool:
    """Whether the page of this database would open for this actor."""
    if is_1_0(datasette):
        from datasette.resources import DatabaseResource

        return bool(
            await datasette.allowed(
                action="view-database",
                resource=DatabaseResource(database),
                actor=actor,
            )
        )
    return await _ensured(datasette, actor, [("view-database", database), "view-instance"])


async def table_page_opens(datasette: Datasette, actor: Actor, database: str, table: str) -> bool:
    """Whether the page of this table or view would open for this actor."""
    if is_1_0(datasette):
        from datasette.resources import TableResource

        return bool(
            await datasette.allowed(
                action="view-table",
                resource=TableResource(database, table),
                actor=actor,
            )
        )
    return await _ensured(
        datasette,
        actor,
        [
            ("view-table", (database, table)),
            ("view-database", database),
            "view-instance",
        ],
    )


async def has_table(datasette: Datasette, database: str, table: str) -> bool:
    """Whether the database has a table or a view of this very name."""
    found = await datasette.databases[database].execute(
        "select 1 from sqlite_master where type in ('table', 'view') and name = ?", [table]
    )
    return bool(found.rows)


async def _ensured(datasette: Datasette, actor: Actor, permissions: list[Any]) -> bool:
    from datasette import Forbidden

    if not hasattr(datasette, "ensure_permissions"):
        return False
    try:
        await datasette.ensure_permissions(actor, permissions)
    except Forbidden:
        return False
    return True


def defaults_are_rules(datasette: Datasette) -> bool:
    """Whether what is allowed by default must be said by a rule: on 1.0, unless `--default-deny`."""
    return is_1_0(datasette) and not getattr(datasette, "default_deny", False)


def root_needs_a_rule(datasette: Datasette) -> bool:
    """Whether root may do nothing more than others until a rule says so (0.65)."""
    return not is_1_0(datasette)


def stores_queries(datasette: Datasette) -> bool:
    """Whether canned queries are rows to be registered (1.0) or asked of a hook (0.65)."""
    return is_1_0(datasette)


async def names_of_other_queries(
    datasette: Datasette, database: str, actor: Actor, ours: Collection[str]
) -> set[str]:
    """The names of the canned queries of a database that are not this plugin's.

    `ours` are the names that the plugin has registered; on 0.65, where nothing is
    registered, the plugin's own hook is left out instead.
    """
    if is_1_0(datasette):
        rows = await datasette.get_internal_database().execute(
            "select name from queries where database_name = ?", [database]
        )
        return {row[0] for row in rows.rows}.difference(ours)
    from datasette.plugins import pm
    from datasette.utils import await_me_maybe

    names = set(datasette.metadata("queries", database=database, fallback=False) or {})
    others = pm.subset_hook_caller("canned_queries", remove_plugins=[sys.modules[__package__]])
    for queries in others(datasette=datasette, database=database, actor=actor):
        names.update(await await_me_maybe(queries) or {})
    return names


async def store_query(
    datasette: Datasette, database: str, name: str, query: Mapping[str, Any]
) -> None:
    """Register a canned query on 1.0, so that it is gone at a start without the plugin.

    Datasette empties the queries of source `config` at every start, those of a plugin
    never; see `stores_queries`.
    """
    await datasette.add_query(
        database,
        name,
        query["sql"],
        title=query["title"],
        description=query["description"],
        parameters=query["params"],
        is_trusted=True,
        source="config",
    )


async def drop_query(datasette: Datasette, database: str, name: str) -> None:
    """Take back a canned query that `store_query` has registered."""
    await datasette.remove_query(database, name, source="config")


def is_of_a_database(datasette: Datasette, action: str) -> bool:
    """Whether this action of 1.0 is one on a database or on something in one."""
    known = datasette.actions.get(action)
    return known is not None and known.resource_class is not None


def is_of_a_table(datasette: Datasette, action: str) -> bool:
    """Whether this action of 1.0 is one on a table."""
    from datasette.resources import TableResource

    return datasette.actions[action].resource_class is TableResource


def internal_database(datasette: Datasette) -> Database | None:
    """Datasette's internal database; 0.65 has none."""
    return datasette.get_internal_database() if is_1_0(datasette) else None


async def write(database: Database, work: Callable[[Any], Value]) -> Value:
    """Do `work` with the database's write connection; transactions are its own business."""
    arguments = {"transaction": False} if is_1_0(database.ds) else {}
    result: Value = await database.execute_write_fn(work, **arguments)
    return result


def permission_rows(rows: Iterable[tuple[str | None, str | None, bool, str]]) -> Any:
    """1.0's permission rules for (database, table or query, allowed, reason); None is all."""
    from datasette.permissions import PermissionSQL

    return PermissionSQL(
        sql=(
            "select value ->> 0 as parent, value ->> 1 as child, value ->> 2 as allow, "
            "value ->> 3 as reason from json_each(:datasette_rag_rules)"
        ),
        params={
            "datasette_rag_rules": json.dumps([[*row[:2], int(row[2]), row[3]] for row in rows]),
        },
    )


def actions() -> list[Any]:
    """The plugin's actions, for 1.0's registry."""
    from datasette.permissions import Action

    return [
        Action(name="datasette-rag-ask", description="Ask questions"),
        Action(
            name="datasette-rag-admin",
            description="See the log, the feedback, the cost and the evals of questions",
        ),
    ]


def event_classes(datasette: Datasette) -> list[Any]:
    """The plugin's events, for 1.0's registry."""
    classes: list[Any] = state(datasette, "events", _make_event_classes)
    return classes


def _make_event_classes() -> list[Any]:
    from dataclasses import dataclass

    from datasette.events import Event

    @dataclass
    class AskedEvent(Event):
        """Event name: `datasette-rag-asked`. A question was asked, of all databases or here."""

        name = "datasette-rag-asked"
        database: str
        table: str
        answer: bool

    @dataclass
    class AnsweredEvent(Event):
        """Event name: `datasette-rag-answered`. A question was answered."""

        name = "datasette-rag-answered"
        question_id: str
        answerer: str
        outcome: str
        sources: int
        cost_usd: float

    return [AskedEvent, AnsweredEvent]


async def track_event(
    datasette: Datasette, name: Literal["asked", "answered"], actor: Actor, **properties: Any
) -> None:
    """Tell other plugins of an event on 1.0; one of them that fails is logged, no more."""
    if not is_1_0(datasette):
        return
    (event_class,) = (
        one for one in event_classes(datasette) if one.name == f"datasette-rag-{name}"
    )
    try:
        await datasette.track_event(event_class(actor=actor and dict(actor), **properties))
    except Exception:
        logger.exception("A plugin failed at the event datasette-rag-%s", name)


def open_files(
    files: Sequence[str],
    metadata: Mapping[str, Any] | None = None,
    config: Mapping[str, Any] | None = None,
    load_extensions: Sequence[Any] = (),
) -> Datasette:
    """A Datasette over these database files, as `datasette serve` makes it.

    Raises ValueError for `config` on 0.65, which keeps all of it in the metadata.
    """
    from datasette.app import Datasette

    arguments: dict[str, Any] = {
        "metadata": metadata,
        "sqlite_extensions": list(load_extensions),
    }
    if hasattr(Datasette, "allowed"):
        arguments["config"] = config or {}
    elif config is not None:
        raise ValueError("this Datasette (0.65) takes its configuration with -m, not with -c")
    return Datasette(list(files), **arguments)
