"""Expected things ↔ found rows: both become items, which are equal where the one is the other."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from datasette.utils import tilde_decode, tilde_encode

from ..compat import Actor
from ..events import Source
from ..retrieval.canned import searchable_by
from ..retrieval.catalogue import catalogue, searched_databases
from ..retrieval.lookups import column_of_rows, has_column, key_column, values_there
from ..retrieval.tables import SearchableTable
from .questions import EvalQuestion, Expected, QuestionsError

if TYPE_CHECKING:
    from datasette.app import Datasette

# ("row", database, table, *key), ("path", path) or ("title", title).
Item = tuple[str, ...]

PATH = "path"


def label(item: Item) -> str:
    """An item as questions name it: `database/table/key`, a path or a title."""
    if item[0] != "row":
        return item[1]
    key = ",".join(map(tilde_encode, item[3:]))
    return "/".join((tilde_encode(item[1]), tilde_encode(item[2]), key))


class Matcher:
    """Tells which items questions expect, and which items their sources are of.

    `missing` are the expected things that none of the tables has, in the questions' order.
    """

    def __init__(self, datasette: Datasette, tables: Sequence[SearchableTable]) -> None:
        self.missing: list[str] = []
        self._datasette = datasette
        self._tables = {(table.database, table.table): table for table in tables}
        self._with_path: list[SearchableTable] = []
        self._items: dict[tuple[str, str], Item] = {}

    @classmethod
    async def of(
        cls, datasette: Datasette, actor: Actor, questions: Iterable[EvalQuestion]
    ) -> Matcher:
        """Look up what the questions expect in all tables that the actor may search.

        Raises:
            QuestionsError: a key is that of rows in several tables, or a table can't be read.
        """
        tables: list[SearchableTable] = []
        try:
            for database in searched_databases(datasette):
                found = (await catalogue(datasette, database)).tables.values()
                tables += await searchable_by(datasette, actor, list(found))
            matcher = cls(datasette, tables)
            await matcher._look_up([one for question in questions for one in question.find])
        except sqlite3.Error as error:
            raise QuestionsError(f"the expected rows can't be looked up: {error}") from error
        return matcher

    def grades(self, question: EvalQuestion) -> dict[Item, float]:
        """The items that the question expects, with their grades."""
        grades: dict[Item, float] = {}
        for one in question.find:
            item = self._items[one.kind, one.name]
            grades[item] = max(one.grade, grades.get(item, 0))
        return grades

    async def items(self, sources: Sequence[Source], expected: Iterable[Item]) -> list[Item]:
        """The item that each source is of, for a question that expects these.

        It is the row, unless the question expects paths or titles: all passages of a document
        are one item then.
        """
        wanted = set(expected)
        kinds = {item[0] for item in wanted}
        paths = await self._paths(sources) if PATH in kinds else {}
        items = []
        for source in sources:
            row: Item = ("row", source.database, source.table, *source.pks)
            title: Item = ("title", source.title)
            own = [row] if source.pks else []
            if row in paths:
                own.append((PATH, paths[row]))
            if "title" in kinds or not own:
                own.append(title)
            items.append(next((item for item in own if item in wanted), own[-1]))
        return items

    async def _look_up(self, expected: Sequence[Expected]) -> None:
        for table in self._tables.values():
            if table.addressable and await has_column(self._datasette, table, PATH):
                self._with_path.append(table)
        whole = await self._whole_keys(expected)
        by_key = await self._having(expected, "row", [(t, key_column(t)) for t in self._list])
        by_path = await self._having(expected, "path", [(t, PATH) for t in self._with_path])
        titled = [(table, table.title_column) for table in self._list]
        by_title = await self._having(expected, "title", titled)
        for one in expected:
            name = one.name
            if (one.kind, name) in self._items:
                continue
            item: Item | None = whole.get(name) if one.kind in ("any", "row") else None
            if item is None and name in by_path and one.kind in ("any", "path"):
                item = (PATH, name)
            if item is None and name in by_key and one.kind in ("any", "row"):
                item = self._row(name, by_key[name])
            if item is None:
                item = ("title" if one.kind == "any" else one.kind, name)
                if item[0] != "title" or name not in by_title:
                    self.missing.append(name)
            self._items[one.kind, name] = item

    @property
    def _list(self) -> Sequence[SearchableTable]:
        return list(self._tables.values())

    def _row(self, name: str, tables: Sequence[SearchableTable]) -> Item:
        if len(tables) > 1:
            options = " or ".join(label(("row", t.database, t.table, name)) for t in tables)
            raise QuestionsError(f"{name} is a key in several tables: write {options}")
        return ("row", tables[0].database, tables[0].table, name)

    async def _having(
        self,
        expected: Sequence[Expected],
        kind: str,
        tables: Sequence[tuple[SearchableTable, str | None]],
    ) -> Mapping[str, list[SearchableTable]]:
        """The tables in whose column each name is found."""
        names = list(dict.fromkeys(one.name for one in expected if one.kind in ("any", kind)))
        having: dict[str, list[SearchableTable]] = {}
        for table, column in tables:
            if column is not None and names:
                for name in await values_there(self._datasette, table, column, names):
                    having.setdefault(name, []).append(table)
        return having

    async def _whole_keys(self, expected: Sequence[Expected]) -> dict[str, Item]:
        """The rows of those names that are `database/table/key`."""
        keys: dict[SearchableTable, dict[str, tuple[str, ...]]] = {}
        for one in expected:
            parts = one.name.split("/")
            if one.kind in ("any", "row") and len(parts) == 3:
                table = self._tables.get((tilde_decode(parts[0]), tilde_decode(parts[1])))
                if table is not None and table.addressable:
                    key = tuple(map(tilde_decode, parts[2].split(",")))
                    keys.setdefault(table, {})[one.name] = key
        whole: dict[str, Item] = {}
        for table, named in keys.items():
            column = table.pks[0] if table.pks else "rowid"
            there = await column_of_rows(self._datasette, table, column, named.values())
            for name, key in named.items():
                if key in there:
                    whole[name] = ("row", table.database, table.table, *key)
        return whole

    async def _paths(self, sources: Sequence[Source]) -> dict[Item, str]:
        paths: dict[Item, str] = {}
        for table in self._with_path:
            place = (table.database, table.table)
            keys = {one.pks for one in sources if (one.database, one.table) == place and one.pks}
            found = await column_of_rows(self._datasette, table, PATH, keys)
            paths.update({("row", *place, *key): path for key, path in found.items()})
        return paths
