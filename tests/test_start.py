"""What is told at the start of Datasette, and what stops it."""

from __future__ import annotations

import json
import logging
import subprocess
import sys

import click
import pytest

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
    assert [str(finding) for finding in found] == ["db/plain: it has no full-text index"]
