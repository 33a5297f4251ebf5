"""Who may ask, what is searched for whom, and whom the canned queries open for."""

from __future__ import annotations

import itertools
import json

import pytest
from datasette.plugins import pm

from .site import ON_1_0, fts_table, get, make_database, make_datasette, reply_of

ANN = {"id": "ann"}
BOB = {"id": "bob"}
ROOT = {"id": "root"}
ONLY_ANN = {"id": "ann"}
TABLES = [("one", "notes"), ("one", "secrets"), ("two", "papers")]


@pytest.fixture
def files(tmp_path):
    return [
        make_database(
            tmp_path / "one.db",
            fts_table("notes", "a red umbrella"),
            fts_table("secrets", "the umbrella code is 4711"),
        ),
        make_database(tmp_path / "two.db", fts_table("papers", "an umbrella paper")),
    ]


def settings(instance, database, table):
    """None leaves the place as it is by default."""
    tree = {"databases": {"one": {"tables": {"secrets": {}}}}}
    if instance is not None:
        tree["allow"] = instance
    if database is not None:
        tree["databases"]["one"]["allow"] = database
    if table is not None:
        tree["databases"]["one"]["tables"]["secrets"]["allow"] = table
    return tree


GRID = list(
    itertools.product(
        [None, ONLY_ANN],
        [None, ONLY_ANN, True],
        [None, ONLY_ANN, {"id": "root"}, True],
    )
)


@pytest.mark.asyncio
@pytest.mark.parametrize("instance, database, table", GRID)
async def test_grid(files, instance, database, table):
    """What is searched is what opens; what opens is asked of Datasette's own pages."""
    datasette = await make_datasette(files, settings(instance, database, table))
    if ON_1_0:
        datasette.root_enabled = True
    for actor in (None, ANN, BOB, ROOT):
        opening = {
            pair
            for pair in TABLES
            if (await get(datasette, "/{}/{}".format(*pair), actor)).status_code == 200
        }
        home = (await get(datasette, "/", actor)).status_code == 200
        reply = await get(datasette, "/-/ask.json?question=umbrella", actor)
        assert reply.status_code == (200 if home else 403)
        if home:
            data = reply.json()
            assert {(one["database"], one["table"]) for one in data["tables"]} == opening
            assert {(one["database"], one["table"]) for one in data["sources"]} == opening
        closed = {name for _, name in TABLES} - {name for _, name in opening}
        assert not [name for name in closed if name in reply.text]
        for database_name, table_name in TABLES:
            opens = (database_name, table_name) in opening
            query = await get(
                datasette, f"/{database_name}/ask_{table_name}.json?search=umbrella", actor
            )
            assert (query.status_code == 200) == opens
            if opens:
                assert len(query.json()["rows"]) == 1
            scoped = await get(
                datasette, f"/{database_name}/{table_name}/-/ask.json?question=umbrella", actor
            )
            assert scoped.status_code in ((200,) if home and opens else (403, 404))
            assert opens or "4711" not in scoped.text + query.text


@pytest.mark.asyncio
async def test_an_invisible_table_and_an_unknown_one_get_the_same_reply(files):
    datasette = await make_datasette(files, settings(None, None, ONLY_ANN))
    replies = [
        await get(datasette, f"/one/{name}/-/ask.json?question=umbrella")
        for name in ("secrets", "nothing")
    ] + [
        await get(datasette, f"/-/ask.json?question=umbrella&table=one/{name}")
        for name in ("secrets", "nothing")
    ]
    assert {reply.status_code for reply in replies} == {404}
    assert len({reply.text for reply in replies}) == 1


@pytest.mark.asyncio
async def test_case_f4_02_a_private_table_leaves_no_trace(tmp_path):
    """Not queried, counted, named or timed for others; root gets the answer."""
    path = make_database(
        tmp_path / "site.db",
        fts_table("faq", "The night bus leaves at ten"),
        fts_table("hr", "The salary of the night guard is 4711"),
    )
    tree = {"databases": {"site": {"tables": {"hr": {"allow": {"id": "root"}}}}}}
    datasette = await make_datasette([path], tree)
    question = "/-/ask.json?question=What+is+the+salary+of+the+night+guard%3F"
    traced = []
    original = datasette.databases["site"].execute_fn

    async def watched(fn):
        def run(conn):
            conn.set_trace_callback(traced.append)
            try:
                return fn(conn)
            finally:
                conn.set_trace_callback(None)

        return await original(run)

    datasette.databases["site"].execute_fn = watched
    for address in (question, question.replace(".json", ""), "/-/ask", "/site/-/ask"):
        text = (await get(datasette, address)).text
        assert "4711" not in text
        assert not [name for name in ("ask_hr", "site/hr", "hr 1", '"hr"', ">hr<") if name in text]
    searches = [sql for sql in traced if " match " in sql]
    assert searches and not [sql for sql in searches if "hr" in sql]
    assert "4711" in (await get(datasette, question, ROOT)).text


