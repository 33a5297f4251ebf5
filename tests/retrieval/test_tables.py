"""Which tables are found searchable, through which index, and what is said of the others."""

from __future__ import annotations

import sqlite3

import pytest

from datasette_rag.config import parse
from datasette_rag.retrieval import fts4
from datasette_rag.retrieval.catalogue import read_catalogue
from datasette_rag.retrieval.queries import canned_query_sql, query_name, row_columns
from datasette_rag.retrieval.schema import is_empty

NO_CONFIG = parse({}, {})


def catalogue_of(*statements, config=NO_CONFIG):
    conn = sqlite3.connect(":memory:")
    fts4.register(conn)
    for statement in statements:
        conn.executescript(statement)
    return read_catalogue(conn, "db", config), conn


def table_config(name, **settings):
    return parse(
        {"databases": {"db": {"tables": {name: {"plugins": {"datasette-rag": settings}}}}}}, {}
    )


def messages(catalogue):
    return {finding.table: finding.message for finding in catalogue.findings}


NOTES = "create table notes (id integer primary key, title text, body text, url text, date text);"


@pytest.mark.parametrize(
    "content", ["notes", "'notes'", '"notes"', "[notes]", "`notes`", " notes ", "NOTES"]
)
def test_external_content_however_it_was_declared(content):
    """Case F3-05."""
    catalogue, _ = catalogue_of(
        NOTES, f"create virtual table n using fts5(title, body, CONTENT = {content})"
    )
    table = catalogue.tables["notes"]
    assert (table.index.name, table.text_columns, table.title_column) == ("n", ("body",), "title")
    assert table.weights == (2.0, 1.0)
    assert table.url == "{url}" and table.date_column == "date"


def test_an_index_with_its_own_text_is_its_own_table():
    catalogue, _ = catalogue_of("create virtual table mail using fts5(subject, body)")
    table = catalogue.tables["mail"]
    assert (table.title_column, table.text_columns, table.pks) == ("subject", ("body",), ())


def test_a_copy_of_a_table_is_guarded_by_that_table():
    catalogue, _ = catalogue_of(
        "create table docs (id integer primary key, body text)",
        "create virtual table docs_search using fts5(body)",
        "create virtual table other using fts5(body)",
    )
    assert catalogue.tables["docs_search"].guards == ("docs",)
    assert catalogue.tables["other"].guards == ()


@pytest.mark.parametrize(
    "statements, name, words",
    [
        ([NOTES, "create virtual table n using fts5(title, content='')"], "n", "contentless"),
        (["create virtual table n using fts3(title)"], "n", "FTS3"),
        (['create virtual table n using fts4(title, matchinfo="fts3")'], "n", "can't be ranked"),
        (
            [
                NOTES,
                "create view v as select * from notes",
                "create virtual table n using fts5(title, content=v)",
            ],
            "v",
            "fts_table",
        ),
        (["create virtual table n using fts5(title, content=gone)"], "n", "does not exist: gone"),
        (
            [
                "create table w (k text primary key, t text) without rowid",
                "create virtual table n using fts5(t, content=w)",
            ],
            "w",
            "content_rowid",
        ),
        ([NOTES, "create virtual table n using fts5(nothing, content=notes)"], "notes", "none of"),
    ],
)
def test_what_can_not_be_searched_is_named_with_its_reason(statements, name, words):
    catalogue, _ = catalogue_of(*statements)
    assert catalogue.tables == {}
    assert words in messages(catalogue)[name]


def test_case_f3_10_without_rowid_with_an_integer_key():
    catalogue, conn = catalogue_of(
        "create table w (id integer primary key, t text) without rowid",
        "insert into w values (7, 'umbrella')",
        "create virtual table n using fts5(t, content=w, content_rowid=id)",
        "insert into n(n) values ('rebuild')",
    )
    table = catalogue.tables["w"]
    assert table.key_column == "id"
    assert conn.execute(canned_query_sql(table), {"search": "umbrella"}).fetchall() == [
        (7, "umbrella")
    ]


def test_of_several_indexes_the_best_is_taken():
    fill = "insert into {0}({0}) values ('rebuild');"
    base = [NOTES, "insert into notes(title, body) values ('a', 'b')"]
    four = 'create virtual table four using fts4(title, body, content="notes");' + fill.format(
        "four"
    )
    five = "create virtual table five using fts5(title, body, content=notes);" + fill.format("five")
    stem = (
        "create virtual table stem using fts5(title, body, content=notes, tokenize=porter);"
        + fill.format("stem")
    )
    empty = "create virtual table empty using fts5(title, body, content=notes, tokenize=porter)"

    def taken(*statements):
        return catalogue_of(*base, *statements)[0].tables["notes"].index.name

    assert taken(four) == "four"
    assert taken(four, five) == "five"
    assert taken(four, five, stem) == "stem"
    assert taken(four, five, empty) == "five"
    assert taken(five, empty, four, stem) == "stem"
    config = table_config("notes", fts_table="four")
    assert catalogue_of(*base, four, stem, config=config)[0].tables["notes"].index.name == "four"


