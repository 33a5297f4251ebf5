"""An answer out of the log, as it is today: for whom it is, and which sources have changed since."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from datasette.utils import tilde_encode

from .. import permissions
from ..compat import Actor
from ..events import Failed, Quote, Reply, SearchedTable, Source
from ..log.place import LogRefused, opened
from ..log.read import LoggedQuestion, question
from ..log.rows import LoggedSource, passage_hash
from ..retrieval.canned import searchable_by
from ..retrieval.catalogue import catalogue
from ..retrieval.rows import Key, passages_of_rows
from ..retrieval.tables import SearchableTable

if TYPE_CHECKING:
    from datasette.app import Datasette

Freshness = Literal["unchanged", "changed", "gone"]
Table = tuple[str, str]

NOT_FOUND = Failed(404, "There is no such answer")


@dataclass(frozen=True)
class LoggedAnswer:
    """A reply out of the log.

    Its sources have the text that their rows have now; a source that is not `unchanged`
    (`freshness` by its number) has none. `asked` is when it was asked, ISO 8601 in UTC.
    """

    reply: Reply
    asked: str
    freshness: Mapping[int, Freshness]


async def logged_answer(datasette: Datasette, id: str, actor: Actor) -> LoggedAnswer | Failed:
    """The answer with this id, for whoever may ask and may see all of its sources now.

    One that does not exist and one that the actor may not see get the same reply.
    """
    refused = await permissions.refusal(datasette, actor)
    if refused is not None:
        return refused
    try:
        database = await opened(datasette)
        found = database and await database.execute_fn(lambda conn: question(conn, id))
    except (sqlite3.Error, LogRefused):
        return Failed(500, "The log can't be read at the moment")
    if not found:
        return NOT_FOUND
    tables = {(source.database, source.table) for source in found.sources}
    searchable = await _searchable(datasette, actor, tables)
    if searchable is None:
        return NOT_FOUND
    passages = await _passages(datasette, searchable, found)
    sources, freshness = [], {}
    for source in found.sources:
        passage, state = _passage(source, passages.get((source.database, source.table), {}))
        freshness[source.number] = state
        sources.append(_as_source(datasette, source, passage))
    reply = replace(
        found.reply,
        sources=tuple(sources),
        tables=await _visible_tables(datasette, actor, found),
    )
    return LoggedAnswer(reply, found.asked, freshness)


async def _searchable(
    datasette: Datasette, actor: Actor, tables: set[Table]
) -> dict[Table, SearchableTable] | None:
    """The tables that can still be searched; None if the actor may not see one of all."""
    if not {database for database, _ in tables} <= datasette.databases.keys():
        return None
    known: dict[Table, SearchableTable] = {}
    for database in {database for database, _ in tables}:
        try:
            of_database = (await catalogue(datasette, database)).tables
        except sqlite3.Error:
            return None
        known.update(((database, name), table) for name, table in of_database.items())
    wanted = {key: known[key] for key in tables if key in known}
    opening = await searchable_by(datasette, actor, list(wanted.values()))
    visible = await permissions.visible(datasette, actor, tables)
    return wanted if len(opening) == len(wanted) and visible == tables else None


async def _passages(
    datasette: Datasette, searchable: Mapping[Table, SearchableTable], found: LoggedQuestion
) -> dict[Table, dict[Key, list[str]]]:
    """What the rows of the sources would be cut into now, by table and key."""
    passages = {}
    for key, table in searchable.items():
        keys = [
            source.pks
            for source in found.sources
            if (source.database, source.table) == key and source.pks
        ]
        try:
            passages[key] = await passages_of_rows(datasette, table, keys, found.reply.keywords)
        except sqlite3.Error:
            passages[key] = {}
    return passages


def _passage(source: LoggedSource, passages: Mapping[Key, Sequence[str]]) -> tuple[str, Freshness]:
    """The passage of a source in the row as it is now, if it is still there."""
    of_row = passages.get(source.pks)
    if of_row is None:
        return "", "gone"
    for passage in of_row:
        if passage_hash(passage) == source.passage_hash:
            return passage, "unchanged"
    return "", "changed"


def _as_source(datasette: Datasette, source: LoggedSource, passage: str) -> Source:
    key = ",".join(map(tilde_encode, source.pks))
    return Source(
        number=source.number,
        database=source.database,
        table=source.table,
        pks=source.pks,
        title=source.title,
        heading=source.heading,
        date=source.date,
        passage=passage,
        score=0.0,
        url=None,
        row_url=str(datasette.urls.row(source.database, source.table, key)) if key else None,
        cited=source.cited,
        quotes=tuple(Quote(passage[start:end], start, end) for start, end in source.quotes)
        if passage
        else (),
    )


async def _visible_tables(
    datasette: Datasette, actor: Actor, found: LoggedQuestion
) -> tuple[SearchedTable, ...]:
    """What was searched, without what this actor may not see: the asker may have seen more."""
    named = {(table.database, table.table) for table in found.reply.tables}
    there = {pair for pair in named if pair[0] in datasette.databases}
    visible = await permissions.visible(datasette, actor, there)
    return tuple(table for table in found.reply.tables if (table.database, table.table) in visible)