@pytest.mark.asyncio
async def test_case_f4_04_side_doors(tmp_path):
    """Indexes and views of a private table are never a source by themselves."""
    path = make_database(
        tmp_path / "site.db",
        fts_table("docs", "the umbrella code is 4711"),
        "create view v_docs as select * from docs",
        # An index that holds a copy of the text, named after its table.
        "create virtual table docs_search using fts5(body)",
        "insert into docs_search select body from docs",
    )
    tree = {"databases": {"site": {"tables": {"docs": {"allow": {"id": "root"}}}}}}
    datasette = await make_datasette([path], tree)
    for actor, tables in ((None, set()), (ROOT, {"docs", "docs_search"})):
        reply = (await get(datasette, "/-/ask.json?question=umbrella+code", actor)).json()
        assert {one["table"] for one in reply["tables"]} == tables
        for name in ("docs_fts", "v_docs"):
            scoped = await get(datasette, f"/site/{name}/-/ask.json?question=umbrella", actor)
            assert "4711" not in scoped.text


@pytest.mark.asyncio
async def test_verdicts_are_not_shared_between_actors(files):
    datasette = await make_datasette(files, settings(None, None, ONLY_ANN))
    for _ in range(2):
        for actor, sees in ((ANN, True), (None, False), (BOB, False)):
            text = (await get(datasette, "/-/ask.json?question=umbrella", actor)).text
            assert ("4711" in text) == sees


@pytest.mark.asyncio
async def test_case_f4_14_the_actor_is_the_one_that_asks(files):
    datasette = await make_datasette(files, settings(None, None, ONLY_ANN))
    for actor, sees in ((ANN, True), (None, False), (BOB, False)):
        reply = await reply_of(datasette, "umbrella", actor=actor)
        assert ("secrets" in {source.table for source in reply.sources}) == sees


@pytest.mark.asyncio
@pytest.mark.parametrize("allow, asks", [(ONLY_ANN, [ANN]), (False, []), (True, [None, ANN, BOB])])
async def test_allow_says_who_may_ask(files, allow, asks):
    datasette = await make_datasette(files, {"plugins": {"datasette-rag": {"allow": allow}}})
    for actor in (None, ANN, BOB):
        expected = 200 if actor in asks else 403
        for path in ("/-/ask", "/-/ask?question=umbrella", "/-/ask.json?question=umbrella"):
            assert (await get(datasette, path, actor)).status_code == expected
        home = (await get(datasette, "/", actor)).text
        assert ('href="/-/ask"' in home) == (actor in asks)


@pytest.mark.asyncio
@pytest.mark.datasette_1_0
async def test_default_deny(files):
    """Nobody may ask until a rule says so, and the rule may stand in either place."""
    datasette = await make_datasette(files, default_deny=True)
    assert (await get(datasette, "/-/ask.json?question=umbrella", ANN)).status_code == 403
    open_to_ann = {
        "view-instance": ONLY_ANN,
        "view-database": ONLY_ANN,
        "view-table": ONLY_ANN,
    }
    datasette = await make_datasette(files, {"permissions": open_to_ann}, default_deny=True)
    assert (await get(datasette, "/-/ask.json?question=umbrella", ANN)).status_code == 403
    for tree in (
        {"permissions": {**open_to_ann, "datasette-rag-ask": ONLY_ANN}},
        {"permissions": open_to_ann, "plugins": {"datasette-rag": {"allow": ONLY_ANN}}},
    ):
        datasette = await make_datasette(files, tree, default_deny=True)
        assert (await get(datasette, "/-/ask.json?question=umbrella", ANN)).status_code == 200
        assert (await get(datasette, "/-/ask.json?question=umbrella", BOB)).status_code == 403


@pytest.mark.asyncio
@pytest.mark.datasette_1_0
async def test_permissions_block_says_who_may_ask(files):
    datasette = await make_datasette(files, {"permissions": {"datasette-rag-ask": ONLY_ANN}})
    for actor, status in ((ANN, 200), (None, 403), (BOB, 403)):
        assert (await get(datasette, "/-/ask.json?question=umbrella", actor)).status_code == status


