"""Keywords and tables → numbered sources: search, fuse, cut, choose."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from datasette.utils import tilde_encode

from ..events import SearchedTable, Source
from ..text.plain import to_text
from .fusion import reciprocal_rank_fusion
from .passages import RowPassage, cut_passages
from .queries import ROW_LIMIT
from .search import Budget, FoundRow, TableResult, out_of_date_message, search_table
from .tables import SearchableTable
from .weighing import WeighedRow, weigh_rows

if TYPE_CHECKING:
    from datasette.app import Datasette

# Rows that are read and cut for one question, over all tables.
_ROWS_TO_CUT = 200
_PASSAGES_OF_A_DOCUMENT = 3
# All searches of a question together get this many times the limit of a single query.
_TIME_LIMITS = 3


@dataclass(frozen=True)
class Retrieved:
    """The sources of a question, best first, and what became of each table."""

    sources: tuple[Source, ...]
    tables: tuple[SearchedTable, ...]


async def retrieve(
    datasette: Datasette,
    tables: Sequence[SearchableTable],
    keywords: Sequence[str],
    *,
    max_sources: int,
    max_chars: int,
    query_names: Mapping[tuple[str, str], str],
) -> Retrieved:
    """Search the tables, which the asker must be allowed to see, and choose the sources.

    `keywords` may repeat a word, which then counts more. At most `max_sources` passages
    are chosen, of at most `max_chars` characters together (the first one always goes
    along). `query_names` gives the name of the canned query by (database, table).
    """
    row_count = max(1, min(ROW_LIMIT, 2 * max_sources, _ROWS_TO_CUT // max(1, len(tables))))
    budget = Budget(_TIME_LIMITS * datasette.setting("sql_time_limit_ms"))
    results = await asyncio.gather(
        *(
            search_table(datasette, table, keywords, row_count=row_count, budget=budget)
            for table in tables
        )
    )
    rows = [row for result in results for row in result.rows]
    chosen, out_of_date = await asyncio.to_thread(
        _sources, rows, list(dict.fromkeys(keywords)), max_sources, max_chars
    )
    return Retrieved(
        tuple(
            _source(datasette, number, passage, score)
            for number, (passage, score) in enumerate(chosen, start=1)
        ),
        tuple(_searched(datasette, result, out_of_date, query_names) for result in results),
    )


def _sources(
    rows: Sequence[FoundRow],
    keywords: Sequence[str],
    max_sources: int,
    max_chars: int,
) -> tuple[list[tuple[RowPassage, float]], frozenset[tuple[str, str]]]:
    """The passages to answer from with their scores, and the tables whose index is out of date.

    Every row gives its best passage; up to a quarter of the sources are a second passage
    of the best rows, when it is nearly as good.
    """
    weighed = weigh_rows(rows, keywords)
    scores = _fused(weighed.rows)
    ordered = sorted(
        range(len(weighed.rows)), key=lambda place: (-scores[place], -weighed.rows[place].coverage)
    )
    places = _spread(ordered, [weighed.row for weighed in weighed.rows])[:max_sources]
    cut = cut_passages([weighed.rows[place] for place in places], keywords, weighed.rarity)
    spare = max_sources // 4
    chosen: list[tuple[RowPassage, float]] = []
    for place, passages in zip(places, cut):
        chosen.append((passages[0], scores[place]))
        if spare and len(passages) > 1 and passages[1].coverage >= 0.6 * passages[0].coverage:
            spare -= 1
            chosen.append((passages[1], scores[place]))
    return _within(chosen[:max_sources], max_chars), weighed.out_of_date


def _spread(ordered: Sequence[int], rows: Sequence[FoundRow]) -> list[int]:
    """The places without those of a document that has had its share already.

    All passages of a document have its title: one that the question happens to name would
    fill every source.
    """
    taken: dict[tuple[SearchableTable, object], int] = {}
    kept = []
    for place in ordered:
        row = rows[place]
        if row.table.group_column is not None:
            group = (row.table, row.values[row.table.group_column])
            taken[group] = taken.get(group, 0) + 1
            if taken[group] > _PASSAGES_OF_A_DOCUMENT:
                continue
        kept.append(place)
    return kept


def _fused(rows: Sequence[WeighedRow]) -> dict[int, float]:
    by_table: dict[SearchableTable, list[int]] = {}
    for place, weighed in enumerate(rows):
        by_table.setdefault(weighed.row.table, []).append(place)
    rankings: list[Sequence[int]] = [*by_table.values()]
    if len(by_table) > 1:
        # What a row holds of the question can be compared between tables; to be first in
        # a small table means little.
        rankings.append(sorted(range(len(rows)), key=lambda place: -rows[place].coverage))
    return reciprocal_rank_fusion(rankings)


def _within(
    chosen: Sequence[tuple[RowPassage, float]], max_chars: int
) -> list[tuple[RowPassage, float]]:
    left = max_chars
    kept: list[tuple[RowPassage, float]] = []
    for passage, score in chosen:
        left -= len(passage.passage.text)
        if kept and left < 0:
            break
        kept.append((passage, score))
    return kept


def _source(datasette: Datasette, number: int, chosen: RowPassage, score: float) -> Source:
    row, table = chosen.row, chosen.row.table
    pks = _key(row)
    heading = chosen.passage.heading
    if table.heading_column is not None:
        heading = to_text(row.values[table.heading_column]) or heading
    return Source(
        number=number,
        database=table.database,
        table=table.table,
        pks=pks,
        title=chosen.title,
        heading=heading,
        date=_date(row),
        passage=chosen.passage.text,
        score=round(score, 6),
        url=_url(row),
        row_url=(
            str(datasette.urls.row(table.database, table.table, ",".join(map(tilde_encode, pks))))
            if pks
            else None
        ),
    )


def _key(row: FoundRow) -> tuple[str, ...]:
    """The row's key as text; empty if it has none that an address can be made of."""
    if not row.table.addressable:
        return ()
    values = [row.values[name] for name in row.table.pks] or [row.rowid]
    if any(value is None or isinstance(value, bytes) for value in values):
        return ()
    return tuple(str(value) for value in values)


def _date(row: FoundRow) -> str | None:
    if row.table.date_column is None:
        return None
    value = row.values[row.table.date_column]
    return to_text(value).strip()[:40] or None if isinstance(value, str) else None


def _url(row: FoundRow) -> str | None:
    """Where the text lives, by the table's template; only addresses that a browser may open."""
    if row.table.url is None:
        return None
    whole = row.table.url == "{" + "".join(row.table.url_columns) + "}"
    url = row.table.url
    for name in row.table.url_columns:
        value = to_text(row.values[name]).strip()
        if not value:
            return None
        url = url.replace("{" + name + "}", value if whole else quote(value))
    return url if url.casefold().startswith(("https://", "http://")) and url.isprintable() else None


def _searched(
    datasette: Datasette,
    result: TableResult,
    out_of_date: frozenset[tuple[str, str]],
    query_names: Mapping[tuple[str, str], str],
) -> SearchedTable:
    table = result.table
    key = (table.database, table.table)
    if result.status == "ok" and key in out_of_date:
        result = replace(result, status="out_of_date", message=out_of_date_message(table))
    return SearchedTable(
        database=table.database,
        table=table.table,
        status=result.status,
        rows=result.matched,
        query_url=_query_url(datasette, table.database, query_names.get(key), result.match),
        message=result.message,
    )


def _query_url(datasette: Datasette, database: str, name: str | None, match: str) -> str | None:
    if name is None:
        return None
    return f"{datasette.urls.query(database, name)}?search={quote(match, safe='')}"
