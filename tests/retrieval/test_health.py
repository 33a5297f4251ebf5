"""Findings about indexes: each is found, and the command that it names really mends it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from datasette_rag.start import findings

from ..site import fts_table, make_database, make_datasette, reply_of

TABLE = "create table d (id integer primary key, title text, body text);"
ROWS = "insert into d values (1, 'A', 'umbrella one'), (2, 'B', 'umbrella two');"
REBUILD = "insert into d_fts(d_fts) values ('rebuild');"
FTS5 = 'create virtual table d_fts using fts5(title, body, tokenize=porter, content="d");'
FTS4 = 'create virtual table d_fts using fts4(title, body, tokenize=porter, content="d");'
TRIGGERS = """
create trigger keep_new after insert on d begin
  insert into d_fts(rowid, title, body) values (new.id, new.title, new.body); end;
create trigger keep_old after delete on d begin
  insert into d_fts(d_fts, rowid, title, body) values ('delete', old.id, old.title, old.body); end;
"""
FTS4_TRIGGERS = """
create trigger d_ai after insert on d begin
  insert into d_fts(docid, title, body) values (new.id, new.title, new.body); end;
create trigger d_ad before delete on d begin delete from d_fts where docid = old.id; end;
"""

STALE = {
    "never built": ("empty: it was never built", TABLE + ROWS + FTS5),
    "never built, FTS4": ("empty: it was never built", TABLE + ROWS + FTS4),
    "added": (
        "1 row of the table not in it",
        TABLE + ROWS + FTS5 + REBUILD + "insert into d values (3, 'C', 'umbrella three')",
    ),
    "added, FTS4": (
        "1 row of the table not in it",
        TABLE + ROWS + FTS4 + REBUILD + "insert into d values (3, 'C', 'umbrella three')",
    ),
    "deleted": (
        "1 row in it that the table has not",
        TABLE + ROWS + FTS5 + REBUILD + "delete from d where id = 1",
    ),
    "updated to as many words": (
        "1 row with other text",
        TABLE + ROWS + FTS5 + REBUILD + "update d set body = 'cake recipe' where id = 1",
    ),
    "updated at its end": (
        "1 row with other text",
        TABLE + ROWS + FTS5 + REBUILD + "update d set body = body || ' more' where id = 1",
    ),
    "updated, FTS4": (
        "1 row with other text",
        TABLE + ROWS + FTS4 + REBUILD + "update d set body = 'cake recipe' where id = 1",
    ),
    "deleted and its rowid used again": (
        "1 row with other text",
        TABLE + ROWS + FTS5 + REBUILD
        + "delete from d where id = 2; insert into d values (2, 'B', 'cake recipe')",
    ),
    "content in single quotes": (
        "1 row with other text",
        TABLE + ROWS + FTS5.replace('"d"', "'d'") + REBUILD + "update d set body = 'cake'"
        " where id = 1",
    ),
    "another name": (
        "empty: it was never built",
        (TABLE + ROWS + FTS5).replace("d_fts", '"Mia\'s ""fts"""'),
    ),
    "vacuumed": (
        "The table may have been vacuumed",
        "create table d (title text, body text);"
        "insert into d values ('A', 'cake recipe'), ('B', 'umbrella two'), ('C', 'umbrella one');"
        + FTS5 + REBUILD
        + "insert into d_fts(d_fts, rowid, title, body) values ('delete', 1, 'A', 'cake recipe');"
        "delete from d where rowid = 1; vacuum;",
    ),
}  # fmt: skip

OTHERS = {
    "single quotes": ("advice", "Datasette does not find", TABLE + ROWS
        + FTS5.replace('"d"', "'d'") + REBUILD),
    "no quotes": ("advice", "Datasette does not find", TABLE + ROWS
        + FTS5.replace('"d"', "d") + TRIGGERS + REBUILD),
    "FTS4": ("advice", "is FTS4;", TABLE + ROWS + FTS4 + REBUILD),
    "FTS4 with its triggers": ("advice", "is FTS4;", TABLE + ROWS + FTS4 + FTS4_TRIGGERS + REBUILD),
    "no stems": ("advice", "without stems;", TABLE + ROWS
        + FTS5.replace("tokenize=porter, ", "") + REBUILD),
    "no stems, own triggers": ("advice", "without stems;", TABLE + ROWS
        + FTS5.replace("tokenize=porter, ", "") + TRIGGERS + REBUILD),
    "no stems, another name": ("advice", "without stems;", (TABLE + ROWS
        + FTS5.replace("tokenize=porter, ", "") + REBUILD).replace("d_fts", "words")),
    "no index": ("left_out", "it has no full-text index", TABLE + ROWS),
    "no index, without rowid": ("left_out", "it has no full-text index",
        "create table d (id integer primary key, body text) without rowid;"
        "insert into d values (7, 'umbrella')"),
    "without rowid": ("left_out", "WITHOUT ROWID",
        "create table d (id integer primary key, body text) without rowid;"
        "insert into d values (7, 'umbrella');"
        'create virtual table d_fts using fts5(body, content="d")'),
    "FTS3": ("left_out", "can't be ranked (FTS3)",
        "create virtual table d using fts3(body); insert into d values ('umbrella')"),
    "matchinfo=fts3": ("left_out", "can't be ranked (FTS4 with matchinfo=fts3)", TABLE + ROWS
        + FTS4.replace('content="d"', 'content="d", matchinfo=fts3') + FTS4_TRIGGERS + REBUILD),
    "other columns": ("left_out", "none of the columns", TABLE + ROWS
        + 'create virtual table d_fts using fts5(gone, content="d")'),
}  # fmt: skip