def test_configuration_of_a_table():
    config = table_config(
        "notes", title="body", columns={"body": 3}, url="https://x.example/{id}", date="id"
    )
    catalogue, _ = catalogue_of(
        NOTES, "create virtual table n using fts5(title, body, content=notes)", config=config
    )
    table = catalogue.tables["notes"]
    assert table.weights == (0.0, 3.0)
    assert (table.title_column, table.text_columns, table.date_column) == ("body", (), "id")
    assert table.url_columns == ("id",)
    assert row_columns(table) == ["id", "body"]
    assert catalogue.findings == ()


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"title": "nope"}, "title: there is no column nope"),
        ({"date": "nope"}, "date: there is no column nope"),
        ({"columns": ["nope", "body"]}, "columns: there is no column nope"),
        ({"url": "https://x.example/{nope}"}, "url: there is no column nope"),
        ({"url": "nope"}, "url: there is no column nope"),
        ({"search": False}, "search is off"),
        ({"fts_table": "nope"}, "nope is no full-text index"),
    ],
)
def test_case_f4_07_what_does_not_exist_is_a_finding(settings, words):
    catalogue, _ = catalogue_of(
        NOTES,
        "create virtual table n using fts5(title, body, content=notes)",
        config=table_config("notes", **settings),
    )
    assert words in messages(catalogue)["notes"]
    assert ("notes" in catalogue.tables) == ("search" not in settings)


def test_an_unknown_table_is_a_finding():
    catalogue, _ = catalogue_of(NOTES, config=table_config("nope", title="x"))
    assert "no such table" in messages(catalogue)["nope"]
    assert catalogue.findings[0].kind == "configuration"


def test_a_view_needs_its_index_named():
    statements = [
        NOTES,
        "insert into notes values (3, 'a', 'umbrella', null, null)",
        "create virtual table n using fts5(body, content=notes, content_rowid=id)",
        "insert into n(n) values ('rebuild')",
        "create view shown as select id, body from notes",
    ]
    assert list(catalogue_of(*statements)[0].tables) == ["notes"]
    catalogue, conn = catalogue_of(*statements, config=table_config("shown", fts_table="n"))
    view = catalogue.tables["shown"]
    assert not view.addressable and view.key_column == "id"
    assert conn.execute(canned_query_sql(view), {"search": "umbrella"}).fetchall() == [
        (3, "umbrella")
    ]


def test_case_f3_04_an_index_that_was_never_built_is_empty():
    catalogue, conn = catalogue_of(
        NOTES,
        "insert into notes(body) values ('x')",
        "create virtual table n using fts5(body, content=notes)",
    )
    index = catalogue.tables["notes"].index
    assert conn.execute("select count(*) from n").fetchone() == (1,)
    assert is_empty(conn, index)
    conn.execute("insert into n(n) values ('rebuild')")
    assert not is_empty(conn, index)


ODD = 'Mia\'s "order" list [2]'


@pytest.mark.parametrize("module", ["fts5", "fts4"])
@pytest.mark.parametrize("name", ["plain", "two words", ODD, "select", "a.b", "50%"])
def test_case_f3_07_odd_names(module, name):
    def quoted(identifier):
        return '"' + identifier.replace('"', '""') + '"'

    table, fts = quoted(name), quoted(f"{name} fts")
    catalogue, conn = catalogue_of(
        f'create table {table} ("body text" text, "select" text, "50%" text, "rank" integer)',
        f"insert into {table} values ('an umbrella', 'x', 'y', 5), ('umbrella umbrella', 'x', 'y', 1)",
        f'create virtual table {fts} using {module}("body text", "select", "50%", content={table})',
        f"insert into {fts}({fts}) values ('rebuild')",
    )
    found = catalogue.tables[name]
    rows = conn.execute(canned_query_sql(found), {"search": "umbrella"}).fetchall()
    # The content's own column called rank does not decide the order.
    assert [row[1] for row in rows] == ["umbrella umbrella", "an umbrella"]


@pytest.mark.parametrize("search", [None, "", "  "])
@pytest.mark.parametrize("module", ["fts5", "fts4"])
def test_an_empty_search_gives_no_rows_and_no_error(module, search):
    catalogue, conn = catalogue_of(
        f"create virtual table f using {module}(body)", "insert into f values ('umbrella')"
    )
    sql = canned_query_sql(catalogue.tables["f"])
    assert conn.execute(sql, {"search": search}).fetchall() == []
    assert len(conn.execute(sql, {"search": '"umbrella"'}).fetchall()) == 1


def test_query_names_leave_the_owners_alone():
    assert query_name("til", set()) == "ask_til"
    assert query_name("til", {"ask_til"}) == "ask_til_2"
    assert query_name("TIL", {"ask_til", "ask_til_2"}) == "ask_TIL_3"
