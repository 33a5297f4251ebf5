"""What is kept of a question that ends in another way than with an answer, and what plugins hear of it."""

from __future__ import annotations

import asyncio
import json

import pytest
from datasette import hookimpl
from datasette.plugins import pm

import datasette_rag
from datasette_rag import events
from datasette_rag.log import writer

from ..claude_api import Text, failure, structured
from ..site import fts_table, make_database, make_datasette, reply_of
from .test_writing import QUESTION, logging_to, notes, rows  # noqa: F401

pytestmark = pytest.mark.asyncio


@pytest.fixture
def paid(tmp_path, notes, claude_api):  # noqa: F811
    log = tmp_path / "log.db"

    async def make(**settings):
        tree = logging_to(str(log), answerer="claude", api_base_url=claude_api.base_url, **settings)
        return await make_datasette([notes], tree)

    make.log = log
    return make


async def test_an_answer_by_claude(paid, claude_api):
    claude_api.reply(structured({"keywords": ["harbour"]}), to="keywords")
    claude_api.reply(Text("At five."), to="answer")
    reply = await reply_of(await paid(), QUESTION)
    (row,) = rows(paid.log)
    assert (row["keyword_model"], row["answer_model"]) == ("claude-haiku-5-5", "claude-sonnet-5-5")
    assert row["cost_usd"] == reply.usage.cost_usd > 0
    assert row["input_tokens"] == reply.usage.input_tokens
    # What it is counted with is what the question says, whoever made the keywords.
    assert json.loads(row["keywords"]) == ["harbour"]
    assert json.loads(row["topic"]) == ["close", "harbour", "winter"]
    # An answer that cites nothing has failed a check.
    (failed,) = rows(paid.log, "select * from rag_failed_checks")
    assert failed["id"] == row["id"] and failed["checks_failed"] == 1
    (cost,) = rows(paid.log, "select * from rag_cost_per_day")
    assert cost["questions"] == 1 and cost["cost_usd"] == row["cost_usd"]


async def test_an_answer_that_failed(paid, claude_api):
    claude_api.script(failure(529, "busy", retry_after=60), to="answer")
    await reply_of(await paid(), QUESTION)
    (row,) = rows(paid.log)
    assert (row["outcome"], row["error_kind"]) == ("failed", "overloaded")
    assert "overloaded" in row["error"] and row["cost_usd"] > 0
    assert rows(paid.log, "select * from rag_unanswered") == []


async def test_over_the_limits(paid):
    reply = await reply_of(await paid(limits={"per_day": 0}), QUESTION)
    (row,) = rows(paid.log)
    assert (row["outcome"], row["error_kind"]) == ("limited", "limited")
    assert row["answerer"] == reply.answerer == "extractive"


async def test_what_was_paid_for_an_asker_who_left(paid, claude_api):
    claude_api.reply("one two three four five six seven", stall=5, to="answer")
    datasette = await paid()
    running = datasette_rag.ask(datasette, QUESTION)
    async for event in running:
        if isinstance(event, events.AnswerDelta):
            break
    await running.aclose()
    # The row is written by a task that has only been made.
    await asyncio.sleep(0)
    await writer.finished(datasette)
    (row,) = rows(paid.log)
    assert (row["outcome"], row["error_kind"]) == ("cut_off", "left")
    assert row["answer"].startswith("one") and row["cost_usd"] > 0
    assert row["answer_model"] == "claude-sonnet-5-5"


async def test_who_left_a_free_answer_is_not_logged(tmp_path, notes):  # noqa: F811
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    running = datasette_rag.ask(datasette, QUESTION)
    async for event in running:
        if isinstance(event, events.Sources):
            break
    await running.aclose()
    await writer.finished(datasette)
    assert not log.exists()


async def test_what_stays_unanswered(tmp_path, notes):  # noqa: F811
    log = tmp_path / "log.db"
    datasette = await make_datasette([notes], logging_to(str(log)))
    for question in ("Zeppelin tours?", "tours by zeppelin", "Any submarine?"):
        await reply_of(datasette, question)
    await reply_of(datasette, QUESTION)
    topics = rows(log, "select * from rag_unanswered")
    assert [(json.loads(one["topic"]), one["times"]) for one in topics] == [
        (["tours", "zeppelin"], 2),
        (["submarine"], 1),
    ]
    assert topics[0]["last_question"] == "tours by zeppelin"
    words = rows(log, "select keyword, times from rag_unanswered_keywords order by keyword")
    assert [(one["keyword"], one["times"]) for one in words] == [
        ("submarine", 1),
        ("tours", 2),
        ("zeppelin", 2),
    ]
    # Once there is an answer to it, it is no longer open.
    other = make_database(tmp_path / "air.db", fts_table("air", "Zeppelin tours start at noon."))
    more = await make_datasette([notes, other], logging_to(str(log)))
    assert (await reply_of(more, "Zeppelin tours?")).answered
    assert [one["last_question"] for one in rows(log, "select * from rag_unanswered")] == [
        "Any submarine?"
    ]


async def test_sources_that_are_cited_and_those_that_never_are(tmp_path):
    database = make_database(
        tmp_path / "notes.db",
        fts_table("notes", "The harbour closes at five in winter.", "A harbour is a place."),
    )
    log = tmp_path / "log.db"
    datasette = await make_datasette([database], logging_to(str(log)))
    for _ in range(2):
        reply = await reply_of(datasette, QUESTION)
    cited = {source.pks[0] for source in reply.sources if source.cited}
    assert {
        one["pks"]: one["times_cited"] for one in rows(log, "select * from rag_sources_cited")
    } == {f'["{key}"]': 2 for key in cited}
    never = rows(log, "select * from rag_sources_never_cited")
    assert {one["pks"] for one in never} == {
        f'["{source.pks[0]}"]' for source in reply.sources if not source.cited
    }


@pytest.mark.datasette_1_0
async def test_events(tmp_path, notes):  # noqa: F811
    heard = []

    class Listener:
        __name__ = "listener"

        @hookimpl
        def track_event(self, datasette, event):
            if event.name.startswith("datasette-rag"):
                heard.append(event)
            if event.name == "datasette-rag-answered":
                raise ValueError("a plugin that fails")

    listener = Listener()
    pm.register(listener)
    try:
        datasette = await make_datasette([notes])
        ann = {"id": "ann"}
        reply = await reply_of(datasette, QUESTION, actor=ann, database="notes")
        await reply_of(datasette, "Zeppelin?")
    finally:
        pm.unregister(listener)
    names = [event.name for event in heard]
    assert names == ["datasette-rag-asked", "datasette-rag-answered", "datasette-rag-asked"]
    assert heard[0].actor == ann and heard[0].properties() == {
        "database": "notes",
        "table": "",
        "answer": True,
    }
    assert heard[1].properties()["question_id"] == reply.id
    # What was asked is not for every plugin to hear.
    assert QUESTION not in str([event.properties() for event in heard])
