"""Questions are logged where the owner says, whatever happens, and an answer never waits for it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from contextlib import closing

import pytest

from datasette_rag.log import writer

from ..site import ON_1_0, fts_table, get, last_event, make_database, make_datasette, reply_of

pytestmark = pytest.mark.asyncio

QUESTION = "When does the harbour close in winter?"


@pytest.fixture
def notes(tmp_path):
    return make_database(
        tmp_path / "notes.db", fts_table("notes", "The harbour closes at five in winter.")
    )


def logging_to(log, **settings):
    return {"plugins": {"datasette-rag": {"log": log, **settings}}}


def rows(path, sql="select * from rag_questions order by asked"):
    with closing(sqlite3.connect(path)) as conn:
        conn.row_factory = sqlite3.Row
        return [dict(row) for row in conn.execute(sql)]


async def test_a_question_becomes_a_row_with_its_sources(notes, tmp_path):
    log = tmp_path / "rag-log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    assert not log.exists()
    reply = await reply_of(datasette, QUESTION)
    assert reply.logged
    (row,) = rows(log)
    assert row["id"] == reply.id and row["question"] == QUESTION
    assert json.loads(row["keywords"]) == list(reply.keywords)
    assert json.loads(row["topic"]) == ["close", "harbour", "winter"]
    assert (row["outcome"], row["answer"], row["answerer"]) == (
        "answered",
        reply.answer,
        "extractive",
    )
    assert row["asked"].endswith("Z") and row["total_ms"] > 0 and row["cost_usd"] == 0
    assert json.loads(row["tables"])[0]["table"] == "notes"
    assert json.loads(row["checks"]) and row["checks_failed"] == 0
    assert row["actor_id"] is None
    (source,) = rows(log, "select * from rag_question_sources")
    assert source["question_id"] == reply.id and source["number"] == 1 and source["cited"] == 1
    assert (source["database"], source["table"], source["pks"]) == ("notes", "notes", '["1"]')
    passage = reply.sources[0].passage
    assert source["passage_hash"] == rows_hash(passage)
    assert passage not in json.dumps(source)


def rows_hash(passage):
    import hashlib

    return hashlib.sha256(passage.encode()).hexdigest()


@pytest.mark.parametrize("log", [False, {"database": False}])
async def test_off(notes, tmp_path, log):
    datasette = await make_datasette([notes], logging_to(log))
    assert not (await reply_of(datasette, QUESTION)).logged
    assert [path.name for path in tmp_path.iterdir()] == ["notes.db"]


async def test_the_default_is_the_internal_database_where_there_is_one(notes):
    datasette = await make_datasette([notes])
    reply = await reply_of(datasette, QUESTION)
    assert reply.logged is ON_1_0
    if ON_1_0:
        internal = datasette.get_internal_database()
        assert (await internal.execute("select id from rag_questions")).first()[0] == reply.id


async def test_in_memory(notes, tmp_path):
    datasette = await make_datasette([notes], logging_to("memory"))
    replies = await asyncio.gather(*(reply_of(datasette, QUESTION) for _ in range(20)))
    assert all(reply.logged for reply in replies)
    found = await datasette.databases["rag_log"].execute("select count(*) from rag_questions")
    assert found.single_value() == 20
    assert [path.name for path in tmp_path.iterdir()] == ["notes.db"]


async def test_an_attached_database_that_is_empty(notes, tmp_path):
    log = make_database(tmp_path / "asked.db")
    datasette = await make_datasette([notes, log], logging_to("asked"))
    await reply_of(datasette, QUESTION)
    assert len(rows(log)) == 1


@pytest.mark.parametrize("setting, expected", [(True, "ann"), (False, None)])
async def test_the_actor_only_if_configured(notes, tmp_path, setting, expected):
    log = tmp_path / "log.db"
    tree = logging_to({"database": str(log), "actor": setting})
    datasette = await make_datasette([notes], tree)
    await get(datasette, f"/-/ask.json?question={QUESTION}", actor={"id": "ann", "email": "a@b.c"})
    (row,) = rows(log)
    assert row["actor_id"] == expected and "a@b.c" not in json.dumps(row)


async def test_twenty_writers_at_once(notes, tmp_path):
    log = tmp_path / "log.db"
    sites = [await make_datasette([notes], logging_to(str(log))) for _ in range(4)]
    replies = await asyncio.gather(*(reply_of(site, QUESTION) for site in sites * 5))
    for site in sites:
        await writer.finished(site)
    assert {row["id"] for row in rows(log)} == {reply.id for reply in replies}


async def test_a_log_that_is_locked_gets_its_rows_later(notes, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(writer, "WAIT_SECONDS", 0.05)
    monkeypatch.setattr(writer, "RETRY_SECONDS", 0.05)
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    await reply_of(datasette, QUESTION)
    with closing(sqlite3.connect(log, isolation_level=None)) as other:
        other.execute("begin immediate")
        began = time.monotonic()
        reply = await reply_of(datasette, QUESTION)
        assert reply.answered and not reply.logged
        assert time.monotonic() - began < 2
        for _ in range(100):
            if "the log is locked" in caplog.text:
                break
            await asyncio.sleep(0.1)
        # From then on nobody waits for it.
        monkeypatch.setattr(writer, "WAIT_SECONDS", 60)
        assert (await reply_of(datasette, QUESTION)).answered
        other.execute("rollback")
    await writer.finished(datasette, 20)
    assert len(rows(log)) == 3
    assert caplog.text.count("the log is locked; questions wait for it") == 1


async def test_a_log_that_is_gone_is_told_once(notes, tmp_path, caplog):
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    await reply_of(datasette, QUESTION)
    with closing(sqlite3.connect(log)) as conn:
        conn.execute("drop table rag_question_sources")
        conn.commit()
    for _ in range(3):
        reply = await reply_of(datasette, QUESTION)
        assert reply.answered and not reply.logged
    told = [one.message for one in caplog.records if "not logged" in one.message]
    assert len(told) == 1 and "rag_question_sources" in told[0]
    # Both rows of a question or none.
    assert len(rows(log)) == 1


async def test_old_questions_go(notes, tmp_path):
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to({"database": str(log), "days": 30}))
    await reply_of(datasette, QUESTION)
    with closing(sqlite3.connect(log)) as conn:
        conn.execute("update rag_questions set asked = '2020-01-01T00:00:00.000Z'")
        conn.commit()
    again = await make_datasette([notes], logging_to({"database": str(log), "days": 30}))
    reply = await reply_of(again, QUESTION)
    assert [row["id"] for row in rows(log)] == [reply.id]
    assert {row["question_id"] for row in rows(log, "select * from rag_question_sources")} == {
        reply.id
    }


async def test_the_oldest_of_too_many_go(notes, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "MAX_QUESTIONS", 3)
    monkeypatch.setattr(writer, "_PRUNE_EVERY", type(writer._PRUNE_EVERY)(0))
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    ids = [(await reply_of(datasette, QUESTION)).id for _ in range(5)]
    assert [row["id"] for row in rows(log)] == ids[2:]


@pytest.mark.parametrize("path", ["/-/ask", "/-/ask.json"])
@pytest.mark.parametrize(
    "method, headers, logged",
    [("GET", {}, 1), ("HEAD", {}, 0), ("GET", {"sec-purpose": "prefetch"}, 0), ("POST", {}, 1)],
)
async def test_who_only_prepares_has_not_asked(notes, tmp_path, path, method, headers, logged):
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    asked = {"data": {"question": QUESTION}} if method == "POST" else {}
    await datasette.client.request(
        method, path if asked else f"{path}?question={QUESTION}", headers=headers, **asked
    )
    assert (len(rows(log)) if log.exists() else 0) == logged


async def test_what_could_not_be_asked_is_not_logged(notes, tmp_path):
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    for question in ("", "x" * 3_000):
        await last_event(datasette, question)
    await last_event(datasette, QUESTION, log=False)
    assert not log.exists()


async def test_text_that_no_database_can_hold(notes, tmp_path):
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    reply = await reply_of(datasette, "harbour \ud800 in winter?")
    assert reply.logged and "harbour" in rows(log)[0]["question"]
