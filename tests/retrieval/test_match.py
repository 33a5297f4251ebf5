"""Match queries against real FTS tables: found what should be, and never an error."""

import sqlite3

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from datasette_rag.retrieval.match import is_searchable, match_query, match_query_fts4

ROWS = [
    "Refund rules for double-billing, case INV-2044",
    "What's the late fee on O'Brien's plan? use --dry-run first",
    "mail @orion or naïve@x about k=v and 50% off a\\b a;b [x] why",
    "column: filter NEAR AND OR NOT t t_fts title body rank rowid",
]


def tables():
    conn = sqlite3.connect(":memory:")
    conn.execute("create virtual table five using fts5(title, body)")
    conn.execute("create virtual table four using fts4(title, body)")
    for table in ("five", "four"):
        conn.executemany(
            f"insert into {table}(title, body) values ('column', ?)", [(row,) for row in ROWS]
        )
    return conn


CONN = tables()


def found(keywords, table="five"):
    make = match_query if table == "five" else match_query_fts4
    return [
        row[0] - 1
        for row in CONN.execute(
            f"select rowid from {table} where {table} match ? order by rowid", [make(keywords)]
        )
    ]


def test_quoted_and_joined_with_or():
    assert match_query(["shot-scraper", 'say "hi"']) == '"shot-scraper" OR "say ""hi"""'
    assert match_query_fts4(["shot-scraper", 'say "hi" pre* ^first']) == (
        '"shot-scraper" OR "say  hi  pre   first"'
    )


@pytest.mark.parametrize("table", ["five", "four"])
@pytest.mark.parametrize(
    "keywords, rows",
    [
        (["refund"], [0]),
        (["double-billing"], [0]),
        (["INV-2044"], [0]),
        (["refund", "double-billing", "INV-2044"], [0]),
        (["O'Brien's"], [1]),
        (['"late fee'], [1]),
        (['--dry-run"'], [1]),
        (["@orion"], [2]),
        (["k=v"], [2]),
        (["50%"], [2]),
        (["why?"], [2]),
        (["a\\b"], [2]),
        (["a;b"], [2]),
        (["[x]"], [2]),
        (["-", "billing"], [0]),
        (["😀", "billing"], [0]),
    ],
)
def test_cases_of_f1(table, keywords, rows):
    """Cases F1-01, F1-02, F1-04 and F1-05: each is found, none is an operator."""
    assert found(keywords, table) == rows


@pytest.mark.parametrize("table", ["five", "four"])
@pytest.mark.parametrize(
    "keyword",
    [
        "body: refund",
        "{title body}: refund",
        "refund NOT rules",
        "ref*",
        "^mail nothing",
        "NEAR(a b)",
    ],
)
def test_no_operator_is_reached(table, keyword):
    """Each of these would find a row if FTS read the operator in it."""
    assert found([keyword], table) == []


def test_column_names_are_words():
    assert found(["title"]) == [3]
    assert found(["rowid"]) == [3]


@pytest.mark.parametrize("keywords", [[], ["-"], ["😀"], ["", " ", "\x00"], ["…", "???"]])
def test_nothing_to_search_for(keywords):
    assert match_query(keywords) == ""
    assert match_query_fts4(keywords) == ""
    assert not any(map(is_searchable, keywords))


def test_nul_does_not_end_the_query():
    """Case F1-07: a NUL would leave the rest of the query, its closing quote too, unread."""
    assert match_query(["refund\x00policy"]) == '"refund policy"'


@settings(max_examples=10_000)
@given(st.lists(st.text(max_size=12), max_size=5))
@example(['"'])
@example(['""', "a"])
@example(["a\x00b"])
@example(["\ud800x"])
@example(["NEAR(", "*", "^", "{title}:", "AND", "-"])
def test_no_input_is_an_error(keywords):
    for table, query in (("five", match_query(keywords)), ("four", match_query_fts4(keywords))):
        if query:
            CONN.execute(f"select count(*) from {table} where {table} match ?", [query]).fetchone()
        else:
            assert not any(is_searchable(keyword) and keyword.isprintable() for keyword in keywords)


@settings(max_examples=2_000)
@given(
    st.lists(
        st.text(alphabet="abcXYZ019\"*^():{}+-_&|~'\\ ", min_size=1, max_size=10),
        min_size=1,
        max_size=4,
    )
)
def test_a_row_that_holds_a_keyword_is_found(keywords):
    """Whatever stands around the words, a row that is the keyword itself matches it."""
    keyword = next((one for one in keywords if is_searchable(one)), None)
    if keyword is None:
        assert match_query(keywords) == ""
        return
    conn = sqlite3.connect(":memory:")
    conn.execute("create virtual table f using fts5(t)")
    conn.execute("insert into f values (?)", [keyword])
    assert conn.execute("select rowid from f where f match ?", [match_query(keywords)]).fetchall()


def test_five_thousand_keywords_are_no_error_in_fts5():
    assert found([f"word{number}" for number in range(5000)] + ["refund"]) == [0]
