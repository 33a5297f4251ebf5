"""Files of questions are read as they are meant; what is wrong is told in one line with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasette_rag.evals.files import gathered, read_questions
from datasette_rag.evals.questions import EvalQuestion, Expected, QuestionsError

TOP = Path(__file__).resolve().parents[2]
QUESTION = EvalQuestion(
    "When does it close?",
    "When does it close?",
    find=(Expected("hours.md"), Expected("Opening hours", "title", 2.0)),
    words=("nine", "9"),
    not_words=("ten",),
)


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    "name, text",
    [
        (
            "q.yml",
            "# ours\n- question: When does it close?\n  find: [hours.md, {title: Opening hours, grade: 2}]\n"
            "  words: [nine, 9]\n  not_words: ten\n",
        ),
        (
            "q.jsonl",
            '{"question": "When does it close?", "find": ["hours.md", {"title": "Opening hours", '
            '"grade": 2}], "words": ["nine", 9], "not_words": ["ten"]}\n\n',
        ),
        (
            "q.csv",
            "question,find,words,not_words,no_answer,remark\n"
            'When does it close?,"[""hours.md"", {""title"": ""Opening hours"", ""grade"": 2}]",'
            '"nine\n9",ten,,our own\n',
        ),
    ],
)
def test_every_format_says_the_same(tmp_path, name, text):
    assert read_questions(write(tmp_path, name, text)) == [QUESTION]


def test_the_demos_questions():
    questions = read_questions(TOP / "demo/questions.yml")
    assert len(questions) == 60
    assert sum(question.no_answer for question in questions) == 12
    assert questions[0].find[0] == Expected("returns/returns-policy.md")
    assert len(read_questions(TOP / "tests/data/til_questions.yml")) >= 25


def test_beir(tmp_path):
    queries = write(
        tmp_path, "queries.jsonl", '{"_id": "1", "text": "a"}\n{"_id": 2, "text": "b"}\n'
    )
    qrels = write(tmp_path, "qrels.tsv", "query-id\tcorpus-id\tscore\n2\td1\t2\n2\td2\t0\n1\td1\t0")
    (question,) = read_questions(queries, qrels)
    assert question == EvalQuestion("2", "b", (Expected("d1", "row", 2.0),))


def test_beirs_judged_sets(shared):
    folder = shared / "data/scifact"
    questions = read_questions(folder / "queries.jsonl", folder / "qrels.tsv")
    assert len(questions) == 300


def test_cells_of_a_table():
    record = {"id": 7, "question": "q", "find": "a/b/1\na/b/2\n", "words": "", "no_answer": None}
    (question,) = gathered("db/t", "row", [(1, record)], cells=True)
    assert question == EvalQuestion("7", "q", (Expected("a/b/1"), Expected("a/b/2")))
    (question,) = gathered("db/t", "row", [(1, {"question": "q", "no_answer": "yes"})], cells=True)
    assert question.no_answer


@pytest.mark.parametrize(
    "name, text, message",
    [
        ("q.yml", "- question: a\n  find: b\n- find: c\n", "q.yml, line 3: there is no question"),
        ("q.yml", "- question: a\n", "line 1: nothing says what is right: give find"),
        ("q.yml", "- question: a\n  fnd: b\n", "line 1: unknown key fnd, did you mean find?"),
        ("q.yml", "- question: a\n  find: [b, b]\n", "line 1: find names b twice"),
        ("q.yml", "- question: a\n  find: {page: b}\n", "line 1: an item of find is a text, or"),
        ("q.yml", "- question: a\n  find: {path: b, grade: -1}\n", "grade must be a number above"),
        ("q.yml", "- question: a\n  find: b\n  no_answer: true\n", "no_answer excludes find"),
        ("q.yml", "- question: a\n  no_answer: perhaps\n", "no_answer must be true or false"),
        ("q.yml", "- question: a\n  words: [no]\n", "words must hold text, got False; put it"),
        ("q.yml", "- question: a\n  words: ['']\n", "words holds an empty text: leave it out"),
        ("q.yml", "- question: a\n  find: b\n- question: a\n  find: c\n", "line 3: this question stands in line 1"),
        ("q.yml", "- a question\n", "line 1: expected a question with its keys"),
        ("q.yml", "question: a\n", "q.yml: expected a list of questions"),
        ("q.yml", "- question: [a\n", "line 2: not valid YAML"),
        ("q.yml", "- question: 2026-99-99\n", "q.yml, line 1: month must be"),
        ("q.yml", "- question: \x07\n", "q.yml: not valid YAML"),
        ("q.yml", "", "q.yml holds no question"),
        ("q.jsonl", '{"question": "a", "find": "b"}\n{"question"\n', "line 2: not valid JSON"),
        ("q.jsonl", "[1]\n", "line 1: expected a question with its keys"),
        ("q.jsonl", '{"_id": "1", "text": "a"}\n', "this is BEIR's format; give its judgments"),
        ("q.csv", "ask,find\na,b\n", "line 1: no column is called question"),
        ("q.csv", 'question,find\n"a\nb",c\nd,e,f\n', "line 4: more cells than columns"),
        ("q.csv", 'question,find\na,"b\n', "not valid CSV"),
        ("q.csv", "question,find\na,b\nc,\n", "line 3: nothing says what is right"),
        ("q.txt", "a", "q.txt: questions are read from .yml, .yaml, .csv and .jsonl files"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(tmp_path, name, text, message):
    with pytest.raises(QuestionsError) as caught:
        read_questions(write(tmp_path, name, text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "queries, qrels, message",
    [
        ('{"_id": "1"}', "1\td\t1", "queries.jsonl, line 1: expected _id and text"),
        ('{"_id": "1", "text": "a"}', "1\td\t1\n1 d 1\n", "qrels.tsv, line 2: expected query"),
        ('{"_id": "1", "text": "a"}', "2\td\t1", "--qrels has nothing relevant for any"),
    ],
)
def test_what_is_wrong_with_judged_queries(tmp_path, queries, qrels, message):
    with pytest.raises(QuestionsError, match=message):
        read_questions(
            write(tmp_path, "queries.jsonl", queries), write(tmp_path, "qrels.tsv", qrels)
        )


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "q.yml"
    path.write_bytes(b"- question: caf\xe9\n")
    with pytest.raises(QuestionsError, match="is not UTF-8"):
        read_questions(path)
    with pytest.raises(QuestionsError, match="can't be read"):
        read_questions(tmp_path / "missing.yml")
    with pytest.raises(QuestionsError, match=r"give BEIR's queries\.jsonl"):
        read_questions(path, path)
