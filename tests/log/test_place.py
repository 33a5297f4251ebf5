"""Where the log is kept, and each way in which that can't be: one line, and the site works."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import click
import pytest

from datasette_rag.log import place, schema, writer

from ..site import fts_table, get, make_database, make_datasette, reply_of
from .test_writing import QUESTION, logging_to, notes, rows  # noqa: F401

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("as_path", [True, False])
async def test_a_database_with_other_tables_stops_the_start(notes, tmp_path, as_path):  # noqa: F811
    other = make_database(tmp_path / "other.db", "create table mine (id integer primary key)")
    with pytest.raises(click.ClickException, match="other.db can't be the log: it holds mine"):
        if as_path:
            await make_datasette([notes], logging_to(str(other)))
        else:
            await make_datasette([notes, other], logging_to("other"))
    assert rows(other, "select name from sqlite_master") == [{"name": "mine"}]


def no_folder(tmp_path):
    return tmp_path / "none" / "log.db"


def a_folder(tmp_path):
    path = tmp_path / "log.db"
    path.mkdir()
    return path


def no_database(tmp_path):
    path = tmp_path / "log.db"
    path.write_text("This is a text and no database, and long enough to be told from one.")
    return path


@pytest.mark.parametrize(
    "make, told",
    [
        (no_folder, "there is no folder"),
        (a_folder, "is not a file"),
        (no_database, "can't be read as a SQLite database: file is not a database"),
        (lambda path: "questions", "there is no database questions; serve one of this name"),
        pytest.param(
            lambda path: "internal",
            "this Datasette has no internal database; name one",
            marks=pytest.mark.datasette_0_65,
        ),
    ],
)
async def test_one_line_and_everything_else_works(notes, tmp_path, caplog, make, told):  # noqa: F811
    datasette = await make_datasette([notes], logging_to(str(make(tmp_path))))
    lines = [one.message for one in caplog.records if "not logged" in one.message]
    assert len(lines) == 1 and told in lines[0] and "\n" not in lines[0]
    reply = await reply_of(datasette, QUESTION)
    assert reply.answered and not reply.logged
    assert (await get(datasette, "/")).status_code == 200


async def test_immutable(notes, tmp_path, caplog):  # noqa: F811
    log = make_database(tmp_path / "log.db")
    datasette = await make_datasette([notes], logging_to("log"), immutables=[str(log)])
    assert "log is immutable; serve it without -i" in caplog.text
    assert not (await reply_of(datasette, QUESTION)).logged
    assert (await get(datasette, "/log")).status_code in (403, 404)


async def test_with_crossdb_the_log_stays_off(notes, tmp_path, caplog):  # noqa: F811
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)), crossdb=True)
    assert "not logged: with --crossdb" in caplog.text
    assert not (await reply_of(datasette, QUESTION)).logged and not log.exists()


async def test_with_crossdb_a_log_of_before_stays_private(notes, tmp_path):  # noqa: F811
    log = tmp_path / "log.db"
    await reply_of(await make_datasette([notes], logging_to(str(log))), QUESTION)
    datasette = await make_datasette([notes, log], logging_to("log"), crossdb=True)
    assert (await get(datasette, "/log/rag_questions.json")).status_code in (403, 404)


async def test_locked_at_start(notes, tmp_path, monkeypatch, caplog):  # noqa: F811
    monkeypatch.setattr(writer, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(writer, "RETRY_SECONDS", 0.05)
    log = tmp_path / "log.db"
    with closing(sqlite3.connect(log, isolation_level=None)) as other:
        other.execute("begin exclusive")
        datasette = await make_datasette([notes], logging_to(str(log)))
        reply = await reply_of(datasette, QUESTION)
        assert reply.answered and not reply.logged
        other.execute("rollback")
    await writer.finished(datasette, 20)
    assert len(rows(log)) == 1


async def test_a_log_of_an_older_version_keeps_its_rows(notes, tmp_path):  # noqa: F811
    log = tmp_path / "log.db"
    await reply_of(await make_datasette([notes], logging_to(str(log))), QUESTION)
    with closing(sqlite3.connect(log)) as conn:
        for view in schema.VIEWS:
            conn.execute(f"drop view {view}")
        conn.execute("delete from _sqlite_migrations where name = 'm002_views'")
        conn.commit()
        assert not schema.is_current(conn)
    await reply_of(await make_datasette([notes], logging_to(str(log))), QUESTION)
    assert len(rows(log)) == 2
    with closing(sqlite3.connect(log)) as conn:
        assert schema.is_current(conn)
        for view in schema.VIEWS:
            conn.execute(f"select * from {view}").fetchall()


KILLED = """
import asyncio, sys
from tests.site import make_datasette, reply_of
async def main():
    datasette = await make_datasette([sys.argv[1]], {"plugins": {"datasette-rag": {"log": sys.argv[2]}}})
    while True:
        reply = await reply_of(datasette, "When does the harbour close?")
        assert reply.logged
        print(reply.id, flush=True)
asyncio.run(main())
"""


@pytest.mark.parametrize("after", [1, 5, 20])
async def test_killed_in_the_middle(notes, tmp_path, after):  # noqa: F811
    log = tmp_path / "log.db"
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(notes), str(log)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    told = [child.stdout.readline().strip() for _ in range(after)]
    child.kill()
    told += child.stdout.read().split()
    child.wait()
    # All that was answered is there, and at most the question in flight besides.
    logged = [row["id"] for row in rows(log)]
    assert set(told) - {told[-1]} <= set(logged) and len(logged) <= len(told) + 1
    assert set(told[:after]) <= set(logged)
    with_sources = rows(log, "select distinct question_id from rag_question_sources")
    assert {row["question_id"] for row in with_sources} == set(logged)
    again = await make_datasette([notes], logging_to(str(log)))
    assert (await reply_of(again, QUESTION)).logged


async def test_a_file_that_is_served_already(notes, tmp_path):  # noqa: F811
    log = make_database(tmp_path / "asked.db")
    datasette = await make_datasette([notes, log], logging_to(str(log)))
    await reply_of(datasette, QUESTION)
    assert place.place(datasette).database == "asked" and len(rows(log)) == 1
    assert [name for name in datasette.databases if name.startswith("asked")] == ["asked"]


async def test_a_name_that_is_taken(tmp_path):
    served = make_database(tmp_path / "log.db", fts_table("notes", "The harbour closes."))
    folder = tmp_path / "logs"
    folder.mkdir()
    datasette = await make_datasette([served], logging_to(str(folder / "log.db")))
    assert (await reply_of(datasette, QUESTION)).logged
    assert place.place(datasette).database == "log_2"
    assert (await get(datasette, "/log/notes")).status_code == 200
    assert (await get(datasette, "/log_2")).status_code == 403


async def test_the_log_is_not_searched(notes, tmp_path):  # noqa: F811
    datasette = await make_datasette([notes], logging_to(str(tmp_path / "log.db")))
    await reply_of(datasette, QUESTION)
    reply = await reply_of(datasette, "harbour", actor={"id": "root"})
    assert {table.database for table in reply.tables} == {"notes"}


async def test_the_log_is_written_before_the_server_stops(notes, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(writer, "WAIT_SECONDS", 0.0)
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    app = datasette.app()
    received = iter(["lifespan.startup", "lifespan.shutdown"])
    sent = []

    async def receive():
        kind = next(received)
        if kind == "lifespan.shutdown":
            await reply_of(datasette, QUESTION)
        return {"type": kind}

    async def send(message):
        sent.append(message["type"])

    await app({"type": "lifespan"}, receive, send)
    assert len(rows(log)) == 1
