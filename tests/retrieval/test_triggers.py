"""Which triggers keep an index, and whether they do nothing else."""

from __future__ import annotations

import sqlite3

import pytest

from datasette_rag.retrieval.triggers import filling

INTO = "insert into {} (rowid, t) values (new.id, new.t);"


@pytest.mark.parametrize(
    "index, head, body, expected",
    [
        ("f", "after insert on d", INTO.format("f"), (1, True, False, False)),
        ("f", "after insert on d", INTO.format('"f"'), (1, True, True, False)),
        ("f", "after insert on d", INTO.format("[f]"), (1, True, True, False)),
        ("f", "after update on d", "delete from f where rowid = old.id; " + INTO.format("f"),
         (1, True, False, False)),
        ("f", "after insert on d", "replace into F (rowid, t) values (1, 'begin; end');",
         (1, False, False, False)),
        ("f", "after insert on d", INTO.format("f") + "insert into log values ('f');",
         (1, False, False, False)),
        ("f", "after insert on d when new.id > 0", INTO.format("f"), (1, False, False, True)),
        ("f", "after insert on d", "insert into log values ('into f');", (0, True, True, False)),
        ("f", "after insert on d", INTO.format("f_more"), (0, True, True, False)),
        ('Mia\'s "f"', "after insert on d", INTO.format('"Mia\'s ""f"""'), (1, True, False, False)),
    ],
)  # fmt: skip
def test_what_a_trigger_does(index, head, body, expected):
    conn = sqlite3.connect(":memory:")
    quoted = '"' + index.replace('"', '""') + '"'
    conn.executescript(
        "create table d (id integer primary key, t text); create table log (t text);"
        f"create virtual table {quoted} using fts5(t, content=d);"
        "create virtual table f_more using fts5(t, content=d);"
        f"create trigger keep {head} begin {body} end;"
    )
    found = filling(conn, "d", index)
    assert (
        len(found.names),
        found.replaceable,
        found.by_sqlite_utils,
        found.in_part,
    ) == expected
