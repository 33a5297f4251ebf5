"""datasette rag eval, as someone at a terminal and a script of CI meet it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner
from datasette.cli import cli

from .claude_api import Cite, Text
from .site import fts_table, make_database

QUESTIONS = """
- question: When does the harbour close?
  find: {title: notes 1}
  words: [nine]
- question: Where are boats for hire?
  find: [db/notes/2, db/notes/3]
  not_words: [harbour]
- question: Who sells zinnias?
  no_answer: true
"""


def run(*arguments):
    return CliRunner().invoke(cli, ["rag", "eval", *map(str, arguments)])


@pytest.fixture
def database(tmp_path):
    return make_database(
        tmp_path / "db.db",
        fts_table("notes", "The harbour closes at nine.", "Boats are for hire.", "Red huts."),
    )


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.yml"
    path.write_text(QUESTIONS)
    return path


def test_a_table_for_people(database, questions):
    result = run(database, questions, "--verbose")
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "3 questions: 2 asked for what should be found" in lines
    assert "@1 @3 @10" in lines
    assert any(line.startswith("recall 0.750 (0.50–1.00) 0.750") for line in lines)
    assert "1. notes 1" in lines and "none db/notes/3" in lines
    assert any(line.startswith("Search: ") for line in lines)
    assert result.stderr == ""


def test_json_has_everything(database, questions):
    report = json.loads(run(database, questions, "-k", "2", "--answers", "--json").stdout)
    assert report["measures"]["recall@2"]["mean"] == 0.75
    assert report["measures"]["recall@2"]["questions"] == 2
    assert report["measures"]["precision@2"]["mean"] == 0.5
    assert "recall@10" not in report["measures"]
    for name in ("answered", "words", "cited", "checks", "not_found"):
        assert report["measures"][name]["mean"] == 1, name
    first, second, third = report["results"]
    assert first["expected"] == [{"item": "notes 1", "grade": 1.0, "rank": 1}]
    assert first["answer"]["outcome"] == "answered" and "nine" in first["answer"]["answer"]
    assert second["found"] == ["db/notes/2"] and second["ms"] > 0
    assert third["ms"] is None and third["measures"] == {"not_found": 1.0}
    assert report["usage"]["cost_usd"] == 0


def test_answers_for_people(database, questions):
    result = run(database, questions, "--answers", "--verbose")
    assert result.exit_code == 0
    assert "3 for answers" in result.stdout
    assert "answer: answered; answered yes, words yes, cited yes" in result.stdout
    assert "answer: nothing_found; not found yes" in result.stdout
    assert "Tokens" not in result.stdout


@pytest.mark.parametrize(
    "bounds, status, message",
    [
        (["recall@10=0.75"], 0, ""),
        (["recall@10=0.7", "hit@5=1"], 0, ""),
        (["recall@10=.9", "precision@1=1"], 3, "recall@10 is 0.7500, lower than 0.9\n"),
    ],
)
def test_fail_under(database, questions, bounds, status, message):
    arguments = [part for bound in bounds for part in ("--fail-under", bound)]
    result = run(database, questions, *arguments)
    assert (result.exit_code, result.stderr) == (status, message)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--fail-under", "recal@10=0.9"], "unknown measure recal, did you mean recall?"),
        (["--fail-under", "recall=0.9"], "write recall@10=0.9"),
        (["--fail-under", "answered@3=0.9", "--answers"], "write answered=0.9"),
        (["--fail-under", "recall@10=90"], "expected a measure and a number from 0 to 1"),
        (["--fail-under", "recall@0=0.9"], "k must be from 1 to 100"),
        (["--fail-under", "words=0.9"], "need --answers"),
        (["--answerer", "claude"], "need --answers"),
        (["-k", "0"], "0 is not in the range"),
    ],
)
def test_wrong_use(database, questions, arguments, message):
    result = run(database, questions, *arguments)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    "text, message",
    [
        ("- question: a\n", "questions.yml, line 1: nothing says what is right"),
        ("- {question: a, no_answer: true}", "no question says what should be found"),
        (f"- {{question: '{'a' * 3000}', find: x}}", "The question is too long"),
    ],
)
def test_questions_that_can_not_be_asked(database, questions, text, message):
    questions.write_text(text)
    result = run(database, questions)
    assert result.exit_code == 1
    assert message in result.stderr and len(result.stderr.splitlines()) == 1


def test_a_question_without_a_word_finds_nothing(database, questions):
    questions.write_text("- {question: '?', find: notes 1}")
    result = run(database, questions)
    assert result.exit_code == 0 and "hit rate   0.000" in result.stdout


def test_other_errors_are_one_line(database, questions, tmp_path):
    for arguments, message in (
        ([tmp_path / "no.yml"], "neither a file nor a table given as DATABASE/TABLE"),
        (["db/nothing"], "neither a file nor a table"),
        ([questions, "--answers", "--answerer", "nobody"], "there is no answerer nobody"),
    ):
        result = run(database, *arguments)
        assert result.exit_code == 1 and message in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_what_is_expected_and_not_there_counts_and_is_named(database, questions):
    questions.write_text("- {question: harbour, find: [gone.md, notes 1]}")
    result = run(database, questions)
    assert "in none of the tables that are searched: gone.md." in result.stdout
    assert "recall     0.500" in result.stdout


def test_questions_in_a_table(database):
    with closing(sqlite3.connect(database)) as conn:
        conn.execute("create table tests (question text, find text, no_answer text)")
        conn.execute("insert into tests values ('When does the harbour close?', '1', null)")
        conn.commit()
        result = run(database, "db/tests", "-k", "1")
        assert result.exit_code == 0 and "recall     1.000" in result.stdout
        conn.execute("insert into tests values ('And what is this?', null, null)")
        conn.commit()
    result = run(database, "db/tests")
    assert "db/tests, row 2: nothing says what is right" in result.stderr


def test_beir(database, tmp_path):
    queries, qrels = tmp_path / "queries.jsonl", tmp_path / "qrels.tsv"
    queries.write_text('{"_id": "q1", "text": "harbour"}\n{"_id": "q2", "text": "boats"}\n')
    qrels.write_text("query-id\tcorpus-id\tscore\nq1\t1\t1\nq2\t3\t1\n")
    result = run(database, queries, "--qrels", qrels, "-k", "10")
    assert result.exit_code == 0 and "nDCG       0.500" in result.stdout


def test_as_an_actor(database, questions, tmp_path):
    metadata = tmp_path / "metadata.json"
    metadata.write_text(
        json.dumps({"databases": {"db": {"tables": {"notes": {"allow": {"id": "ann"}}}}}})
    )
    ann = run(database, questions, "-m", metadata, "--actor", '{"id": "ann"}')
    bob = run(database, questions, "-m", metadata, "--actor", '{"id": "bob"}')
    assert "recall     0.750" in ann.stdout
    assert "recall     0.000" in bob.stdout


def test_claude_words_the_answers(database, questions, tmp_path, claude_api):
    metadata = tmp_path / "metadata.json"
    metadata.write_text(
        json.dumps({"plugins": {"datasette-rag": {"api_base_url": claude_api.base_url}}})
    )
    questions.write_text('- {question: "When does the harbour close?", find: 1, words: nine}')
    claude_api.reply(Text("It closes at nine.", Cite(0, 0, 1)), to="answer")
    result = run(
        database, questions, "-m", metadata, "--answers", "--answerer", "claude", "--fail-under", "cited=1"
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "words      1.000" in result.stdout
    assert "Tokens: " in result.stdout and "; cost $0." in result.stdout


def test_search_does_not_cost_anything(database, questions, claude_api):
    assert run(database, questions).exit_code == 0
    assert claude_api.requests == []
