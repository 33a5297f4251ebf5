"""bm25 for FTS4, judged by SQLite's own numbers and by FTS5's ranking."""

import sqlite3

import pytest

from datasette_rag.retrieval import fts4

ROWS = [
    ("umbrella", "a harbour stick"),
    ("parasol", "an umbrella against the sun, an umbrella for two"),
    ("hat", "no umbrella here, but a very long text about many other things " * 3),
    ("coat", "nothing of the kind"),
]


@pytest.fixture
def conn():
    conn = sqlite3.connect(":memory:")
    fts4.register(conn)
    conn.execute("create virtual table four using fts4(title, body)")
    conn.execute("create virtual table five using fts5(title, body)")
    for table in ("four", "five"):
        conn.executemany(f"insert into {table} values (?, ?)", ROWS)
        conn.executemany(f"insert into {table} values (?, ?)", [("x", "y")] * 20)
    return conn


def ranked(conn, match, weights="2, 1"):
    return [
        row[0]
        for row in conn.execute(
            f"select title from four where four match ? "
            f"order by {fts4.FUNCTION}(matchinfo(four, 'pcnalx'), {weights})",
            [match],
        )
    ]


def test_ranks_as_fts5_does(conn):
    for match in ("umbrella", '"umbrella" OR "sun"', '"umbrella" OR "text" OR "things"'):
        of_five = [
            row[0]
            for row in conn.execute(
                "select title from five where five match ? order by bm25(five, 2, 1)", [match]
            )
        ]
        assert ranked(conn, match)[0] == of_five[0]


def test_more_matched_terms_mean_a_better_place(conn):
    assert ranked(conn, '"umbrella" OR "sun" OR "two"')[0] == "parasol"


def test_weights_decide(conn):
    assert ranked(conn, "umbrella", "50, 1")[0] == "umbrella"
    assert ranked(conn, "umbrella", "0, 1")[-1] == "umbrella"


def test_smaller_is_better_and_nothing_scores_zero(conn):
    scores = conn.execute(
        f"select {fts4.FUNCTION}(matchinfo(four, 'pcnalx'), 0, 0) from four where four match 'umbrella'"
    ).fetchall()
    assert scores == [(0.0,)] * 3
    assert fts4.bm25(b"\x00" * 12) == 0.0