async def found_in(path, tree=None):
    datasette = await make_datasette([path], tree)
    return await findings(datasette, thorough=True)


def run_in_shell(command):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert done.returncode == 0, (command, done.stderr)


def integrity(path):
    """Raises an error if an index and its table differ."""
    with closing(sqlite3.connect(path)) as conn:
        for (name,) in conn.execute(
            "select name from sqlite_master where sql like '%using fts5%'"
        ).fetchall():
            name = '"' + name.replace('"', '""') + '"'
            conn.execute(f"insert into {name}({name}, rank) values ('integrity-check', 1)")


@pytest.mark.asyncio
@pytest.mark.parametrize("case", STALE)
async def test_an_index_that_does_not_fit_is_found_and_the_command_mends_it(tmp_path, case):
    words, statements = STALE[case]
    path = make_database(tmp_path / "a b.db", statements)
    (finding,) = await found_in(path)
    assert (finding.kind, finding.table) == ("stale", "d")
    assert words in finding.message and finding.mend.startswith("sqlite-utils rebuild-fts ")
    run_in_shell(finding.mend)
    assert [one for one in await found_in(path) if one.kind == "stale"] == []
    integrity(path)
    reply = await reply_of(await make_datasette([path]), "umbrella")
    assert reply.sources and {table.status for table in reply.tables} == {"ok"}


@pytest.mark.asyncio
@pytest.mark.parametrize("case", OTHERS)
async def test_what_else_is_found_is_mended_by_its_command(tmp_path, case):
    kind, words, statements = OTHERS[case]
    path = make_database(tmp_path / "it's.db", statements)
    (finding,) = await found_in(path)
    assert (finding.kind, finding.table) == (kind, "d")
    assert words in finding.message
    run_in_shell(finding.mend)
    assert await found_in(path) == []
    reply = await reply_of(await make_datasette([path]), "umbrella")
    assert reply.sources
    if case == "FTS3" or "without rowid" in case:
        # SQLite has no triggers there that could keep the index.
        return
    with closing(sqlite3.connect(path)) as conn:
        # What filled the old index fills the new one, or nothing does, but never two things.
        columns = [row[1] for row in conn.execute("pragma table_info(d)") if row[1] != "id"]
        names = ", ".join(columns)
        conn.execute(
            f"insert into d ({names}) values ({', '.join(['?'] * len(columns))})",
            ["a parasol"] * len(columns),
        )
        conn.execute("delete from d where body = 'a parasol'")
        conn.commit()
    integrity(path)
    assert await found_in(path) == []


@pytest.mark.asyncio
async def test_an_index_whose_table_is_gone(tmp_path):
    path = make_database(
        tmp_path / "db.db", "create virtual table lost using fts5(body, content=gone)"
    )
    (finding,) = await found_in(path)
    assert "a table that does not exist: gone" in finding.message
    run_in_shell(finding.mend)
    assert await found_in(path) == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "old",
    [
        "create virtual table old using fts3(title, body);",
        'create virtual table old using fts4(title, body, content="d", matchinfo=fts3);',
    ],
)
async def test_an_index_named_by_hand_that_can_not_be_ranked_is_one_finding(tmp_path, old):
    path = make_database(tmp_path / "db.db", TABLE + ROWS + FTS5 + REBUILD + old)
    tree = {"databases": {"db": {"tables": {"d": {"fts_table": "old"}}}}}
    (finding,) = await found_in(path, tree)
    assert finding.kind == "configuration" and "fts_table: old can't be ranked" in finding.message
    reply = await reply_of(await make_datasette([path], tree), "umbrella")
    assert [table.status for table in reply.tables] == ["ok"] and len(reply.sources) == 2


