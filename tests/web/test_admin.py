"""The page for admins: for whom it is, what it says, and that nothing in it is trusted."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest

from datasette_rag.log import schema
from datasette_rag.web import admin

from ..log.filled import ask
from ..site import ON_1_0, fts_table, get, make_database, make_datasette, reply_of

TABLES = (*schema.TABLES, *schema.VIEWS)

pytestmark = pytest.mark.asyncio

ANN = {"id": "ann"}
PAGE, JSON = "/-/ask/admin", "/-/ask/admin.json"
HOSTILE = '"><script>boom()</script> <img src=x onerror=boom()> \u202eevil {{ 7 * 7 }}'


@pytest.fixture
def notes(tmp_path):
    return make_database(
        tmp_path / "notes.db", fts_table("notes", "The harbour closes at five in winter.")
    )


@pytest.fixture
def log(tmp_path):
    return tmp_path / "rag-log.db"


def settings(log, **plugin):
    return {"plugins": {"datasette-rag": {"admin": ANN, "log": log, **plugin}}}


async def site(notes, log, **arguments):
    return await make_datasette([notes], settings(str(log)), **arguments)


def write(log, work):
    with closing(sqlite3.connect(log)) as conn:
        result = work(conn)
        conn.commit()
        return result


def thumb_down(log, id, note, reason="wrong"):
    write(
        log,
        lambda conn: conn.execute(
            "insert into rag_feedback (question_id, given, rating, reason, note) "
            "values (?, '2026-01-02T03:04:05.000Z', 'down', ?, ?)",
            [id, reason, note],
        ),
    )


async def refused(datasette, actor):
    """Whether both faces are closed to this actor, as they should be at the same time."""
    page, data = [await get(datasette, path, actor) for path in (PAGE, JSON)]
    assert (page.status_code, data.status_code) in ((403, 403), (200, 200))
    if data.status_code == 403:
        assert data.json()["status"] == 403 and not data.json()["ok"]
    return data.status_code == 403


async def test_for_whom_it_is(notes, log):
    datasette = await site(notes, log)
    for actor in (None, {"id": "bob"}, {"id": "ann "}):
        assert await refused(datasette, actor)
        assert PAGE not in (await get(datasette, "/", actor)).text
    assert not await refused(datasette, ANN)
    assert f'href="{PAGE}"' in (await get(datasette, "/", ANN)).text


async def test_by_default_it_is_for_root_alone(notes, log):
    datasette = await make_datasette([notes], {"plugins": {"datasette-rag": {"log": str(log)}}})
    if ON_1_0:
        datasette.root_enabled = True
    assert not await refused(datasette, {"id": "root"})
    assert await refused(datasette, ANN) and await refused(datasette, None)


@pytest.mark.datasette_1_0
async def test_by_permissions(notes, log):
    tree = {
        "plugins": {"datasette-rag": {"log": str(log)}},
        "permissions": {"datasette-rag-admin": ANN},
    }
    datasette = await make_datasette([notes], tree)
    assert not await refused(datasette, ANN)
    assert await refused(datasette, {"id": "bob"}) and await refused(datasette, None)


async def test_who_may_not_see_the_instance_may_not_see_this(notes, log):
    tree = {**settings(str(log)), "allow": {"id": "bob"}}
    datasette = await make_datasette([notes], tree)
    assert await refused(datasette, ANN) and await refused(datasette, {"id": "bob"})


async def test_nothing_asked_yet(notes, log):
    datasette = await site(notes, log)
    response = await get(datasette, PAGE, ANN)
    assert response.status_code == 200
    assert "Nothing is open." in response.text
    report = (await get(datasette, JSON, ANN)).json()
    assert report["today"]["asked"] == 0 and report["today"]["median_ms"] is None
    assert len(report["per_day"]) == 30 and report["unanswered"] == []


async def test_page_and_json_say_the_same(notes, log, parse_page):
    datasette = await site(notes, log)
    await reply_of(datasette, "When does the harbour close in winter?")
    await reply_of(datasette, "zebra?")
    last = await reply_of(datasette, "Zebra")
    long_ago = datetime.now(timezone.utc) - timedelta(days=10)
    write(log, lambda conn: ask(conn, outcome="failed", asked=long_ago, cost_usd=0.25))
    thumb_down(log, last.id, "No, it is not.")
    report = (await get(datasette, JSON, ANN)).json()
    assert report["ok"] and report["log"] == {
        "kind": "named",
        "database": "rag-log",
        "problem": None,
    }
    today, month = report["today"], report["last_30_days"]
    assert (today["asked"], today["answered"], today["not_found"]) == (3, 1, 2)
    assert (month["asked"], month["failed"], month["cost_usd"]) == (4, 1, 0.25)
    assert today["median_ms"] > 0
    assert sum(day["asked"] for day in report["per_day"]) == 4
    (topic,) = report["unanswered"]
    assert (topic["topic"], topic["times"], topic["last_question"]) == (["zebra"], 2, "Zebra")
    assert topic["search_url"] == "/-/ask?question=Zebra"
    assert topic["answer_url"] == f"/-/ask/{last.id}"
    (thumb,) = report["thumbs_down"]
    assert (thumb["question"], thumb["reason"], thumb["note"]) == (
        "Zebra",
        "wrong",
        "No, it is not.",
    )
    page = parse_page((await get(datasette, PAGE, ANN)).text)
    for said in (
        "Asked 3 4",
        "Answered 1 1",
        "Not found 2 2",
        "Failed 0 1",
        "Cost $0.0000 $0.2500",
        "2 times, last",
        "The answer is wrong",
        "No, it is not.",
    ):
        assert said.replace(" ", "") in "".join(page.text.split()), said
    assert {"href": topic["search_url"]} in page.all("a")
    assert len(page.all("a", href=topic["answer_url"])) == 2


async def test_the_line_has_a_text_and_a_point_a_day(notes, log, parse_page):
    datasette = await site(notes, log)
    await reply_of(datasette, "zebra?")
    page = parse_page((await get(datasette, PAGE, ANN)).text)
    assert page.one("svg", role="img")["aria-label"].endswith("1 in all, at most 1 on one day")
    points = [point.split(",") for point in page.one("polyline")["points"].split()]
    assert len(points) == 30
    assert points[0] == ["0.0", "80.0"] and points[-1] == ["600.0", "0.0"]


@pytest.mark.parametrize("base", ["/", "/data/"])
async def test_its_links_lead_somewhere(notes, log, parse_page, base):
    datasette = await site(notes, log, settings={"base_url": base})
    await reply_of(datasette, "zebra & köln?")
    page = parse_page((await get(datasette, PAGE, ANN)).text)
    links = [attributes["href"] for attributes in page.all("a")]
    tables = [link for link in links if link.startswith(f"{base}rag-log/")]
    assert len(tables) == len(TABLES)
    for link in links:
        assert link.startswith(base) and "//" not in link
        if re.search("/[0-9a-f]{32}$", link):
            continue
        response = await get(datasette, link.removeprefix(base.rstrip("/")), ANN)
        assert response.status_code == 200, link
    for link in tables:
        assert (await get(datasette, link.removeprefix(base.rstrip("/")))).status_code == 403


async def test_hostile_text_stays_text(notes, log, parse_page):
    datasette = await site(notes, log)
    assert (await reply_of(datasette, f"zebra {HOSTILE}")).logged
    id = write(log, lambda conn: ask(conn, question=HOSTILE, topic=[HOSTILE]))
    thumb_down(log, id, HOSTILE * 3, reason=HOSTILE)
    html = (await get(datasette, PAGE, ANN)).text
    page = parse_page(html)
    assert not {"script", "img", "style"} & {tag for tag, _ in page.tags}
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
        if tag in ("a", "blockquote") and "evil" in str(attributes):
            assert (attributes.get("href") or "").startswith("/-/ask?question=")
    assert "49" not in page.main.split("evil")[1][:20]
    assert page.says(HOSTILE * 3)
    shown = [attributes for tag, attributes in page.tags if attributes.get("dir") == "auto"]
    assert len(shown) == 4
    report = (await get(datasette, JSON, ANN)).json()
    assert report["thumbs_down"][0]["note"] == HOSTILE * 3


@pytest.mark.parametrize(
    "log, said",
    [
        (False, "the configuration of the plugin says log: false. To log them, set log:"),
        ("questions", "there is no database questions; serve one of this name"),
        pytest.param(
            {"days": 10},
            "this Datasette has no internal database. To log them, set log:",
            marks=pytest.mark.datasette_0_65,
        ),
    ],
)
async def test_without_a_log_it_says_why(notes, parse_page, log, said):
    datasette = await make_datasette([notes], settings(log))
    page = parse_page((await get(datasette, PAGE, ANN)).text)
    assert page.says(f"Questions are not logged: {said}") and not page.all("table")
    report = (await get(datasette, JSON, ANN)).json()
    assert report["ok"] and report["log"]["problem"].startswith(said) and report["tables"] == []
    assert "today" not in report


async def test_with_crossdb_it_says_why(notes, log):
    datasette = await site(notes, log, crossdb=True)
    report = (await get(datasette, JSON, ANN)).json()
    assert report["log"]["problem"].endswith("serve without it")


async def test_in_memory(notes):
    datasette = await make_datasette([notes], settings("memory"))
    await reply_of(datasette, "zebra?")
    report = (await get(datasette, JSON, ANN)).json()
    assert report["today"]["asked"] == 1 and len(report["tables"]) == len(TABLES)
    for table in report["tables"]:
        assert (await get(datasette, table["url"], ANN)).status_code == 200


@pytest.mark.datasette_1_0
async def test_the_internal_database_has_no_pages(notes):
    datasette = await make_datasette([notes], settings("internal"))
    await reply_of(datasette, "zebra?")
    report = (await get(datasette, JSON, ANN)).json()
    assert report["today"]["asked"] == 1 and report["tables"] == []
    assert (await get(datasette, PAGE, ANN)).status_code == 200


async def test_while_another_writes(notes, log):
    datasette = await site(notes, log)
    await reply_of(datasette, "zebra?")
    with closing(sqlite3.connect(log, isolation_level=None)) as other:
        other.execute("begin immediate")
        assert (await get(datasette, JSON, ANN)).json()["today"]["asked"] == 1
        other.execute("rollback")


async def test_a_log_that_cannot_be_read(notes, log, monkeypatch):
    async def locked(datasette):
        raise sqlite3.OperationalError("database is locked")

    datasette = await site(notes, log)
    monkeypatch.setattr(admin, "opened", locked)
    page, data = [await get(datasette, path, ANN) for path in (PAGE, JSON)]
    assert page.status_code == data.status_code == 500
    message = "The log can't be read at the moment: database is locked"
    assert message in page.text.replace("&#39;", "'") and data.json()["error"] == message


async def test_a_log_that_has_become_something_else(notes, log):
    datasette = await site(notes, log)
    make_database(log, "create table mine (x)")
    response = await get(datasette, JSON, ANN)
    assert response.status_code == 500 and "it holds mine" in response.json()["error"]


@pytest.mark.parametrize("path", [PAGE, JSON])
async def test_methods_and_headers(notes, log, path):
    datasette = await site(notes, log)
    response = await get(datasette, path, ANN)
    assert "private" in response.headers["cache-control"]
    assert response.headers["x-robots-tag"] == "noindex"
    head = await datasette.client.head(
        path, cookies={"ds_actor": datasette.sign({"a": ANN}, "actor")}
    )
    assert head.status_code == 200 and not head.content
    put = await datasette.client.put(path)
    assert put.status_code == 405 and put.headers["allow"] == "GET, HEAD"
