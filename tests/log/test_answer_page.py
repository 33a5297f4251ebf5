"""A logged answer under its own address: for whom it is, how fresh it is, what is said of it."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest

from datasette_rag.log import feedback

from ..site import ON_1_0, cookies, fts_table, get, make_database, make_datasette, reply_of
from .test_writing import QUESTION, rows

pytestmark = pytest.mark.asyncio
TEXT = "The harbour closes at five in winter."


@pytest.fixture
def site(tmp_path):
    database = make_database(
        tmp_path / "notes.db",
        fts_table("notes", TEXT, "Boats are for hire in winter."),
        fts_table("secrets", "The harbour has a secret winter door."),
    )
    log = tmp_path / "log.db"

    async def make(**tree):
        plugin = {"log": str(log), "admin": {"id": "admin"}, **tree.pop("plugin", {})}
        settings = tree.pop("settings", None)
        return await make_datasette(
            [database], {**tree, "plugins": {"datasette-rag": plugin}}, settings=settings
        )

    make.log, make.database = log, database
    return make


def execute(path, sql):
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(sql)
        conn.commit()


async def test_the_answer_with_its_quotes_and_sources(site):
    datasette = await site()
    reply = await reply_of(datasette, QUESTION)
    page = await get(datasette, f"/-/ask/{reply.id}")
    assert page.status_code == 200
    assert f"<mark>{TEXT}</mark>" in page.text and "shown as they are now" in page.text
    assert "this row" not in page.text.lower()
    assert page.headers["cache-control"].startswith("private")
    assert page.headers["x-robots-tag"] == "noindex"
    data = (await get(datasette, f"/-/ask/{reply.id}.json")).json()
    assert data["answer"] == reply.answer and data["id"] == reply.id
    assert data["sources"][0]["passage"] == reply.sources[0].passage
    assert data["sources"][0]["quotes"] == [
        {"text": one.text, "start": one.start, "end": one.end} for one in reply.sources[0].quotes
    ]
    assert {one["freshness"] for one in data["sources"]} == {"unchanged"}
    assert data["asked"].endswith("Z") and data["answer_url"] == f"/-/ask/{reply.id}"
    # Reading it asks nothing.
    assert len(rows(site.log)) == 1


async def test_all_faces_tell_its_address(site):
    datasette = await site(settings={"base_url": "/site/"})
    reply = (await get(datasette, f"/-/ask.json?question={QUESTION}")).json()
    assert reply["answer_url"] == f"/site/-/ask/{reply['id']}"
    stream = (await datasette.client.post("/-/ask/stream", data={"question": QUESTION})).text
    assert '"answer_url": "/site/-/ask/' in stream
    off = (await get(await site(plugin={"log": False}), f"/-/ask.json?question={QUESTION}")).json()
    assert "answer_url" not in off


async def test_a_post_without_script_leads_to_it(site):
    datasette = await site()
    response = await datasette.client.post("/-/ask", data={"question": QUESTION})
    (row,) = rows(site.log)
    assert response.status_code == 303 and response.headers["location"] == f"/-/ask/{row['id']}"
    assert TEXT in (await get(datasette, response.headers["location"])).text
    limited = await site(plugin={"answerer": "claude", "limits": {"per_day": 0}})
    assert (await limited.client.post("/-/ask", data={"question": QUESTION})).status_code == 429
    without = await site(plugin={"log": False})
    assert (await without.client.post("/-/ask", data={"question": QUESTION})).status_code == 200


async def test_a_source_that_has_changed_or_is_gone(site):
    datasette = await site()
    reply = await reply_of(datasette, "When is the harbour closed, are boats for hire in winter?")
    by_pk = {source.pks[0]: source.number for source in reply.sources if source.table == "notes"}
    execute(site.database, "update notes set body = 'The pier is closed.' where id = 1")
    execute(site.database, "delete from notes where id = 2")
    data = (await get(datasette, f"/-/ask/{reply.id}.json")).json()
    by_number = {source["number"]: source for source in data["sources"]}
    changed, gone = by_number[by_pk["1"]], by_number[by_pk["2"]]
    assert (changed["freshness"], gone["freshness"]) == ("changed", "gone")
    for source in (changed, gone):
        assert source["passage"] == "" and source["quotes"] == [] and source["title"]
    page = (await get(datasette, f"/-/ask/{reply.id}")).text
    assert "This row has changed since" in page and "This row is gone since" in page
    assert "The pier is closed" not in page


PRIVATE = {"databases": {"notes": {"tables": {"secrets": {"allow": {"id": "ann"}}}}}}


async def test_only_for_who_may_see_all_its_sources_now(site):
    datasette = await site(**PRIVATE)
    ann = {"id": "ann"}
    seen = await reply_of(datasette, "secret winter door", actor=ann)
    assert "secrets" in {source.table for source in seen.sources}
    public = await reply_of(datasette, "secret winter door")
    assert {source.table for source in public.sources} == {"notes"}
    for end in ("", ".json"):
        assert (await get(datasette, f"/-/ask/{seen.id}{end}", actor=ann)).status_code == 200
        for actor in (None, {"id": "bob"}):
            hidden = await get(datasette, f"/-/ask/{seen.id}{end}", actor=actor)
            unknown = await get(datasette, f"/-/ask/{'0' * 32}{end}", actor=actor)
            assert hidden.status_code == unknown.status_code == 404
            # But for the token of the form, on 0.65.
            texts = [re.sub('value="[^"]+"', "", one.text) for one in (hidden, unknown)]
            assert texts[0] == texts[1]
            assert (
                await get(datasette, f"/-/ask/{public.id}{end}", actor=actor)
            ).status_code == 200
    # What has been searched besides is not named to who may not see it.
    given = await reply_of(datasette, "boats for hire", actor=ann)
    assert {table.table for table in given.tables} == {"notes", "secrets"}
    assert "secrets" not in (await get(datasette, f"/-/ask/{given.id}.json")).text
    assert "secrets" not in (await get(datasette, f"/-/ask/{given.id}")).text
    # Closed later: no longer for those who could read it before.
    closed = await site(databases={"notes": {"allow": {"id": "ann"}}})
    assert (await get(closed, f"/-/ask/{public.id}.json")).status_code == 404


async def test_who_may_not_ask_may_not_read(site):
    reply = await reply_of(await site(), QUESTION)
    datasette = await site(plugin={"allow": {"id": "ann"}})
    assert (await get(datasette, f"/-/ask/{reply.id}")).status_code == 403
    assert (await get(datasette, f"/-/ask/{reply.id}.json")).status_code == 403
    assert (await get(datasette, f"/-/ask/{reply.id}", actor={"id": "ann"})).status_code == 200


async def test_a_database_that_is_served_no_more(site, tmp_path):
    reply = await reply_of(await site(), QUESTION)
    other = make_database(tmp_path / "other.db", fts_table("x", "Something else."))
    datasette = await make_datasette(
        [other], {"plugins": {"datasette-rag": {"log": str(site.log)}}}
    )
    assert (await get(datasette, f"/-/ask/{reply.id}.json")).status_code == 404


async def test_a_table_that_is_gone(site):
    datasette = await site()
    reply = await reply_of(datasette, QUESTION)
    execute(site.database, "drop table notes_fts")
    execute(site.database, "drop table notes")
    response = await get(datasette, f"/-/ask/{reply.id}.json")
    assert response.status_code == 200
    by_table = {one["table"]: one["freshness"] for one in response.json()["sources"]}
    assert by_table["notes"] == "gone" and by_table["secrets"] == "unchanged"


@pytest.mark.parametrize("end", ["", ".json", "/feedback"])
async def test_other_methods(site, end):
    datasette = await site()
    reply = await reply_of(datasette, QUESTION)
    wrong = "GET" if end == "/feedback" else "POST"
    response = await datasette.client.request(wrong, f"/-/ask/{reply.id}{end}")
    assert response.status_code == 405 and response.headers["allow"]
    if end != "/feedback":
        head = await datasette.client.request("HEAD", f"/-/ask/{reply.id}{end}")
        assert head.status_code == 200 and not head.content


async def give(datasette, id, actor=None, **values):
    return await datasette.client.post(
        f"/-/ask/{id}/feedback", data=values, cookies=cookies(datasette, actor)
    )


async def test_feedback(site):
    datasette = await site()
    reply = await reply_of(datasette, QUESTION)
    given = await give(datasette, reply.id, rating="down", reason="wrong", note=" It is\r\nsix. ")
    assert given.status_code == 303
    assert given.headers["location"] == f"/-/ask/{reply.id}?feedback=given"
    assert "Thank you" in (await get(datasette, given.headers["location"])).text
    assert (await give(datasette, reply.id, rating="up", reason="", note="")).status_code == 303
    first, second = rows(site.log, "select * from rag_feedback order by id")
    assert (first["rating"], first["reason"], first["note"]) == ("down", "wrong", "It is\nsix.")
    assert (second["rating"], second["reason"], second["note"]) == ("up", None, None)
    assert first["question_id"] == reply.id and first["given"].endswith("Z")
    assert first["actor_id"] is None


async def test_feedback_as_json(site):
    datasette = await site()
    reply = await reply_of(datasette, QUESTION)
    path = f"/-/ask/{reply.id}/feedback"
    given = await datasette.client.post(path, json={"rating": "up"})
    assert (given.status_code, given.json()) == (200, {"ok": True})
    refused = await datasette.client.post(path, json={"rating": 3})
    assert refused.status_code == 400 and refused.json()["ok"] is False


@pytest.mark.parametrize(
    "values, told",
    [
        ({}, "A rating is up or down"),
        ({"rating": "sideways"}, "A rating is up or down"),
        ({"rating": "down", "reason": "ugly"}, "A reason is one of"),
        ({"rating": "down", "note": "x" * 1001}, "1000 characters"),
        ({"rating": ["up", "down"]}, "rating may be given once"),
    ],
)
async def test_feedback_that_can_not_be(site, values, told):
    datasette = await site()
    reply = await reply_of(datasette, QUESTION)
    response = await give(datasette, reply.id, **values)
    assert response.status_code == 400 and told in response.text
    assert rows(site.log, "select * from rag_feedback") == []


async def test_so_much_feedback_and_no_more(site, monkeypatch):
    datasette = await site()
    reply = await reply_of(datasette, QUESTION)
    statuses = [
        (await give(datasette, reply.id, rating="up")).status_code
        for _ in range(feedback.PER_QUESTION + 1)
    ]
    assert statuses == [303] * feedback.PER_QUESTION + [429]
    monkeypatch.setattr(feedback, "PER_HOUR", feedback.PER_QUESTION)
    other = await reply_of(datasette, QUESTION)
    assert (await give(datasette, other.id, rating="up")).status_code == 429


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}]
)
async def test_feedback_from_another_site(site, headers):
    datasette = await site()
    reply = await reply_of(datasette, QUESTION)
    response = await datasette.client.post(
        f"/-/ask/{reply.id}/feedback", data={"rating": "up"}, headers=headers
    )
    assert response.status_code == 403
    assert rows(site.log, "select * from rag_feedback") == []


@pytest.mark.datasette_0_65
async def test_feedback_with_a_cookie_needs_the_token(site):
    datasette = await site()
    reply = await reply_of(datasette, QUESTION)
    ann = {"id": "ann"}
    path = f"/-/ask/{reply.id}/feedback"
    forged = await datasette.client.post(
        path, data={"rating": "up"}, cookies=cookies(datasette, ann)
    )
    assert forged.status_code == 403
    page = await get(datasette, f"/-/ask/{reply.id}", actor=ann)
    token = page.text.split('name="csrftoken" value="')[1].split('"')[0]
    signed = await datasette.client.post(
        path,
        data={"rating": "up", "csrftoken": token},
        cookies={**cookies(datasette, ann), "ds_csrftoken": page.cookies["ds_csrftoken"]},
    )
    assert signed.status_code == 303


async def test_feedback_on_what_one_may_not_see(site):
    datasette = await site(**PRIVATE)
    seen = await reply_of(datasette, "secret winter door", actor={"id": "ann"})
    assert (await give(datasette, seen.id, rating="up")).status_code == 404
    assert (await give(datasette, "0" * 32, rating="up")).status_code == 404
    assert rows(site.log, "select * from rag_feedback") == []


@pytest.mark.datasette_1_0
async def test_from_the_internal_database(site):
    assert ON_1_0
    datasette = await site(plugin={"log": "internal"})
    reply = await reply_of(datasette, QUESTION)
    assert (await get(datasette, f"/-/ask/{reply.id}")).status_code == 200
    assert (await give(datasette, reply.id, rating="down", reason="other")).status_code == 303


async def test_hostile_text(site):
    hostile = "<script>alert(1)</script> harbour in winter"
    datasette = await site()
    reply = await reply_of(datasette, hostile)
    page = (await get(datasette, f"/-/ask/{reply.id}")).text
    assert "<script>alert(1)" not in page and "&lt;script&gt;alert(1)" in page
