"""A question's whole way on real databases: what is found, in which order, and what can go wrong."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing

import pytest
from datasette.database import Database

import datasette_rag
from datasette_rag import events
from datasette_rag.permissions import OWNER

from .site import fts_table, get, last_event, make_database, make_datasette, reply_of

pytestmark = pytest.mark.asyncio


async def test_the_events_and_their_order(tmp_path):
    path = make_database(tmp_path / "db.db", fts_table("notes", "The harbour closes at nine."))
    datasette = await make_datasette([path])
    seen = [event async for event in datasette_rag.ask(datasette, "When does the harbour close?")]
    kinds = [type(event) for event in seen]
    assert kinds[:2] == [events.Keywords, events.Sources]
    assert kinds[-1] is events.Done and kinds.count(events.Done) == 1
    assert {events.AnswerDelta, events.Citation, events.Check} <= set(kinds[2:-1])
    reply = seen[-1].reply
    assert reply.outcome == "answered" and reply.answered and reply.ok
    assert reply.answer == "".join(
        event.text for event in seen if isinstance(event, events.AnswerDelta)
    )
    assert "The harbour closes at nine." in reply.answer and "[1]" in reply.answer
    (source,) = reply.sources
    assert source.cited and source.row_url == "/db/notes/1" and source.title == "notes 1"
    for quote in source.quotes:
        assert source.passage[quote.start : quote.end] == quote.text
    assert all(check.ok for check in reply.checks)
    assert reply.timings_ms["total"] >= reply.timings_ms["search"] > 0


async def test_search_only(tmp_path):
    path = make_database(tmp_path / "db.db", fts_table("notes", "The harbour closes at nine."))
    reply = await reply_of(await make_datasette([path]), "harbour", answer=False)
    assert reply.outcome is None and reply.answer == "" and not reply.answered
    assert len(reply.sources) == 1 and not reply.sources[0].cited


@pytest.mark.parametrize("question", ["", "   ", "\x00\x01", None])
async def test_no_question(tmp_path, question):
    path = make_database(tmp_path / "db.db", fts_table("notes", "x"))
    event = await last_event(await make_datasette([path]), question)
    assert isinstance(event, events.Failed) and event.status == 400


async def test_case_f1_08_a_pasted_log(tmp_path):
    """Too long a question is refused; one that is allowed has a bounded number of keywords."""
    path = make_database(tmp_path / "db.db", fts_table("notes", "x"))
    datasette = await make_datasette([path])
    event = await last_event(datasette, "word " * 12_000)
    assert isinstance(event, events.Failed) and event.status == 400
    assert "60000" in event.message and "2000" in event.message
    datasette = await make_datasette(
        [path], {"plugins": {"datasette-rag": {"max_question_chars": 20_000}}}
    )
    words = " ".join(f"word{number}" for number in range(2_000))
    reply = await reply_of(datasette, words)
    assert 0 < len(reply.keywords) <= 48


@pytest.mark.parametrize("question", ["??? -- !!!", "😀😀", "…"])
async def test_case_f1_04_nothing_to_search_for(tmp_path, question):
    path = make_database(tmp_path / "db.db", fts_table("notes", "x"))
    reply = await reply_of(await make_datasette([path]), question)
    assert reply.outcome == "nothing_searchable"
    assert reply.match == "" and reply.answer and not reply.answered


async def test_nothing_that_can_be_searched(tmp_path):
    path = make_database(tmp_path / "db.db", "create table t (id integer primary key, x text)")
    reply = await reply_of(await make_datasette([path]), "anything")
    assert reply.outcome == "nothing_searchable" and reply.tables == ()
    reply = await reply_of(await make_datasette([path]), "anything", database="db", table="t")
    assert reply.outcome == "nothing_searchable"


async def test_nothing_found_gives_the_owners_words(tmp_path):
    path = make_database(tmp_path / "db.db", fts_table("notes", "x"))
    datasette = await make_datasette(
        [path], {"plugins": {"datasette-rag": {"no_answer": "Ask the library."}}}
    )
    reply = await reply_of(datasette, "umbrella")
    assert (reply.outcome, reply.answer) == ("nothing_found", "Ask the library.")
    assert reply.tables[0].status == "ok" and reply.tables[0].rows == 0


async def test_keywords_of_the_asker_and_synonyms(tmp_path):
    path = make_database(tmp_path / "db.db", fts_table("notes", "an invoice", "a bill", "a letter"))
    datasette = await make_datasette(
        [path], {"plugins": {"datasette-rag": {"synonyms": [["invoice", "bill"]]}}}
    )
    reply = await reply_of(datasette, "Where is my bill?")
    assert reply.keywords == ("bill", "invoice") and reply.keywords_from == "question"
    assert {source.pks for source in reply.sources} == {("1",), ("2",)}
    reply = await reply_of(datasette, "Where is my bill?", keywords=["letter"])
    assert reply.keywords == ("letter",) and reply.keywords_from == "asker"
    assert [source.pks for source in reply.sources] == [("3",)]


async def test_scopes(tmp_path):
    one = make_database(tmp_path / "one.db", fts_table("a", "umbrella"), fts_table("b", "umbrella"))
    two = make_database(tmp_path / "two.db", fts_table("c", "umbrella"))
    datasette = await make_datasette([one, two])

    async def searched(**arguments):
        reply = await reply_of(datasette, "umbrella", **arguments)
        return {(table.database, table.table) for table in reply.tables}

    assert await searched() == {("one", "a"), ("one", "b"), ("two", "c")}
    assert await searched(database="one") == {("one", "a"), ("one", "b")}
    assert await searched(database="one", table="b") == {("one", "b")}
    assert await searched(tables=[("one", "a"), ("two", "c")]) == {("one", "a"), ("two", "c")}
    for arguments in (
        {"database": "nope"},
        {"database": "one", "table": "nope"},
        {"tables": [("one", "nope")]},
    ):
        event = await last_event(datasette, "umbrella", **arguments)
        assert isinstance(event, events.Failed) and event.status == 404


async def test_search_false_leaves_out(tmp_path):
    path = make_database(tmp_path / "db.db", fts_table("a", "umbrella"), fts_table("b", "umbrella"))
    off = {"plugins": {"datasette-rag": {"search": False}}}
    reply = await reply_of(
        await make_datasette([path], {"databases": {"db": {"tables": {"a": off}}}}), "umbrella"
    )
    assert [table.table for table in reply.tables] == ["b"]
    reply = await reply_of(await make_datasette([path], {"databases": {"db": off}}), "umbrella")
    assert reply.outcome == "nothing_searchable"


async def test_case_f3_13_tables_are_fused_by_rank(tmp_path):
    """An exact hit in a small table stands among the first beside a large one."""
    filler = " ".join(["invoice payment terms and conditions of the archive"] * 40)
    path = make_database(
        tmp_path / "db.db",
        fts_table(
            "faq", *[f"short answer {number}" for number in range(19)], "How to pay an invoice late"
        ),
        "create table archive (id integer primary key, title text, body text)",
        "create virtual table archive_fts using fts5(title, body, content=archive)",
        rows=[
            (
                "insert into archive values (?, ?, ?)",
                [(n, f"Box {n}", filler) for n in range(2_000)],
            ),
            ("insert into archive_fts(archive_fts) values (?)", [("rebuild",)]),
        ],
    )
    reply = await reply_of(await make_datasette([path]), "How do I pay an invoice late?")
    assert ("faq", ("20",)) in [(one.table, one.pks) for one in reply.sources[:3]]


async def test_more_matched_terms_mean_a_better_place(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        fts_table("notes", "red hat", "red umbrella hat", "red umbrella", "green coat"),
    )
    reply = await reply_of(await make_datasette([path]), "red umbrella hat")
    assert reply.sources[0].pks == ("2",)
    assert len(reply.sources) == 3


async def test_case_f3_08_fts4_and_fts5_together(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        fts_table("five", "an umbrella item"),
        'create table four (id integer primary key, t text); insert into four values (1, "an umbrella item");'
        'create virtual table four_fts using fts4(t, content="four");'
        "insert into four_fts(four_fts) values ('rebuild')",
    )
    reply = await reply_of(await make_datasette([path]), "item")
    assert {(one.table, one.status, one.rows) for one in reply.tables} == {
        ("five", "ok", 1),
        ("four", "ok", 1),
    }
    assert {source.table for source in reply.sources} == {"five", "four"}


async def test_case_f3_10_keys_of_all_kinds(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        "create table cp (a, b, t, primary key (a, b)); insert into cp values ('x,1', 'y/2', 'umbrella')",
        "create virtual table cp_fts using fts5(t, content=cp); insert into cp_fts(cp_fts) values ('rebuild')",
        "create table nopk (t); insert into nopk values ('umbrella')",
        "create virtual table nopk_fts using fts5(t, content=nopk); insert into nopk_fts(nopk_fts) values ('rebuild')",
        "create table textpk (k text primary key, t); insert into textpk values ('a b%c', 'umbrella')",
        "create virtual table textpk_fts using fts5(t, content=textpk); insert into textpk_fts(textpk_fts) values ('rebuild')",
        "create virtual table alone using fts5(t); insert into alone values ('umbrella')",
    )
    datasette = await make_datasette([path])
    reply = await reply_of(datasette, "umbrella")
    urls = {source.table: source.row_url for source in reply.sources}
    assert urls == {
        "cp": "/db/cp/x~2C1,y~2F2",
        "nopk": "/db/nopk/1",
        "textpk": "/db/textpk/a+b~25c",
        "alone": "/db/alone/1",
    }
    for url in urls.values():
        assert (await get(datasette, url)).status_code == 200


async def test_case_f3_11_null_binary_and_json_values(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        "create table odd (id blob primary key, title, body, tags)",
        "insert into odd values (null, null, x'FFFE00756d6272656c6c61', '[\"umbrella\", \"b\"]')",
        "insert into odd values (x'00ff', 'T', 'an umbrella', null)",
        "insert into odd values ('k', 7, null, '{\"a\": \"umbrella\"}')",
        "create virtual table odd_fts using fts5(title, body, tags, content=odd)",
        "insert into odd_fts(odd_fts) values ('rebuild')",
    )
    datasette = await make_datasette([path])
    reply = await reply_of(datasette, "umbrella")
    assert {(source.pks, source.row_url) for source in reply.sources} == {
        ((), None),
        (("k",), "/db/odd/k"),
    }
    passages = " ".join(source.passage for source in reply.sources)
    assert "None" not in passages and '["umbrella", "b"]' in passages
    page = await get(datasette, "/-/ask.json?question=umbrella")
    assert page.status_code == 200 and len(page.json()["sources"]) == 3


async def test_case_f1_07_nul_in_rows_and_questions(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        "create table t (id integer primary key, body text)",
        "create virtual table t_fts using fts5(body, content=t)",
        rows=[
            ("insert into t values (?, ?)", [(1, "refund\x00after policy")]),
            ("insert into t_fts(t_fts) values (?)", [("rebuild",)]),
        ],
    )
    datasette = await make_datasette([path])
    response = await get(datasette, "/-/ask.json?question=refund%00policy")
    assert response.status_code == 200
    (source,) = response.json()["sources"]
    assert "\x00" not in response.text and "policy" in source["passage"]


async def test_case_f3_01_ghost_rows_are_dropped_and_told(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        fts_table("d", "umbrella ghost", "umbrella stays"),
        "delete from d where id = 1",
        fts_table("fine", "umbrella here"),
    )
    reply = await reply_of(await make_datasette([path]), "umbrella")
    assert {(source.table, source.pks) for source in reply.sources} == {
        ("d", ("2",)),
        ("fine", ("1",)),
    }
    statuses = {table.table: table for table in reply.tables}
    assert statuses["fine"].status == "ok"
    assert statuses["d"].status == "out_of_date"
    assert "sqlite-utils rebuild-fts db.db d" in statuses["d"].message


async def test_case_f3_02_a_row_that_never_held_the_word_is_not_cited(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        fts_table("d", "parking permit"),
        "update d set body = 'cake recipe' where id = 1",
    )
    datasette = await make_datasette([path])
    reply = await reply_of(datasette, "parking permit")
    assert reply.sources == () and reply.outcome == "nothing_found"
    assert reply.tables[0].status == "out_of_date"
    # A stem of the word is the word: this is not what out of date means.
    path = make_database(tmp_path / "stems.db", fts_table("d", "she was running"))
    reply = await reply_of(await make_datasette([path]), "runs")
    assert reply.tables[0].status == "ok" and len(reply.sources) == 1


@pytest.mark.parametrize(
    "drift",
    [
        "update d set body = 'cake recipe' where rowid = 1",
        "delete from d where rowid = 1; insert into d(rowid, title, body) values (1, 'd 1', 'cake')",
        "insert or replace into d(rowid, title, body) values (1, 'd 1', 'cake recipe')",
    ],
)
async def test_case_f3_02_however_the_text_of_a_row_has_changed(tmp_path, drift):
    path = make_database(
        tmp_path / "db.db",
        fts_table("d", "parking permit", "another permit"),
        drift,
    )
    reply = await reply_of(await make_datasette([path]), "parking permit")
    assert [source.pks for source in reply.sources] == [("2",)]
    assert reply.tables[0].status == "out_of_date"
    assert "sqlite-utils rebuild-fts db.db d_fts" in reply.tables[0].message


async def test_rows_that_vacuum_has_moved_are_not_cited(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        """create table d (body text);
        insert into d values ('cake recipe'), ('parking permit'), ('opening hours');
        create virtual table d_fts using fts5(body, content="d");
        insert into d_fts(d_fts) values ('rebuild');
        insert into d_fts(d_fts, rowid, body) values ('delete', 1, 'cake recipe');
        delete from d where rowid = 1; vacuum;""",
    )
    reply = await reply_of(await make_datasette([path]), "parking permit")
    assert reply.sources == () and reply.outcome == "nothing_found"
    assert reply.tables[0].status == "out_of_date"


async def test_rows_that_were_added_past_the_index_are_not_nothing_found(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        fts_table("d", "opening hours"),
        "insert into d values (2, 'new', 'parking permit')",
    )
    reply = await reply_of(await make_datasette([path]), "parking permit")
    assert (reply.outcome, reply.tables[0].status) == ("nothing_found", "out_of_date")
    assert "lacks rows that were added" in reply.tables[0].message


async def test_case_f3_04_an_empty_index_is_not_nothing_found(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        "create table d (id integer primary key, t text); insert into d values (1, 'umbrella')",
        "create virtual table d_fts using fts5(t, content='d')",
    )
    datasette = await make_datasette([path])
    reply = await reply_of(datasette, "umbrella")
    assert reply.tables[0].status == "out_of_date"
    assert "empty" in reply.tables[0].message
    page = (await get(datasette, "/-/ask?question=umbrella")).text
    answer, _, details = page.partition("How it was searched")
    assert "it was never built" in answer and "it was never built" in details


async def test_a_damaged_index_is_an_error_of_its_table_only(tmp_path):
    path = make_database(
        tmp_path / "db.db", fts_table("bad", "umbrella"), fts_table("good", "umbrella")
    )
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("update bad_fts_data set block = x'00' where id > 10")
        conn.commit()
    datasette = await make_datasette([path])
    reply = await reply_of(datasette, "umbrella")
    statuses = {table.table: table.status for table in reply.tables}
    assert statuses == {"bad": "error", "good": "ok"}
    assert [source.table for source in reply.sources] == ["good"]
    event = await last_event(datasette, "umbrella", database="db", table="bad")
    assert isinstance(event, events.Failed) and event.status == 500
    assert "select" not in event.message.lower() and str(tmp_path) not in event.message


async def test_a_table_that_takes_too_long(tmp_path):
    """FTS4 is ranked by a function in Python: 8,000 rows and 40 keywords keep it busy."""
    texts = " ".join(f"w{number}" for number in range(40))
    path = make_database(
        tmp_path / "db.db",
        "create virtual table big using fts4(body)",
        fts_table("small", "w1 here"),
        rows=[("insert into big values (?)", [(texts,)] * 8_000)],
    )
    datasette = await make_datasette([path], settings={"sql_time_limit_ms": 200})
    reply = await reply_of(datasette, texts)
    statuses = {table.table: table.status for table in reply.tables}
    assert statuses == {"big": "timed_out", "small": "ok"}
    assert [source.table for source in reply.sources] == ["small"]
    event = await last_event(datasette, texts, database="db", table="big")
    assert isinstance(event, events.Failed) and event.status == 500
    assert "longer" in event.message


async def test_html_becomes_text(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        fts_table(
            "pages",
            "<h1>Hours</h1><p>We open at <b>nine</b> &amp; close late.</p><script>umbrella()</script>",
        ),
    )
    reply = await reply_of(await make_datasette([path]), "open nine")
    assert "<" not in reply.sources[0].passage
    assert "We open at nine & close late." in reply.sources[0].passage
    assert "umbrella" not in reply.sources[0].passage


async def test_a_long_row_costs_no_more_characters_than_a_short_one(tmp_path):
    filler = " ".join(f"Sentence number {number} says little." for number in range(5_000))
    half = len(filler) // 2
    text = filler[:half] + "\n\nThe umbrella is in the harbour office.\n\n" + filler[half:]
    path = make_database(tmp_path / "db.db", fts_table("notes", text, "an umbrella"))
    reply = await reply_of(await make_datasette([path]), "Where is the umbrella of the harbour?")
    long_one = next(source for source in reply.sources if source.pks == ("1",))
    assert "The umbrella is in the harbour office." in long_one.passage
    assert len(long_one.passage) <= 2_000
    assert sum(len(source.passage) for source in reply.sources) <= 10_000


async def test_the_budgets_hold(tmp_path):
    texts = [f"umbrella {number} " + "text " * 150 for number in range(30)]
    path = make_database(tmp_path / "db.db", fts_table("notes", *texts))
    reply = await reply_of(await make_datasette([path]), "umbrella")
    assert len(reply.sources) == 8
    assert [source.number for source in reply.sources] == list(range(1, 9))
    settings = {"plugins": {"datasette-rag": {"max_sources": 20, "max_chars": 2_000}}}
    reply = await reply_of(await make_datasette([path], settings), "umbrella")
    assert 1 < len(reply.sources) < 4
    assert sum(len(source.passage) for source in reply.sources) <= 2_000


async def test_urls_and_dates(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        """create table posts (id integer primary key, title text, body text, url text, published text);
        insert into posts values (1, 'A', 'umbrella', 'https://x.example/a b', '2026-01-02'),
          (2, 'B', 'umbrella', 'javascript:alert(1)', null), (3, 'C', 'umbrella', null, '2025');
        create virtual table posts_fts using fts5(title, body, content=posts);
        insert into posts_fts(posts_fts) values ('rebuild')""",
    )
    reply = await reply_of(await make_datasette([path]), "umbrella")
    assert {(one.pks[0], one.url, one.date) for one in reply.sources} == {
        ("1", "https://x.example/a b", "2026-01-02"),
        ("2", None, None),
        ("3", None, "2025"),
    }
    settings = {
        "databases": {
            "db": {
                "tables": {
                    "posts": {
                        "plugins": {"datasette-rag": {"url": "https://x.example/{id}/{title}"}}
                    }
                }
            }
        }
    }
    reply = await reply_of(await make_datasette([path], settings), "umbrella")
    assert {one.url for one in reply.sources} == {
        "https://x.example/1/A",
        "https://x.example/2/B",
        "https://x.example/3/C",
    }


async def test_case_f4_05_foreign_keys_are_not_followed(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        """create table customers (id integer primary key, name text);
        insert into customers values (1, 'Secret Sam');
        create table tickets (id integer primary key, customer_id integer references customers(id), t text);
        insert into tickets values (4, 1, 'ticket about an umbrella');
        create virtual table tickets_fts using fts5(t, customer_id, content=tickets);
        insert into tickets_fts(tickets_fts) values ('rebuild')""",
    )
    tree = {"databases": {"db": {"tables": {"customers": {"allow": {"id": "root"}}}}}}
    datasette = await make_datasette([path], tree)
    text = (await get(datasette, "/-/ask.json?question=Who+filed+ticket+4+umbrella")).text
    assert "umbrella" in text and "Secret Sam" not in text


async def test_every_source_is_among_the_rows_of_its_query(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        fts_table("notes", *[f"umbrella number {number}" for number in range(150)]),
    )
    settings = {"plugins": {"datasette-rag": {"max_sources": 100, "max_chars": 100_000}}}
    datasette = await make_datasette([path], settings)
    reply = await reply_of(datasette, "umbrella number")
    assert len(reply.sources) == 100 and reply.tables[0].rows == 100
    rows = (
        await get(datasette, reply.tables[0].query_url.replace("?", ".json?_shape=objects&"))
    ).json()
    ids = [str(row["id"]) for row in rows["rows"]]
    assert {source.pks[0] for source in reply.sources} <= set(ids)


async def test_the_owners_names_stay_the_owners(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        fts_table("a", "umbrella"),
        fts_table("b", "umbrella"),
        "create table ask_a (x)",
        "insert into ask_a values ('mine')",
    )
    tree = {"databases": {"db": {"queries": {"ask_b": {"sql": "select 'mine' as x"}}}}}
    datasette = await make_datasette([path], tree)
    reply = await reply_of(datasette, "umbrella")
    urls = {table.table: table.query_url.split("?")[0] for table in reply.tables}
    assert urls == {"a": "/db/ask_a_2", "b": "/db/ask_b_2"}
    for name in ("ask_a", "ask_b"):
        rows = (await get(datasette, f"/db/{name}.json?_shape=array")).json()
        assert [row["x"] for row in rows] == ["mine"]
    for url in urls.values():
        rows = (await get(datasette, f"{url}.json?_shape=array&search=umbrella")).json()
        assert len(rows) == 1


async def test_a_table_made_while_the_site_runs(tmp_path):
    path = make_database(tmp_path / "db.db", fts_table("a", "umbrella"))
    datasette = await make_datasette([path])
    assert len((await reply_of(datasette, "umbrella")).tables) == 1
    make_database(path, fts_table("b", "umbrella"))
    # Datasette itself looks at a schema at most once a second.
    datasette._last_schema_refresh = 0
    await datasette.refresh_schemas()
    reply = await reply_of(datasette, "umbrella")
    assert {table.table for table in reply.tables} == {"a", "b"}
    for table in reply.tables:
        query = await get(datasette, table.query_url.replace("?", ".json?"))
        assert query.status_code == 200 and len(query.json()["rows"]) == 1
    make_database(path, "drop table b_fts")
    await reply_of(datasette, "umbrella")
    assert (await get(datasette, "/db/ask_b.json?search=umbrella")).status_code == 404


@pytest.mark.datasette_1_0
async def test_another_file_under_the_same_name(tmp_path):
    """As plugins do that let databases be uploaded: same name, even the same schema version.

    Datasette 0.65 itself goes on reading the old file.
    """
    old = make_database(tmp_path / "db.db", fts_table("old", "umbrella"))
    datasette = await make_datasette([old])
    assert [one.table for one in (await reply_of(datasette, "umbrella")).tables] == ["old"]
    new = make_database(tmp_path / "new.db", fts_table("new", "umbrella"))
    datasette.remove_database("db")
    datasette.add_database(Database(datasette, path=str(new)), name="db")
    assert [one.table for one in (await reply_of(datasette, "umbrella")).tables] == ["new"]


async def test_case_f4_10_an_immutable_database(tmp_path):
    path = make_database(tmp_path / "docs.db", fts_table("notes", "umbrella here"))
    datasette = await make_datasette([], immutables=[str(path)])
    reply = await reply_of(datasette, "umbrella")
    assert reply.outcome == "answered" and reply.sources[0].row_url == "/docs/notes/1"


async def test_case_f4_11_odd_database_and_table_names(tmp_path):
    path = make_database(
        tmp_path / "kb.v2 final.db",
        """create table "faq/a%b" (id integer primary key, t text);
        insert into "faq/a%b" values (1, 'umbrella');
        create virtual table "faq/a%b_fts" using fts5(t, content="faq/a%b");
        insert into "faq/a%b_fts"("faq/a%b_fts") values ('rebuild')""",
    )
    datasette = await make_datasette([path])
    base = "/kb~2Ev2+final/faq~2Fa~25b"
    response = await get(datasette, f"{base}/-/ask.json?question=umbrella")
    assert response.status_code == 200
    data = response.json()
    assert data["sources"][0]["row_url"] == f"{base}/1"
    assert data["tables"][0]["query_url"].startswith("/kb~2Ev2+final/ask_faq~2Fa~25b?search=")
    for address in (f"{base}/1", data["tables"][0]["query_url"], f"{base}/-/ask"):
        assert (await get(datasette, address)).status_code == 200
    for unknown in ("/nope/-/ask.json?question=x", f"{base}x/-/ask.json?question=x"):
        assert (await get(datasette, unknown)).status_code == 404


async def test_the_owner_sees_all_on_the_command_line(tmp_path):
    path = make_database(tmp_path / "db.db", fts_table("a", "umbrella"))
    datasette = await make_datasette([path], {"allow": {"id": "nobody"}})
    assert (await last_event(datasette, "umbrella")).status == 403
    assert (await reply_of(datasette, "umbrella", actor=OWNER)).outcome == "answered"
    # An actor that a visitor could claim to be is not the owner.
    assert (await last_event(datasette, "umbrella", actor=dict(OWNER))).status == 403


async def test_a_busy_site_is_not_a_slow_search(tmp_path):
    """The limit counts what the searches run, not how long they wait for a thread."""
    texts = [" ".join(f"w{number % 97}" for number in range(n, n + 60)) for n in range(4_000)]
    path = make_database(
        tmp_path / "db.db",
        "create table big (id integer primary key, body text)",
        "create virtual table big_fts using fts5(body, content=big)",
        rows=[
            ("insert into big(body) values (?)", [(text,) for text in texts]),
            ("insert into big_fts(big_fts) values (?)", [("rebuild",)]),
        ],
    )
    datasette = await make_datasette([path], settings={"sql_time_limit_ms": 800})
    question = " ".join(f"w{number}" for number in range(8))
    await reply_of(datasette, question, answer=False)
    began = time.perf_counter()
    await reply_of(datasette, question, answer=False)
    alone = time.perf_counter() - began
    # So many that the last of them wait longer than a question may search.
    count = max(20, int(3 * 1.5 * 0.8 / alone))
    ends = await asyncio.gather(
        *(last_event(datasette, question, answer=False) for _ in range(min(count, 500)))
    )
    assert not [end for end in ends if isinstance(end, events.Failed)]


async def test_an_index_without_places_of_words_finds_words(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        "create table d (id integer primary key, body text)",
        "insert into d values (1, 'set foo_bar to 3.11'), (2, 'nothing')",
        *(
            f"create virtual table d_{detail} using fts5(body, content=d, detail={detail});"
            f"insert into d_{detail}(d_{detail}) values ('rebuild')"
            for detail in ("none", "column")
        ),
    )
    for index in ("d_none", "d_column"):
        tree = {"databases": {"db": {"tables": {"d": {"fts_table": index}}}}}
        datasette = await make_datasette([path], tree)
        reply = await reply_of(datasette, "what is foo_bar in 3.11?")
        assert [source.pks for source in reply.sources] == [("1",)]
        query = await get(datasette, reply.tables[0].query_url.replace("?", ".json?"))
        assert len(query.json()["rows"]) == 1


async def test_short_words_and_a_trigram_index(tmp_path):
    path = make_database(tmp_path / "db.db", fts_table("d", "東京の傘は赤い", tokenize="trigram"))
    datasette = await make_datasette([path])
    assert (await reply_of(datasette, "東京")).tables[0].status == "wrong_script"
    assert len((await reply_of(datasette, "東京の傘")).sources) == 1


async def test_a_database_that_can_not_be_read_any_more(tmp_path):
    """It is an error with that name and status, not a traceback and not nothing found."""
    path = make_database(tmp_path / "gone.db", fts_table("notes", "umbrella"))
    other = make_database(tmp_path / "fine.db", fts_table("notes", "umbrella"))
    tree = {"databases": {"private": {"allow": {"id": "ann"}}}}
    private = make_database(tmp_path / "private.db", fts_table("notes", "umbrella"))
    datasette = await make_datasette([path, other, private], tree)
    for file in (path, private):
        file.write_bytes(b"no database any more" * 200)
    for address in ("/gone/-/ask", "/gone/notes/-/ask"):
        for suffix in ("", ".json"):
            response = await get(datasette, f"{address}{suffix}?question=umbrella")
            assert response.status_code == 500
            assert "can&#39;t be read" in response.text or "can't be read" in response.text
    for address in ("/private/-/ask.json", "/private/notes/-/ask.json"):
        assert (await get(datasette, f"{address}?question=umbrella")).status_code == 404
    data = (await get(datasette, "/-/ask.json?question=umbrella")).json()
    assert [one["database"] for one in data["sources"]] == ["fine"]
    assert {(one["database"], one["status"]) for one in data["tables"]} == {
        ("gone", "error"),
        ("fine", "ok"),
    }
