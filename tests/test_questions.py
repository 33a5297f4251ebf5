"""Questions with known answers: the TIL notes and the demo's help centre, indexed and asked."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from datasette_rag.documents.store import index_folder

from .site import make_datasette, reply_of

TOP = Path(__file__).resolve().parents[1]
DEMO = TOP / "demo"


async def ranked_documents(datasette, question):
    """The reply, and the paths of the documents that its sources are from, best first."""
    reply = await reply_of(datasette, question)
    rows = await next(
        database for name, database in datasette.databases.items() if name != "_internal"
    ).execute("select id, path from passages")
    paths = {str(row[0]): row[1] for row in rows.rows}
    return reply, list(dict.fromkeys(paths[source.pks[0]] for source in reply.sources))


async def found_shares(datasette, questions):
    """The shares of the questions whose right document comes first, and among the first three."""
    first = first_three = 0
    for question in questions:
        _, paths = await ranked_documents(datasette, question["question"])
        first += paths[:1] != [] and paths[0] in question["find"]
        first_three += bool(set(paths[:3]) & set(question["find"]))
    return first / len(questions), first_three / len(questions)


def test_the_questions_about_the_notes_are_what_they_say(shared):
    questions = yaml.safe_load((TOP / "tests/data/til_questions.yml").read_text("utf-8"))
    assert len(questions) >= 25
    assert sum(not question["title_overlap"] for question in questions) >= 10
    for question in questions:
        text = (shared / "data/til" / question["find"][0]).read_text("utf-8").casefold()
        assert all(word.casefold() in text for word in question["words"])


@pytest.mark.asyncio
async def test_the_right_note_comes_first(shared, tmp_path):
    """577 notes; the questions were written before the first search."""
    questions = yaml.safe_load((TOP / "tests/data/til_questions.yml").read_text("utf-8"))
    database = tmp_path / "til.db"
    assert index_folder(database, shared / "data/til").added == 577
    datasette = await make_datasette([database])
    first, first_three = await found_shares(datasette, questions)
    assert first >= 0.75
    assert first_three >= 0.9


@pytest.fixture(scope="module")
def demo_database(tmp_path_factory):
    database = tmp_path_factory.mktemp("demo") / "demo.db"
    index_folder(database, DEMO / "pages")
    return database


def demo_questions():
    return yaml.safe_load((DEMO / "questions.yml").read_text("utf-8"))


def test_the_demo_is_what_its_readme_says():
    questions = demo_questions()
    pages = {path.relative_to(DEMO / "pages").as_posix() for path in DEMO.rglob("pages/**/*.md")}
    assert len(pages) >= 20 and len(questions) == 60
    assert sum(bool(question.get("no_answer")) for question in questions) == 12
    for question in questions:
        if question.get("no_answer"):
            assert "find" not in question
            continue
        assert question["find"] and set(question["find"]) <= pages
        texts = [(DEMO / "pages" / path).read_text("utf-8").casefold() for path in question["find"]]
        for word in question.get("words", []):
            assert any(word.casefold() in text for text in texts), word


@pytest.mark.asyncio
async def test_what_the_demo_invites_to_ask_is_answered(demo_database):
    """Each example of metadata.yml is answered from a right page, with the right words."""
    metadata = yaml.safe_load((TOP / "metadata.yml").read_text("utf-8"))
    datasette = await make_datasette([demo_database], metadata)
    by_question = {question["question"]: question for question in demo_questions()}
    examples = metadata["plugins"]["datasette-rag"]["examples"]
    assert len(examples) >= 3
    for example in examples:
        expected = by_question[example]
        reply, paths = await ranked_documents(datasette, example)
        assert reply.outcome == "answered"
        assert paths[0] in expected["find"]
        assert all(word.casefold() in reply.answer.casefold() for word in expected["words"])
        assert all(check.ok for check in reply.checks)


@pytest.mark.asyncio
async def test_the_demos_metadata_serves(demo_database):
    """Its own canned query works on both lines, and nothing in it is a mistake."""
    metadata = yaml.safe_load((TOP / "metadata.yml").read_text("utf-8"))
    datasette = await make_datasette([demo_database], metadata)
    query = await datasette.client.get('/demo/search_passages.json?search="warranty"')
    assert query.status_code == 200 and len(query.json()["rows"]) > 3
    empty = await datasette.client.get("/demo/search_passages.json")
    assert empty.status_code == 200 and empty.json()["rows"] == []
    page = await datasette.client.get("/-/ask")
    assert metadata["plugins"]["datasette-rag"]["examples"][0] in page.text