@pytest.mark.asyncio
async def test_a_contentless_index_that_is_named_by_hand(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        TABLE + ROWS + "create virtual table words using fts5(body, content='', tokenize=porter);"
        "insert into words(rowid, body) select id, body from d",
    )
    contentless, plain = await found_in(path)
    assert "contentless" in contentless.message and plain.table == "d"
    tree = {"databases": {"db": {"tables": {"d": {"fts_table": "words"}}}}}
    assert await found_in(path, tree) == []
    assert len((await reply_of(await make_datasette([path], tree), "umbrella")).sources) == 2


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "statements",
    [
        fts_table("d", "umbrella", tokenize="trigram"),
        fts_table("d", "東京の傘は赤い", "x", "", "...", tokenize="porter"),
        TABLE + ROWS + FTS5.replace('"d"', '"d", detail=none') + REBUILD,
        TABLE + ROWS + FTS5.replace('"d"', '"d", columnsize=0') + REBUILD,
        TABLE + "insert into d values (1, null, x'FFFE00'), (2, 7, 8.5), (-9, '\"*\"', '\"a\" b');"
        + FTS5 + REBUILD,
        TABLE + "insert into d values (1, 'A', 'word ' || hex(zeroblob(30000)) || ' end');"
        + FTS5 + REBUILD,
        TABLE + "insert into d values (9223372036854775807, 'A', 'x'), (-9223372036854775807, 'B', 'y');"
        + FTS5 + REBUILD,
        TABLE + FTS5,
        'create table d (n integer, body text, unique (n)); insert into d values (7, \'umbrella\');'
        'create virtual table d_fts using fts5(body, content="d", content_rowid=n, tokenize=porter);'
        + REBUILD,
    ],
    ids=["trigram", "scripts", "detail", "columnsize", "values", "long", "far", "no rows", "key"],
)  # fmt: skip
async def test_an_index_that_fits_is_no_finding(tmp_path, statements):
    path = make_database(tmp_path / "db.db", statements)
    assert [str(finding) for finding in await found_in(path)] == []


PARTIAL = """
create trigger keep_new after insert on d when new.title <> 'draft' begin
  insert into d_fts(rowid, title, body) values (new.id, new.title, new.body); end;
"""


@pytest.mark.asyncio
async def test_an_index_that_leaves_rows_out_on_purpose(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        TABLE + FTS5 + PARTIAL + ROWS + "insert into d values (3, 'draft', 'parasol')",
    )
    assert await found_in(path) == []
    reply = await reply_of(await make_datasette([path]), "parasol")
    assert (reply.outcome, reply.tables[0].status) == ("nothing_found", "ok")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "trigger",
    [PARTIAL, TRIGGERS.replace("new.body); end", "new.body); delete from log; end")],
)
async def test_no_command_where_it_would_undo_more_than_the_index(tmp_path, trigger):
    unstemmed = FTS5.replace("tokenize=porter, ", "")
    path = make_database(
        tmp_path / "db.db", TABLE + unstemmed + "create table log (n integer);" + trigger + ROWS
    )
    advice = [one for one in await found_in(path) if one.table == "d"]
    assert [(one.kind, one.mend) for one in advice] == [("advice", "")]


@pytest.mark.asyncio
async def test_the_own_tables_of_an_index_of_documents_are_no_finding(tmp_path):
    from datasette_rag.documents.store import index_folder

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nUmbrella.")
    index_folder(tmp_path / "db.db", tmp_path / "docs")
    assert await found_in(tmp_path / "db.db") == []


@pytest.mark.asyncio
async def test_a_table_that_vacuum_would_change_is_told_before(tmp_path):
    path = make_database(
        tmp_path / "db.db", "create table d (title text, body text);", FTS5 + REBUILD
    )
    (finding,) = await found_in(path)
    assert (finding.kind, finding.mend) == ("advice", "")
    assert "after each VACUUM" in finding.message and "rebuild-fts" in finding.message


@pytest.mark.asyncio
async def test_case_f3_04_what_is_new_in_a_big_table_is_found(tmp_path):
    """Though the look at the start is only at some of its rows."""
    path = make_database(
        tmp_path / "db.db",
        TABLE + FTS5,
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) "
        "insert into d select i, 'T', 'umbrella ' || i from n;",
        REBUILD + "insert into d values (200001, 'T', 'parasol')",
    )
    datasette = await make_datasette([path])
    (finding,) = await findings(datasette)
    assert "1 row of the table not in it" in finding.message
    reply = await reply_of(datasette, "parasol")
    assert reply.tables[0].status == "out_of_date" and "lacks rows" in reply.tables[0].message
