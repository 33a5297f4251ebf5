"""Runs of evals are saved in the log, kept as private as the rest of it, and compared."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from datasette_rag.log import schema

from .site import get, make_database, make_datasette, reply_of
from .test_cli_eval import database, questions, run  # noqa: F401


def ids(log):
    with closing(sqlite3.connect(log)) as conn:
        return [row[0] for row in conn.execute("select id from rag_eval_runs order by started")]


@pytest.fixture
def log(tmp_path):
    return tmp_path / "rag-log.db"


@pytest.fixture
def saved(database, questions, log):  # noqa: F811
    """A log with two runs: in the second one a question finds what it did not, one the reverse."""
    assert run(database, questions, "--save", log, "--answers").exit_code == 0
    with closing(sqlite3.connect(database)) as conn:
        conn.execute("update notes set body = 'Huts for hire: boats.' where id = 3")
        conn.execute("update notes set body = 'Nothing.', title = 'x' where id = 1")
        conn.execute("insert into notes_fts (notes_fts) values ('rebuild')")
        conn.commit()
    result = run(database, questions, "--save", log, "--answers")
    assert result.exit_code == 0, result.output
    before, after = (id[:8] for id in ids(log))
    assert result.stderr == (
        f"Saved as run {after} in {log}. Compare it with the run before: "
        f"datasette rag eval {log} --compare {before} {after}\n"
    )
    return log


def test_two_runs_compared(saved):
    before, after = ids(saved)
    result = run(saved, "--compare", before[:8], after)
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[0].startswith(f"before run {before[:8]}, 20") and "3 questions of" in lines[0]
    assert "recall@10 0.750 0.500 -0.250 1.000 1 1 0" in lines
    worse, better = lines.index("Worse (ndcg@10):"), lines.index("Better (ndcg@10):")
    assert lines[worse + 1] == "-1.000 When does the harbour close?"
    assert lines[better + 1].endswith("Where are boats for hire?")


def test_the_view_has_what_differs(saved):
    with closing(sqlite3.connect(saved)) as conn:
        rows = conn.execute(
            "select question, before, after, difference from rag_eval_differences "
            "where measure = 'recall@10' order by difference"
        ).fetchall()
    assert rows == [
        ("When does the harbour close?", 1, 0, -1),
        ("Where are boats for hire?", 0.5, 1, 0.5),
    ]


def test_what_is_saved(saved):
    with closing(sqlite3.connect(saved)) as conn:
        conn.row_factory = sqlite3.Row
        first = dict(conn.execute("select * from rag_eval_runs order by started").fetchone())
        result = dict(
            conn.execute(
                "select * from rag_eval_results where run_id = ? and question like 'Where%'",
                [first["id"]],
            ).fetchone()
        )
    assert (first["questions"], first["answerer"], first["questions_from"]) == (
        3,
        "extractive",
        "questions.yml",
    )
    assert first["databases"] == '["db"]' and first["search_ms"] > 0 and first["cost_usd"] == 0
    assert result["expected"] == '{"db/notes/2": 1.0, "db/notes/3": 1.0}'
    assert result["found"] == '["db/notes/2"]' and '"boats"' in result["keywords"]
    assert result["outcome"] == "answered" and result["search_ms"] > 0


@pytest.mark.parametrize("runs", [("nothing", "nothing"), ("", "")])
def test_a_run_that_is_not_there(saved, runs):
    result = run(saved, "--compare", *runs)
    assert result.exit_code == 1 and "there is no run" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_files_that_are_no_log(database, questions, log, tmp_path):  # noqa: F811
    for arguments, status, message in (
        ((database, questions, "--save", database), 1, "holds no log: it has no table"),
        ((database, questions, "--save", tmp_path / "no" / "log.db"), 1, "there is no folder"),
        ((database, "--compare", "a", "b"), 1, "holds no log"),
        ((log, "--compare", "a", "b"), 2, "takes one argument"),
        ((database, questions, "--compare", "a", "b"), 2, "takes one argument"),
        ((questions,), 2, "give at least one database"),
    ):
        result = run(*arguments)
        assert result.exit_code == status and message in result.output, arguments
    assert not log.exists()


def test_a_log_without_evals_gets_their_tables(database, questions, log):  # noqa: F811
    with closing(sqlite3.connect(log, isolation_level=None)) as conn:
        schema.bring_up_to_date(conn)
        conn.execute("drop view rag_eval_differences")
        for table in ("rag_eval_results", "rag_eval_runs"):
            conn.execute(f"drop table {table}")
        conn.execute("delete from _sqlite_migrations where name = 'm003_evals'")
    assert run(database, questions, "--save", log).exit_code == 0
    assert len(ids(log)) == 1


@pytest.mark.asyncio
async def test_runs_are_the_admins_alone(saved, tmp_path):
    notes = make_database(tmp_path / "other.db")
    tree = {
        "allow": True,
        "plugins": {"datasette-rag": {"log": str(saved), "admin": {"id": "ann"}}},
    }
    datasette = await make_datasette([notes], tree)
    name = saved.stem
    for door in (
        f"/{name}",
        *(f"/{name}/rag_eval_{one}" for one in ("runs", "results", "differences")),
    ):
        assert (await get(datasette, door)).status_code == 403, door
        assert (await get(datasette, door, actor={"id": "bob"})).status_code == 403, door
        assert (await get(datasette, door, actor={"id": "ann"})).status_code == 200, door
    await reply_of(datasette, "harbour")
    assert len(ids(saved)) == 2
