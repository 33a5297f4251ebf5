"""datasette rag log: reading, exporting and deleting what was asked, also while a site writes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from click.testing import CliRunner
from datasette.cli import cli

from datasette_rag.cli import log_file
from datasette_rag.log import schema
from datasette_rag.log.erase import erase
from datasette_rag.log.writer import delete, insert

from .log.filled import ask, question
from .site import fts_table, make_database, make_datasette, reply_of


def run(*arguments):
    return CliRunner().invoke(cli, ["rag", "log", *map(str, arguments)])


def output(result):
    return result.stdout + result.stderr


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "rag-log.db"
    with closing(sqlite3.connect(path)) as conn:
        schema.bring_up_to_date(conn)
    return path


@pytest.fixture
def conn(log):
    with closing(sqlite3.connect(log)) as conn:
        yield conn


def ids(log):
    with closing(sqlite3.connect(log)) as conn:
        return {id for (id,) in conn.execute("select id from rag_questions")}


def remark(conn, id, note):
    row = {"question_id": id, "given": "2026-01-01T00:00:00.000Z", "rating": "down", "note": note}
    insert(conn, "rag_feedback", [row])
    conn.commit()


def cite(conn, id, title):
    insert(conn, "rag_question_sources", [source(id, title)])
    conn.commit()


def source(id, title):
    return {
        "question_id": id,
        "number": 1,
        "database": "notes",
        "table": "notes",
        "pks": '["1"]',
        "title": title,
        "heading": "",
        "passage_hash": "",
        "cited": 1,
        "quotes": "[[0, 1]]",
    }


def bytes_of(log):
    files = [log, *log.parent.glob(f"{log.name}-*")]
    return b"".join(file.read_bytes() for file in files)


def test_the_newest_first(log, conn):
    now = datetime.now(timezone.utc)
    for number in range(25):
        ask(conn, question=f"question {number}", asked=now - timedelta(minutes=number))
    ask(conn, question="search", outcome=None, asked=now + timedelta(minutes=1))
    result = run(log)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and len(lines) == 20
    assert lines[0].endswith("only searched  search")
    assert lines[1].split()[0] in {id[:8] for id in ids(log)}
    assert lines[1].endswith(f"{now:%Y-%m-%d %H:%M}  nothing_found  question 0")
    assert len(run(log, "-n", "3").stdout.splitlines()) == 3
    rows = json.loads(run(log, "--json", "--count", "2").stdout)
    assert [row["question"] for row in rows] == ["search", "question 0"]
    assert rows[0]["topic"] == ["umbrella"]


def test_the_unanswered(log, conn):
    now = datetime.now(timezone.utc)
    for ago in (3, 2, 1):
        asked = now - timedelta(seconds=ago)
        id = ask(conn, question="Zebra?", topic=["zebra"], asked=asked)
    ask(conn, question="Known?", topic=["known"], outcome="answered")
    ask(conn, question="Once?", topic=["once"])
    lines = run(log, "--unanswered").stdout.splitlines()
    assert lines[0].startswith(id[:8]) and lines[0].endswith("3 ×  Zebra?")
    assert len(lines) == 2
    (row,) = json.loads(run(log, "--unanswered", "--json", "-n", "1").stdout)
    assert (row["topic"], row["times"], row["last_id"]) == (["zebra"], 3, id)


def test_nothing_asked(log):
    assert run(log).stdout == "No question has been logged.\n"
    assert run(log, "--unanswered").stdout == "Nothing is open.\n"
    assert run(log, "--json").stdout == "[]\n"
    assert run(log, "--export").stdout == ""


def test_hostile_text_commands_no_terminal(log, conn):
    ask(conn, question="a\x1b[2Jb\nc\u202ed\u2028e\x07")
    for option in ((), ("--unanswered",)):
        assert run(log, *option).stdout.endswith("  a [2Jb c d e\n")
    result = run(log, "--delete", *ids(log))
    assert "\x1b" not in result.stdout and len(result.stdout.splitlines()) == 1


@pytest.mark.asyncio
async def test_the_export_is_complete(tmp_path):
    log = tmp_path / "log.db"
    notes = make_database(tmp_path / "notes.db", fts_table("notes", "The harbour closes."))
    datasette = await make_datasette([notes], {"plugins": {"datasette-rag": {"log": str(log)}}})
    asked = [await reply_of(datasette, text) for text in ("harbour \u202e?", "zebra", "closes")]
    with closing(sqlite3.connect(log)) as conn:
        remark(conn, asked[0].id, "no\nway")
        columns = {
            table: {row[1] for row in conn.execute(f"pragma table_info({table})")}
            for table in schema.TABLES
        }
    rows = [json.loads(line) for line in run(log, "--export").stdout.splitlines()]
    assert [row["id"] for row in rows] == [reply.id for reply in asked]
    for row in rows:
        assert row.keys() == columns["rag_questions"] | {"sources", "feedback"}
    assert rows[0]["keywords"] == list(asked[0].keywords)
    (source,) = rows[0]["sources"]
    assert source.keys() == columns["rag_question_sources"] and source["pks"] == ["1"]
    (feedback,) = rows[0]["feedback"]
    assert feedback.keys() == columns["rag_feedback"] and feedback["note"] == "no\nway"
    assert not rows[1]["sources"] and not rows[2]["feedback"]


def test_delete(log, conn):
    gone, also, kept = (ask(conn, question=text) for text in ("one", "two", "three"))
    for id in (gone, kept):
        remark(conn, id, "note")
        cite(conn, id, "title")
    result = run(log, "--delete", gone[:8], "--delete", also, "--delete", gone)
    assert result.exit_code == 0, output(result)
    assert f"Deleted {gone}" in result.stdout and result.stdout.count("Deleted") == 2
    assert ids(log) == {kept}
    for table in ("rag_feedback", "rag_question_sources"):
        assert conn.execute(f"select question_id from {table}").fetchall() == [(kept,)]


def test_all_or_nothing_is_deleted(log, conn):
    id = ask(conn)
    twins = [ask(conn, id=f"aaaaaaaa{number}") for number in range(2)]
    for wrong, said in (
        ("bbbbbbbb", "no question bbbbbbbb; nothing was deleted"),
        ("aaaaaaaa", "several questions have ids that begin with aaaaaaaa; nothing"),
        ("%%%%%%%%", "no question"),
        ("aaaaaaa", "too short"),
        ("", "too short"),
    ):
        result = run(log, "--delete", id, "--delete", wrong)
        assert result.exit_code == 1 and said in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert ids(log) == {id, *twins}


def test_prune(log, conn):
    now = datetime.now(timezone.utc)
    old = [ask(conn, asked=now - timedelta(days=days)) for days in (31, 400)]
    new = [ask(conn, asked=now - timedelta(days=days)) for days in (0, 29)]
    cite(conn, old[0], "title")
    result = run(log, "--prune", "30")
    assert result.stdout == "Deleted 2 questions older than 30 days\n"
    assert ids(log) == set(new)
    assert not conn.execute("select 1 from rag_question_sources").fetchall()
    assert run(log, "--prune", "30").stdout == "Deleted 0 questions older than 30 days\n"
    run(log, "--prune", "0")
    assert ids(log) == set()


def mark(number):
    return f"MARK{number:04d}"


@pytest.mark.parametrize("wal", [True, False])
@pytest.mark.parametrize("open_elsewhere", [True, False])
def test_what_was_deleted_is_gone_from_the_file(log, conn, wal, open_elsewhere):
    if not wal:
        conn.execute("pragma journal_mode = delete")
    # As other builds of SQLite write: copies stay in the unused part of pages.
    conn.execute("pragma secure_delete = off")
    asked = []
    for number in range(600):
        word = mark(number)
        padding = "x" * (number * 7919 % 5000 if number % 3 == 0 else number % 200)
        row = question(question=f"{word}Q {padding}", topic=[word], answer=f"{padding} {word}A")
        asked.append(row["id"])
        insert(conn, "rag_questions", [row])
        insert(conn, "rag_question_sources", [source(row["id"], f"{word}S {padding[:100]}")])
        if number % 100 == 5:
            remark(conn, row["id"], f"{word}N {padding[:100]}")
    conn.commit()
    gone = range(5, 600, 7)
    if not open_elsewhere:
        conn.close()
    result = run(log, *(part for number in gone for part in ("--delete", asked[number])))
    assert result.exit_code == 0 and not result.stderr
    left = bytes_of(log)
    for number in range(600):
        found = mark(number).encode() in left or asked[number].encode() in left
        assert found is (number not in gone), number
    with closing(sqlite3.connect(log)) as checked:
        assert checked.execute("pragma integrity_check").fetchone() == ("ok",)
    exported = [json.loads(line) for line in run(log, "--export").stdout.splitlines()]
    assert len(exported) == 600 - len(gone)
    assert all(len(row["sources"]) == 1 for row in exported)
    assert sum(len(row["feedback"]) for row in exported) == 5


def test_somebody_reads_meanwhile(log, conn, monkeypatch):
    monkeypatch.setattr(log_file, "WAIT_SECONDS", 0.1)
    id = ask(conn, question="secret")
    with closing(sqlite3.connect(log, isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select * from rag_questions").fetchall()
        result = run(log, "--delete", id)
        assert result.exit_code == 0 and ids(log) == set()
        assert "traces may stay" in result.stderr


def test_a_deletion_that_fails_deletes_nothing(log, conn):
    id = ask(conn)

    def fails(conn):
        delete(conn, [id])
        raise sqlite3.OperationalError("disk full")

    with (
        closing(sqlite3.connect(log, isolation_level=None)) as own,
        pytest.raises(sqlite3.OperationalError),
    ):
        erase(own, fails)
    assert ids(log) == {id}


@pytest.mark.asyncio
async def test_while_a_server_has_it_open(tmp_path):
    log = tmp_path / "log.db"
    notes = make_database(tmp_path / "notes.db", fts_table("notes", "The harbour closes."))
    datasette = await make_datasette([notes], {"plugins": {"datasette-rag": {"log": str(log)}}})
    first = await reply_of(datasette, "harbour SECRETWORD?")
    second = await reply_of(datasette, "closes?")
    assert first.logged and second.logged
    assert run(log, "--delete", first.id).exit_code == 0
    assert b"SECRETWORD" not in bytes_of(log)
    third = await reply_of(datasette, "harbour?")
    assert third.logged and ids(log) == {second.id, third.id}


@pytest.mark.asyncio
@pytest.mark.datasette_1_0
async def test_an_internal_database(tmp_path):
    internal = tmp_path / "internal.db"
    notes = make_database(tmp_path / "notes.db", fts_table("notes", "The harbour closes."))
    datasette = await make_datasette([notes], internal=str(internal))
    first = await reply_of(datasette, "harbour SECRETWORD?")
    second = await reply_of(datasette, "closes?")
    assert first.id[:8] in run(internal).stdout
    assert run(internal, "--delete", first.id).exit_code == 0
    assert ids(internal) == {second.id} and b"SECRETWORD" not in bytes_of(internal)
    assert (await reply_of(datasette, "harbour?")).logged


@pytest.mark.parametrize("option", [(), ("--export",), ("--unanswered",)])
def test_while_another_writes(log, conn, option):
    ask(conn, question="before")
    conn.execute("begin immediate")
    conn.execute("update rag_questions set question = 'changed'")
    result = run(log, *option)
    conn.rollback()
    assert result.exit_code == 0 and "before" in result.stdout


def test_locked_for_longer(log, conn, monkeypatch):
    monkeypatch.setattr(log_file, "WAIT_SECONDS", 0.1)
    id = ask(conn)
    conn.execute("begin immediate")
    for option in (("--delete", id), ("--prune", "1")):
        result = run(log, *option)
        assert result.exit_code == 1
        assert result.stderr.strip().endswith(
            "is locked by another program; try again when that is done"
        )
    conn.rollback()
    assert ids(log) == {id}


@pytest.mark.parametrize(
    "options, said",
    [
        (["--export", "--unanswered"], "--unanswered and --export exclude each other"),
        (["--delete", "a" * 8, "--prune", "3"], "--delete and --prune exclude each other"),
        (["--export", "--json"], "--json is for lists"),
        (["--prune", "0", "-n", "3"], "--count is for lists"),
    ],
)
def test_options_that_exclude_each_other(log, conn, options, said):
    id = ask(conn)
    result = run(log, *options)
    assert result.exit_code == 2 and said in result.stderr
    assert len(result.stderr.splitlines()) == 1 and ids(log) == {id}


@pytest.mark.parametrize("option", [(), ("--export",), ("--delete", "a" * 8), ("--prune", "3")])
def test_a_file_that_is_no_log(tmp_path, option):
    other = make_database(tmp_path / "other.db", "create table mine (x)")
    text = tmp_path / "text.db"
    text.write_text("This is no database, whatever its name says. " * 50)
    empty = tmp_path / "empty.db"
    empty.touch()
    for path, said in (
        (other, "holds no log: it has no table rag_questions"),
        (text, "can't be read as a SQLite database: file is not a database"),
        (empty, "holds no log"),
    ):
        before = path.read_bytes()
        result = run(path, *option)
        assert result.exit_code == 1 and said in result.stderr
        assert len(result.stderr.splitlines()) == 1
        assert path.read_bytes() == before


def test_a_missing_file_is_not_made(tmp_path):
    missing = tmp_path / "none.db"
    for option in ((), ("--delete", "a" * 8), ("--prune", "3")):
        result = run(missing, *option)
        assert result.exit_code == 2 and "does not exist" in result.stderr
    assert not list(tmp_path.iterdir())
    assert run(tmp_path).exit_code == 2


def make_older(conn):
    for view in schema.VIEWS:
        conn.execute(f"drop view {view}")
    conn.execute("delete from _sqlite_migrations where name = 'm002_views'")
    conn.commit()


def test_a_log_of_an_older_version(log, conn):
    ids_asked = [ask(conn) for _ in range(2)]
    make_older(conn)
    for option in ((), ("--unanswered",), ("--export",), ("--json",)):
        result = run(log, *option)
        assert result.exit_code == 0 and ids_asked[1][:8] in result.stdout
    assert not schema.is_current(conn)
    assert run(log, "--delete", ids_asked[0]).exit_code == 0
    assert schema.is_current(conn) and ids(log) == {ids_asked[1]}


def test_a_log_that_lacks_a_table(log, conn):
    ask(conn)
    conn.execute("drop table rag_question_sources")
    conn.commit()
    result = run(log, "--export")
    assert result.exit_code == 1 and "of another version of the plugin" in result.stderr


def test_a_name_that_an_address_would_not_take(tmp_path):
    path = Path(tmp_path / "we?rd #1%20.db")
    with closing(sqlite3.connect(path)) as conn:
        schema.bring_up_to_date(conn)
        insert(conn, "rag_questions", [question(question="found")])
        conn.commit()
    assert "found" in run(path).stdout