@pytest.mark.asyncio
@pytest.mark.datasette_1_0
async def test_an_actors_restrictions_hold(files):
    """A token that may not view tables finds nothing; one that may not ask is refused."""
    datasette = await make_datasette(files)
    may = {"id": "ann", "_r": {"a": ["view-instance", "datasette-rag-ask", "view-table"]}}
    reply = await get(datasette, "/-/ask.json?question=umbrella", may)
    assert len(reply.json()["tables"]) == 3
    only_two = {
        "id": "ann",
        "_r": {"a": ["view-instance", "datasette-rag-ask"], "r": {"two": {"papers": ["vt"]}}},
    }
    reply = await get(datasette, "/-/ask.json?question=umbrella", only_two)
    assert [one["table"] for one in reply.json()["tables"]] == ["papers"]
    may_not_ask = {"id": "ann", "_r": {"a": ["view-instance", "view-table"]}}
    assert (await get(datasette, "/-/ask.json?question=umbrella", may_not_ask)).status_code == 403


@pytest.mark.asyncio
@pytest.mark.datasette_1_0
async def test_a_restart_and_the_end_of_the_plugin(files, tmp_path):
    """With --internal the queries' rows outlive the process; who may see them does not change."""
    internal = str(tmp_path / "internal.db")
    tree = settings(None, None, ONLY_ANN)
    for _ in range(2):
        datasette = await make_datasette(files, tree, internal=internal)
        for actor, status in ((ANN, 200), (None, 403)):
            query = await get(datasette, "/one/ask_secrets.json?search=umbrella", actor)
            assert query.status_code == status
        datasette.close()
    plugin = pm.get_plugin("rag")
    pm.unregister(plugin, "rag")
    try:
        datasette = await make_datasette(files, tree, internal=internal)
        for actor in (ANN, None):
            for name in ("ask_secrets", "ask_notes"):
                query = await get(datasette, f"/one/{name}.json?search=umbrella", actor)
                assert query.status_code == 404
        datasette.close()
    finally:
        pm.register(plugin, "rag")


@pytest.mark.asyncio
@pytest.mark.datasette_0_65
async def test_the_internal_database_is_nobodys_source(files):
    datasette = await make_datasette(files)
    reply = await get(datasette, "/-/ask.json?question=umbrella", ROOT)
    assert {one["database"] for one in reply.json()["tables"]} == {"one", "two"}


@pytest.mark.asyncio
async def test_queries_of_the_owner_do_not_open_ours(files):
    """0.65 puts a plugin's queries into the owner's own dictionary of them, if there is one."""
    tree = settings(None, None, ONLY_ANN)
    tree["databases"]["one"]["queries"] = {"hello": {"sql": "select 1 as x"}}
    datasette = await make_datasette(files, tree)
    for _ in range(3):
        for actor, status in ((None, 403), (ANN, 200)):
            page = await get(datasette, "/one", actor)
            assert page.status_code == 200
            assert ("ask_secrets" in page.text) == (actor is ANN)
            query = await get(datasette, "/one/ask_secrets.json?search=umbrella", actor)
            assert query.status_code == status
        reply = (await get(datasette, "/one/-/ask.json?question=umbrella")).json()
        assert [one["query_url"] for one in reply["tables"]] == [
            "/one/ask_notes?search=%22umbrella%22"
        ]
        for address in ("/-/metadata.json", "/-/config.json"):
            assert "ask_" not in (await get(datasette, address)).text
    assert (await get(datasette, "/one/hello.json")).status_code == 200


@pytest.mark.asyncio
async def test_a_view_of_a_private_table_is_searched_only_if_the_owner_says_so(tmp_path):
    path = make_database(
        tmp_path / "site.db",
        fts_table("docs", "the umbrella code is 4711"),
        "create view shown as select * from docs",
        "create virtual table shown_fts using fts5(body, content=shown, content_rowid=id)",
        "insert into shown_fts(shown_fts) values ('rebuild')",
    )
    tables = {"docs": {"allow": ONLY_ANN}}
    datasette = await make_datasette([path], {"databases": {"site": {"tables": tables}}})
    assert "4711" not in (await get(datasette, "/-/ask.json?question=umbrella")).text
    tables["shown"] = {"fts_table": "shown_fts"}
    datasette = await make_datasette([path], {"databases": {"site": {"tables": tables}}})
    reply = (await get(datasette, "/-/ask.json?question=umbrella")).json()
    assert [one["table"] for one in reply["sources"]] == ["shown"]


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["\ud800", "a\udc80b", "no\x00thing"])
async def test_names_that_no_table_can_have(files, name):
    """They are not found, in a private database as in one that does not exist."""
    datasette = await make_datasette(files, settings(None, ONLY_ANN, None))
    replies = [
        await datasette.client.post(
            "/-/ask.json",
            content=json.dumps({"question": "umbrella", "tables": [f"{database}/{name}"]}),
            headers={"content-type": "application/json"},
        )
        for database in ("one", "two", "none")
    ]
    assert [reply.status_code for reply in replies] == [404] * 3
    assert len({reply.text for reply in replies}) == 1
