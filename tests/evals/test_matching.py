"""What questions expect and what was found meet: by key, by path, by title."""

from __future__ import annotations

import pytest

from datasette_rag.evals.matching import Matcher, label
from datasette_rag.evals.questions import EvalQuestion, Expected, QuestionsError
from datasette_rag.events import Source
from datasette_rag.permissions import OWNER

from ..site import fts_table, make_database, make_datasette

pytestmark = pytest.mark.asyncio

PARTS = """
    create table parts (id integer primary key, path text, title text, body text);
    insert into parts values (1, 'a.md', 'A', 'harbour one'), (2, 'a.md', 'A', 'harbour two'),
      (3, 'b.md', 'B', 'harbour three');
    create virtual table parts_fts using fts5(title, body, content="parts");
    insert into parts_fts (parts_fts) values ('rebuild');
"""
KEYED = """
    create table keyed (a text, b text, title text, body text, primary key (a, b));
    insert into keyed values ('x/y', '1,2', 'K', 'harbour keyed');
    create virtual table keyed_fts using fts5(title, body, content="keyed");
    insert into keyed_fts (keyed_fts) values ('rebuild');
"""


def source(table, *pks, title="t"):
    return Source(1, "db", table, pks, title, "", None, "", 1.0, None, None)


async def matcher_for(tmp_path, question, *statements, actor=OWNER, tree=None):
    datasette = await make_datasette([make_database(tmp_path / "db.db", *statements)], tree)
    return await Matcher.of(datasette, actor, [question])


def asking(*expected):
    found = [Expected(one) if isinstance(one, str) else one for one in expected]
    return EvalQuestion("q", "q", tuple(found))


@pytest.mark.parametrize(
    "expected, item, sources, found",
    [
        # By path all passages of a document are one.
        ("a.md", ("path", "a.md"), [("parts", "1"), ("parts", "3")], ["a.md", "b.md"]),
        ("db/parts/2", ("row", "db", "parts", "2"), [("parts", "1"), ("parts", "2")], ["db/parts/1", "db/parts/2"]),
        ("2", ("row", "db", "parts", "2"), [("parts", "2")], ["db/parts/2"]),
        ("db/keyed/x~2Fy,1~2C2", ("row", "db", "keyed", "x/y", "1,2"), [("keyed", "x/y", "1,2")], ["db/keyed/x~2Fy,1~2C2"]),
        ("B", ("title", "B"), [("parts", "3")], ["t"]),
        # A row of a table without paths stands for itself, also where a path is expected.
        ("b.md", ("path", "b.md"), [("keyed", "x/y", "1,2")], ["db/keyed/x~2Fy,1~2C2"]),
    ],
)  # fmt: skip
async def test_names(tmp_path, expected, item, sources, found):
    question = asking(expected)
    matcher = await matcher_for(tmp_path, question, PARTS, KEYED)
    assert matcher.missing == []
    assert matcher.grades(question) == {item: 1.0}
    items = await matcher.items([source(*one) for one in sources], [item])
    assert [label(one) for one in items] == found


async def test_the_kind_that_is_named(tmp_path):
    question = asking(Expected("a.md", "title", 2.0), Expected("A", "path"), Expected("B", "title"))
    matcher = await matcher_for(tmp_path, question, PARTS)
    assert matcher.grades(question) == {
        ("title", "a.md"): 2.0,
        ("path", "A"): 1.0,
        ("title", "B"): 1.0,
    }
    assert matcher.missing == ["a.md", "A"]


async def test_titles_and_keys_of_one_question(tmp_path):
    question = asking("B", "db/parts/1")
    matcher = await matcher_for(tmp_path, question, PARTS)
    found = [source("parts", "2", title="A"), source("parts", "1"), source("parts", "3", title="B")]
    items = await matcher.items(found, matcher.grades(question))
    assert [label(item) for item in items] == ["A", "db/parts/1", "B"]


async def test_a_row_without_a_key(tmp_path):
    question = asking("db/parts/1")
    matcher = await matcher_for(tmp_path, question, PARTS)
    assert await matcher.items([source("parts", title="V")], []) == [("title", "V")]


async def test_a_key_of_several_tables(tmp_path):
    with pytest.raises(QuestionsError, match="1 is a key in several tables: write db/notes/1 or"):
        await matcher_for(tmp_path, asking("1"), fts_table("notes", "a"), PARTS)


async def test_many_names(tmp_path):
    question = asking(*(f"missing {number}" for number in range(2000)), "a.md")
    matcher = await matcher_for(tmp_path, question, PARTS)
    assert len(matcher.missing) == 2000


async def test_what_the_actor_may_not_see_is_not_looked_up(tmp_path):
    tree = {"databases": {"db": {"tables": {"parts": {"allow": {"id": "root"}}}}}}
    matcher = await matcher_for(
        tmp_path, asking("a.md", "db/parts/1"), PARTS, actor=None, tree=tree
    )
    assert matcher.missing == ["a.md", "db/parts/1"]
