"""datasette rag …, as someone at a terminal meets it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner
from datasette.cli import cli

from .claude_api import Cite, Text
from .site import ON_1_0, fts_table, make_database


def run(*arguments):
    return CliRunner().invoke(cli, ["rag", *map(str, arguments)])


def output(result):
    return result.stdout + result.stderr


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "harbour.md").write_text("# Harbour\n\n## Hours\n\nThe harbour closes at nine.\n")
    (folder / "boats.txt").write_text("Boats are for hire from the red hut.\n")
    return folder


@pytest.fixture
def database(tmp_path):
    return make_database(
        tmp_path / "db.db",
        fts_table("notes", "The harbour closes at nine.", "Boats are for hire."),
    )


def test_from_a_folder_to_an_answer(tmp_path, folder):
    database = tmp_path / "docs.db"
    first = run("index", database, folder)
    assert first.exit_code == 0, output(first)
    assert "2 read: 2 added, 0 updated, 0 unchanged; 0 removed; 0 skipped; 2 passages in" in output(
        first
    )
    answer = run("ask", database, "When does the harbour close?")
    assert answer.exit_code == 0, output(answer)
    assert "The harbour closes at nine. [1]" in answer.stdout
    assert "[1] Harbour" in answer.stdout
    (folder / "boats.txt").unlink()
    (folder / "harbour.md").write_text("# Harbour\n\nThe harbour closes at ten.\n")
    second = run("index", database, folder)
    assert "1 read: 0 added, 1 updated, 0 unchanged; 1 removed; 0 skipped" in output(second)
    assert "closes at ten" in run("ask", database, "When does the harbour close?").stdout
    assert run("ask", database, "Where are boats for hire?").exit_code == 3


def test_json_is_the_reply(database):
    result = run("ask", database, "When does the harbour close?", "--json")
    reply = json.loads(result.stdout)
    assert (result.exit_code, reply["outcome"]) == (0, "answered")
    assert reply["answer_html"].startswith("<p>") and reply["sources"][0]["cited"]
    result = run("search", database, "harbour", "--json")
    reply = json.loads(result.stdout)
    assert (result.exit_code, reply["outcome"], reply["answer"]) == (0, None, "")
    assert len(reply["sources"]) == 1


def test_search_prints_passages(database):
    result = run("search", database, "harbour")
    assert result.exit_code == 0
    assert "[1] notes 1" in result.stdout and "The harbour closes at nine." in result.stdout


def test_keywords_and_tables(tmp_path, database):
    assert "Boats" in run("search", database, "harbour", "-k", "hire").stdout
    other = make_database(tmp_path / "two.db", fts_table("more", "Another harbour."))
    both = run("search", database, other, "harbour")
    assert "db/notes" in both.stdout and "two/more" in both.stdout
    only = run("search", database, other, "harbour", "--table", "two/more")
    assert "db/notes" not in only.stdout and "two/more" in only.stdout


def test_nothing_found_is_status_3(database):
    for command in ("ask", "search"):
        result = run(command, database, "xylophone")
        assert result.exit_code == 3
        assert "Nothing was found" in result.stdout
        assert run(command, database, "xylophone", "--json").exit_code == 3


def test_actors(tmp_path, database):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"databases": {"db": {"allow": {"id": "ann"}}}}))
    option = "-c" if ON_1_0 else "-m"
    question = (database, "When does the harbour close?", option, settings)
    assert run("ask", *question).exit_code == 0
    assert run("ask", *question, "--actor", '{"id": "ann"}').exit_code == 0
    refused = run("ask", *question, "--actor", '{"id": "bob"}')
    assert refused.exit_code == 3 and "nine" not in output(refused)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["ask", "no.db", "question"], "no.db"),
        (["ask", "{database}"], "Missing argument"),
        (["ask", "{database}", ""], "Ask a question"),
        (["ask", "{text}", "question"], "can't be read as a SQLite database"),
        (["ask", "{database}", "q", "--actor", "ann"], "not valid JSON"),
        (["ask", "{database}", "q", "--actor", "[1]"], "expected a JSON object"),
        (["ask", "{database}", "q", "--table", "notes"], "expected database/table"),
        (["ask", "{database}", "q", "--table", "db/nope"], "no such database or table"),
        (["index", "{new}", "nowhere"], "nowhere"),
        (["check", "{text}"], "can't be read as a SQLite database"),
        (["ask", "{odd}", "q"], "rename it"),
        (["ask", "{database}", "q", "-m", "{yaml}"], "bad.yml"),
        (["check", "{database}", "-m", "{list}"], "expected a mapping of settings"),
        (["ask", "{database}", "q", "-t", "db/\udcff"], "no such database or table"),
    ],
)
def test_a_mistake_is_told_in_words(tmp_path, database, arguments, words):
    text = tmp_path / "text.db"
    text.write_text("This is no database, whatever its name says. " * 50)
    odd = make_database(tmp_path / "we?rd #1%20.db", fts_table("notes", "x"))
    (tmp_path / "bad.yml").write_text("a: [b")
    (tmp_path / "list.yml").write_text("- x")
    names = {
        "database": database,
        "text": text,
        "new": tmp_path / "new.db",
        "odd": odd,
        "yaml": tmp_path / "bad.yml",
        "list": tmp_path / "list.yml",
    }
    result = run(*(argument.format(**names) for argument in arguments))
    assert result.exit_code in (1, 2)
    assert words in output(result)
    assert "Traceback" not in output(result)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert not names["new"].exists()


def test_a_mistake_in_the_configuration_is_one_line(tmp_path, database):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"plugins": {"datasette-rag": {"max_source": 3}}}))
    result = run("ask", database, "harbour", "-c" if ON_1_0 else "-m", settings)
    assert result.exit_code == 1
    assert output(result).strip() == (
        "Error: datasette-rag: plugins.datasette-rag.max_source: unknown setting, "
        "did you mean max_sources?"
    )


def test_check_names_what_is_searched_and_what_is_not(tmp_path):
    database = make_database(
        tmp_path / "db.db",
        fts_table("notes", "x"),
        "create virtual table gone using fts5(a, content='')",
    )
    result = run("check", database)
    assert result.exit_code == 0
    assert "db/notes: searched through notes_fts (FTS5, porter)" in result.stdout
    assert "db/gone: the index is contentless" in result.stdout
    assert result.stderr == ""
    empty = make_database(tmp_path / "empty.db", "create table t (x)")
    result = run("check", empty)
    assert result.exit_code == 1 and "sqlite-utils enable-fts" in output(result)


def test_index_tells_what_was_skipped_and_why(tmp_path, folder):
    database = tmp_path / "docs.db"
    for name in ("one.md", "two.md"):
        (folder / name).write_bytes(b"\x89PNG\0\0")
    (folder / "lost.md").symlink_to("nowhere.md")
    result = run("index", database, folder)
    assert result.exit_code == 3
    assert "Skipped one.md: not a text" in result.stderr
    assert result.stdout.splitlines()[-1] == (
        "2 read: 2 added, 0 updated, 0 unchanged; 0 removed; 3 skipped (a link that leads "
        "nowhere: 1; not a text in a known encoding: 2); 2 passages in " + str(database)
    )
    assert run("index", database, folder, "--exclude", "*o*.md").exit_code == 0


def test_a_dry_run_of_index(tmp_path, folder):
    database = tmp_path / "docs.db"
    result = run("index", database, folder, "--dry-run")
    assert result.exit_code == 0 and not database.exists()
    assert result.stdout.splitlines() == [
        "Would add boats.txt",
        "Would add harbour.md",
        "Dry run, nothing was written. 2 read: 2 added, 0 updated, 0 unchanged; 0 removed; "
        "0 skipped",
    ]


def test_the_address_of_a_document_is_that_of_its_sources(tmp_path, folder):
    database = tmp_path / "docs.db"
    assert run("index", database, folder, "--url", "https://x.example/{page}/").exit_code == 0
    reply = json.loads(run("search", database, "boats hire", "--json").stdout)
    assert [source["url"] for source in reply["sources"]] == ["https://x.example/boats/"]
    wrong = run("index", database, folder, "--url", "x.example")
    assert wrong.exit_code == 1 and "begins with https://" in output(wrong)


def test_defaults_of_the_command_are_those_of_the_function():
    from inspect import signature

    from datasette_rag.documents.store import index_folder

    parameters = signature(index_folder).parameters
    command = cli.commands["rag"].commands["index"]
    given = command.make_context("index", ["docs.db", "."]).params
    for name, parameter in parameters.items():
        if name in given and parameter.default is not parameter.empty:
            assert given[name] == parameter.default, name


def test_check_tells_what_is_to_be_mended(tmp_path):
    database = make_database(
        tmp_path / "db.db", fts_table("notes", "x"), "insert into notes values (2, 'y', 'z')"
    )
    result = run("check", database)
    assert result.exit_code == 3 and result.stderr == ""
    assert result.stdout.splitlines()[-3:] == [
        "",
        "Out of date:",
        "db/notes: the index notes_fts is out of date: of the rows looked at, 1 row of the table "
        f"not in it. This mends it: sqlite-utils rebuild-fts {database} notes_fts",
    ]
    settings = tmp_path / "settings.json"
    settings.write_text(
        json.dumps({"databases": {"db": {"tables": {"notes": {"fts_table": "nope"}}}}})
    )
    result = run("check", database, "-c" if ON_1_0 else "-m", settings)
    assert result.exit_code == 3
    assert "db/notes: fts_table: nope is no full-text index" in result.stdout


def test_index_refuses_tables_that_it_did_not_make(tmp_path, folder):
    database = make_database(
        tmp_path / "db.db", "create table passages (x); insert into passages values (1)"
    )
    result = run("index", database, folder)
    assert result.exit_code == 1 and "--table" in output(result)
    with closing(sqlite3.connect(database)) as conn:
        assert conn.execute("select name from sqlite_master").fetchall() == [("passages",)]
    result = run("index", database, folder, "--table", "pages")
    assert result.exit_code == 0, output(result)
    assert run("ask", database, "When does the harbour close?").exit_code == 0


@pytest.mark.datasette_0_65
def test_0_65_has_no_configuration_file(tmp_path, database):
    settings = tmp_path / "settings.json"
    settings.write_text("{}")
    result = run("ask", database, "harbour", "-c", settings)
    assert result.exit_code == 1 and "-m" in output(result)


def test_with_a_key_claude_answers(database, claude_api, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text(
        json.dumps({"plugins": {"datasette-rag": {"api_base_url": claude_api.base_url}}})
    )
    question = (database, "When does the harbour close?", "-c" if ON_1_0 else "-m", settings)
    claude_api.reply(Text("At nine.", Cite(0, 0, 1)), to="answer")
    result = run("ask", *question)
    assert result.exit_code == 0, output(result)
    assert "At nine. [1]" in result.stdout and "[1] notes 1" in result.stdout
    assert "Cost: $0.0" in result.stderr
    calls = len(claude_api.requests)
    free = run("ask", *question, "--answerer", "extractive")
    assert free.exit_code == 0 and "closes at nine" in free.stdout
    assert run("search", *question).exit_code == 0
    assert len(claude_api.requests) == calls
    unknown = run("ask", *question, "--answerer", "extractiv")
    assert unknown.exit_code == 1 and "did you mean extractive" in output(unknown)
    claude_api.keys.clear()
    failed = run("ask", *question)
    assert failed.exit_code == 1 and "api_key" in failed.stderr
    assert claude_api.key not in output(failed)
