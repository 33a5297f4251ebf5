"""What is told at the start of Datasette, and what stops it."""

from __future__ import annotations

import json
import logging
import sqlite3
import subprocess
import sys
from contextlib import closing

import click
import pytest

from datasette_rag import start
from datasette_rag.start import findings

from .site import ON_1_0, fts_table, get, make_database, make_datasette


@pytest.mark.asyncio
async def test_what_does_not_exist_is_one_line_and_the_rest_works(tmp_path, caplog):
    path = make_database(tmp_path / "db.db", fts_table("notes", "umbrella"))
    ours = {"plugins": {"datasette-rag": {"title": "nope"}}}
    tree = {
        "databases": {
            "db": {"tables": {"notes": ours, "gone": ours}},
            "missing": {"plugins": {"datasette-rag": {"search": True}}},
        }
    }
    with caplog.at_level(logging.WARNING, "datasette_rag"):
        datasette = await make_datasette([path], tree)
    assert sorted(record.getMessage() for record in caplog.records) == [
        "datasette-rag: db/gone: configured, but there is no such table",
        "datasette-rag: db/notes: title: there is no column nope",
        "datasette-rag: missing: configured, but there is no such database",
    ]
    reply = await get(datasette, "/-/ask.json?question=umbrella")
    assert len(reply.json()["sources"]) == 1


@pytest.mark.asyncio
async def test_a_mistake_stops_the_start(tmp_path):
    with pytest.raises(click.ClickException, match="plugins.datasette-rag.max_source:"):
        await make_datasette([], {"plugins": {"datasette-rag": {"max_source": 3}}})


@pytest.mark.asyncio
async def test_an_unknown_answerer_stops_the_start():
    with pytest.raises(click.ClickException, match="no answerer cloude, did you mean claude?"):
        await make_datasette([], {"plugins": {"datasette-rag": {"answerer": "cloude"}}})


def test_a_mistake_is_one_line_in_the_terminal(tmp_path):
    path = make_database(tmp_path / "db.db", fts_table("notes", "umbrella"))
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"plugins": {"datasette-rag": {"serach": False}}}))
    option = "-c" if ON_1_0 else "-m"
    done = subprocess.run(
        [sys.executable, "-m", "datasette", str(path), option, str(settings), "--get", "/"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stdout.strip() == ""
    assert (
        done.stderr.strip()
        .splitlines()[-1]
        .startswith("Error: datasette-rag: plugins.datasette-rag.serach: unknown setting")
    )
    assert "Traceback" not in done.stderr


@pytest.mark.asyncio
async def test_findings_name_tables_without_an_index(tmp_path):
    path = make_database(
        tmp_path / "db.db",
        fts_table("notes", "x"),
        "create table plain (x)",
        "create view v as select 1",
    )
    found = await findings(await make_datasette([path]))
    assert [str(finding) for finding in found] == [
        "db/plain: it has no full-text index. This mends it: sqlite-utils enable-fts "
        f"{path} plain x --tokenize porter --create-triggers"
    ]


async def lines_of_start(caplog, *paths):
    caplog.clear()
    with caplog.at_level(logging.INFO, "datasette_rag"):
        await make_datasette(paths)
    return [(record.levelname, record.getMessage()) for record in caplog.records]


@pytest.mark.asyncio
async def test_the_start_tells_in_one_line_what_was_found(tmp_path, caplog):
    fine = make_database(tmp_path / "fine.db", fts_table("notes", "x"))
    assert await lines_of_start(caplog, fine) == [("INFO", "datasette-rag: 1 table searchable")]
    bad = make_database(
        tmp_path / "bad.db",
        fts_table("notes", "x y") + fts_table("words", "x", tokenize="unicode61"),
        "update notes set body = 'other words'; create table plain (x)",
    )
    assert await lines_of_start(caplog, fine, bad) == [
        (
            "WARNING",
            "datasette-rag: 3 tables searchable, 1 not, 1 out of date, 1 to be made better "
            "(datasette rag check tells which and why). bad/notes: the index notes_fts is out of "
            "date: of the rows looked at, 1 row with other text than in the table. This mends it: "
            f"sqlite-utils rebuild-fts {bad} notes_fts",
        )
    ]


@pytest.mark.asyncio
async def test_a_damaged_index_or_file_does_not_stop_the_start(tmp_path, caplog):
    path = make_database(tmp_path / "db.db", fts_table("bad", "umbrella", "x"))
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("update bad_fts_data set block = x'00' where id > 10")
        conn.commit()
    ((level, line),) = await lines_of_start(caplog, path)
    assert level == "WARNING" and "its index bad_fts can't be read" in line
    assert f"This mends it: sqlite-utils rebuild-fts {path} bad_fts" in line


@pytest.mark.asyncio
async def test_the_look_at_the_start_ends_in_time(tmp_path, monkeypatch):
    path = make_database(tmp_path / "db.db", *(fts_table(f"t{n}", "x y") for n in range(20)))
    monkeypatch.setattr(start, "_START_MS", 0)
    looked = []
    monkeypatch.setattr(start, "index_findings", lambda *given: looked.append(given) or [])
    await make_datasette([path])
    assert looked == []
