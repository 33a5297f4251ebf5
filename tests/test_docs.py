"""The documentation is complete: every command, option, setting, route, event and field is in it."""

from __future__ import annotations

import dataclasses
import re
import sqlite3
import typing
from contextlib import closing
from pathlib import Path

import click
import pytest
from datasette.cli import cli

from datasette_rag import config, events
from datasette_rag.config import model, values
from datasette_rag.log import feedback, figures, schema, writer
from datasette_rag.web.routes import routes

TOP = Path(__file__).resolve().parents[1]
PAGES = {path.name: path.read_text("utf-8") for path in (TOP / "docs").glob("*.md")}
README = (TOP / "README.md").read_text("utf-8")


def command_line():
    return cli.commands["rag"].commands


@pytest.mark.parametrize("level", ["ROOT", "DATABASE", "TABLE"])
def test_every_setting(level):
    for key in getattr(values, level):
        assert f"`{key}`" in PAGES["configuration.md"]


def test_the_defaults_that_are_told_are_the_defaults():
    for key in ("max_sources", "max_chars", "max_question_chars", "max_keywords"):
        row = re.search(rf"^\| `{key}` \| (\d+) \|", PAGES["configuration.md"], re.MULTILINE)
        assert int(row.group(1)) == getattr(config.Config(), key)
    assert config.Config().no_answer in PAGES["configuration.md"]


def test_every_format_of_documents():
    from datasette_rag.documents.formats import FORMATS

    assert [ending for ending in FORMATS if f"`{ending}`" not in PAGES["documents.md"]] == []


def test_every_key_of_front_matter():
    from datasette_rag.documents.formats import front_matter

    keys = [*front_matter._TITLE, *front_matter._DATE, *front_matter._URL, *front_matter._LANGUAGE]
    assert [key for key in keys if f"`{key}`" not in PAGES["documents.md"]] == []


@pytest.mark.parametrize("name", sorted(command_line()))
def test_every_command_and_option(name):
    page = PAGES["command-line.md"]
    assert f"## datasette rag {name}\n" in page
    for parameter in command_line()[name].params:
        for option in parameter.opts if isinstance(parameter, click.Option) else ():
            assert f"`{option}" in page


def test_every_command_is_in_the_readme():
    for name in command_line():
        assert f"rag {name}" in README or f"`{name}`" in README


def test_every_route():
    for pattern, _ in routes():
        path = re.sub(r"\(\?P<database>[^)]*\)", "DATABASE", pattern)
        path = re.sub(r"\(\?P<table>[^)]*\)", "TABLE", path)
        path = re.sub(r"\(\?P<id>[^)]*\)", "ID", path)
        path = path.strip("^$").replace("\\.", ".")
        assert f"`{path}`" in PAGES["json-api.md"], path


def test_every_outcome_and_status():
    for literal in (events.Outcome, events.TableStatus, events.KeywordsFrom):
        for value in typing.get_args(literal):
            assert f"`{value}`" in PAGES["json-api.md"], value


def test_every_event_and_its_fields():
    page = PAGES["python-api.md"]
    for event in typing.get_args(events.Event):
        assert f"`{event.__name__}`" in page
        for field in dataclasses.fields(event):
            assert f"`{field.name}`" in page or f"`{field.name}:" in page
    for field in dataclasses.fields(events.Source):
        assert f"`{field.name}`" in page


@pytest.fixture(scope="module")
def log():
    with closing(sqlite3.connect(":memory:")) as conn:
        schema.bring_up_to_date(conn)
        yield conn


@pytest.mark.parametrize("table", schema.TABLES)
def test_every_table_and_column_of_the_log(log, table):
    (section,) = re.findall(
        rf"^### `{table}`\n(.*?)(?=^##)", PAGES["log.md"], re.MULTILINE | re.DOTALL
    )
    told = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\|([^|]*)\|", section, re.MULTILINE)))
    assert told == [row[1] for row in log.execute(f"pragma table_info({table})")]


@pytest.mark.parametrize("view", schema.VIEWS)
def test_every_view_of_the_log_and_its_columns(log, view):
    (line,) = re.findall(rf"^- `{view}`: (.*)$", PAGES["log.md"], re.MULTILINE)
    columns = [row[1] for row in log.execute(f"pragma table_info({view})")]
    assert re.findall(r"`(\w+)`", line) == columns


def test_every_setting_of_the_log_and_its_bounds():
    for field in dataclasses.fields(model.LogConfig):
        assert f"| `{field.name}` |" in PAGES["log.md"]
        assert f"`{field.name}`" in PAGES["configuration.md"]
    assert f"| `days` | {model.LogConfig(None).days} |" in PAGES["log.md"]
    for page in ("log.md", "command-line.md"):
        assert f"{writer.MAX_QUESTIONS:,}" in PAGES[page]
    for reason in feedback.REASONS:
        assert f"`{reason}`" in PAGES["log.md"]


def test_every_figure_of_the_log():
    for field in dataclasses.fields(figures.Figures):
        assert f"`{field.name}`" in PAGES["log.md"]


def test_every_measure_and_key_of_questions():
    from datasette_rag.evals import answers, metrics, questions

    for name in (*answers.ANSWER_MEASURES, *(f"{name}@k" for name in metrics.MEASURES)):
        assert f"| `{name}`" in PAGES["evals.md"], name
    for key in questions.KEYS:
        assert f"| `{key}` |" in PAGES["evals.md"], key


def test_every_page_is_linked_from_the_readme_and_every_link_leads_somewhere():
    for name in PAGES:
        assert f"(docs/{name})" in README
    for folder, text in [(TOP, README), *((TOP / "docs", text) for text in PAGES.values())]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", text):
            assert (folder / target).exists(), target


def test_the_example_of_the_python_api_runs(tmp_path):
    """The complete program of the page, on a small database of its name."""
    import subprocess
    import sys

    from .site import fts_table, make_database

    make_database(tmp_path / "demo.db", fts_table("pages", "The warranty is ten years long."))
    program = re.findall(r"```python\n(import asyncio.*?)```", PAGES["python-api.md"], re.DOTALL)[0]
    printed = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert "ten years" in printed
