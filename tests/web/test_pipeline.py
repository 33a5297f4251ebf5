"""The faces on the real core: one question, asked of a real database in every way."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from datasette.app import Datasette

from datasette_rag.web.markdown import render

QUESTION = "What are the late fees?"
PAGES = [
    ("Late fees", "Late fees are 5 EUR a week. They are due at once.", "2024-05-01"),
    ("Opening hours", "The library opens at 8:30 and closes at 16:45.", "2023-01-01"),
    ("Parking", "Parking at the library is free & easy if 2 < 3.", None),
]
SECRETS = [("Guards", "The night guard's late fees are a secret.", None)]


@pytest.fixture
def library(tmp_path: Path) -> Any:
    """Makes a site with an open table of pages and a private one."""
    path = tmp_path / "my.library.db"
    connection = sqlite3.connect(path)
    for table, rows in (("pages", PAGES), ("secrets", SECRETS)):
        connection.execute(
            f"create table {table} (id integer primary key, title text, body text, date text)"
        )
        connection.executemany(f"insert into {table} (title, body, date) values (?, ?, ?)", rows)
        connection.execute(
            f'create virtual table {table}_fts using fts5(title, body, content="{table}")'
        )
        connection.execute(f"insert into {table}_fts({table}_fts) values ('rebuild')")
    connection.commit()
    connection.close()

    def make(**arguments: Any) -> Datasette:
        private = {"secrets": {"allow": {"id": "root"}}}
        key = "config" if hasattr(Datasette, "allowed") else "metadata"
        arguments[key] = {"databases": {"my.library": {"tables": private}}}
        return Datasette([str(path)], **arguments)

    return make


def stream_events(text: str) -> list[tuple[str, Any]]:
    """The events of a stream, comments left out."""
    blocks = [block.split("\n") for block in text.strip().split("\n\n") if block[0] != ":"]
    return [(name.removeprefix("event: "), json.loads(data[6:])) for name, data in blocks]


def lasting(data: dict[str, Any]) -> dict[str, Any]:
    """The reply without what differs each time."""
    return {
        key: value for key, value in data.items() if key not in ("id", "answer_url", "timings_ms")
    }


@pytest.mark.asyncio
async def test_a_reply_leads_to_its_rows(library: Any) -> None:
    datasette = library()
    response = await datasette.client.get("/-/ask.json", params={"question": QUESTION})
    assert response.status_code == 200
    data = response.json()
    assert (data["ok"], data["answered"], data["outcome"]) == (True, True, "answered")
    assert "5 EUR" in data["answer"]
    assert data["answer_html"] == render(
        data["answer"], [source["number"] for source in data["sources"]]
    )
    first = data["sources"][0]
    assert (first["title"], first["pks"], first["cited"]) == ("Late fees", ["1"], True)
    for quote in first["quotes"]:
        assert first["passage"][quote["start"] : quote["end"]] == quote["text"]
    row = await datasette.client.get(first["row_url"])
    assert row.status_code == 200
    assert "Late fees are 5 EUR a week" in row.text
    (table,) = data["tables"]
    assert (table["database"], table["table"], table["status"]) == ("my.library", "pages", "ok")
    query = await datasette.client.get(table["query_url"])
    assert query.status_code == 200
    assert "Late fees are 5 EUR a week" in query.text


@pytest.mark.asyncio
async def test_all_faces_tell_the_same(library: Any) -> None:
    client = library().client
    got = await client.get("/-/ask.json", params={"question": QUESTION})
    posted = await client.post("/-/ask.json", json={"question": QUESTION})
    streamed = await client.post("/-/ask/stream", data={"question": QUESTION})
    page = await client.get("/-/ask", params={"question": QUESTION})
    events = stream_events(streamed.text)
    names = [name for name, _ in events]
    assert names[:2] == ["keywords", "sources"]
    assert names[-1] == "done"
    assert set(names[2:-1]) <= {"delta", "citation", "check"}
    expected = lasting(got.json())
    assert lasting(posted.json()) == expected
    assert lasting(events[-1][1]) == expected
    assert expected["answer_html"].strip() in page.text
    deltas = [data for name, data in events if name == "delta"]
    assert "".join(delta["text"] for delta in deltas) == expected["answer"]


@pytest.mark.asyncio
async def test_a_page_on_real_rows(library: Any, open_page: Any) -> None:
    page = await open_page(library(), "/-/ask?question=Is+parking+free%3F")
    assert page.says("Parking at the library is free & easy if 2 < 3.")
    assert page.one("li", id="source-1")
    assert page.all("a", **{"class": "rag-citation"})
    assert page.says("This answer is made of sentences taken from the sources")


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/my~2Elibrary/-/ask", "/my~2Elibrary/pages/-/ask"])
async def test_narrower_pages(library: Any, open_page: Any, path: str) -> None:
    datasette = library()
    assert (await open_page(datasette, path)).one("form")["action"] == path
    page = await open_page(datasette, f"{path}?question=When+does+the+library+open%3F")
    assert page.says("The library opens at 8:30")


@pytest.mark.asyncio
@pytest.mark.parametrize("suffix", ["", ".json", "/stream"])
@pytest.mark.parametrize("place", ["nowhere", "my~2Elibrary/nothing", "my~2Elibrary/secrets"])
async def test_unknown_and_private_places_look_alike(library: Any, place: str, suffix: str) -> None:
    # Case F9-04.
    client = library().client
    path = f"/{place}/-/ask{suffix}"
    asked = {"question": QUESTION}
    response = await (
        client.post(path, data=asked) if suffix == "/stream" else client.get(path, params=asked)
    )
    assert response.status_code == 404
    assert "There is no such database or table" in response.text
    assert "secrets" not in response.text
    if suffix:
        assert response.json()["status"] == 404


@pytest.mark.asyncio
@pytest.mark.parametrize("table", ["my~2Elibrary/secrets", "my~2Elibrary/none", "none/pages"])
async def test_a_request_narrowed_to_what_may_not_be_seen(library: Any, table: str) -> None:
    response = await library().client.get(
        "/-/ask.json", params={"question": QUESTION, "table": table}
    )
    assert response.status_code == 404


@pytest.mark.asyncio
async def test_errors_in_the_question(library: Any) -> None:
    client = library().client
    for params in ({}, {"question": " "}, {"question": "x" * 50_000}):
        response = await client.get("/-/ask.json", params=params)
        assert response.status_code == 400
        assert response.json()["errors"] == [response.json()["error"]]
    page = await client.get("/-/ask", params={"question": "long " * 1000})
    assert page.status_code == 400
    assert "too long" in page.text


@pytest.mark.asyncio
async def test_base_url(library: Any) -> None:
    # Case F4-01.
    client = library(settings={"base_url": "/data/"}).client
    data = (await client.get("/-/ask.json", params={"question": QUESTION})).json()
    addresses = [source["row_url"] for source in data["sources"]]
    addresses += [table["query_url"] for table in data["tables"]]
    assert addresses
    for address in addresses:
        assert address.startswith("/data/my~2Elibrary/")


@pytest.mark.asyncio
async def test_nothing_found(library: Any, open_page: Any) -> None:
    datasette = library()
    response = await datasette.client.get("/-/ask.json?question=xylophone")
    assert response.status_code == 200
    assert response.json()["outcome"] == "nothing_found"
    page = await open_page(datasette, "/-/ask?question=xylophone")
    assert page.says("Nothing was found that answers this question.")


@pytest.mark.asyncio
async def test_search_alone(library: Any) -> None:
    response = await library().client.get(
        "/-/ask.json", params={"question": QUESTION, "answer": "off"}
    )
    data = response.json()
    assert (data["ok"], data["outcome"], data["answer"]) == (True, None, "")
    assert data["sources"]


@pytest.mark.asyncio
async def test_given_keywords_are_searched_instead(library: Any) -> None:
    response = await library().client.get(
        "/-/ask.json", params={"question": "How do I get there?", "keyword": "parking"}
    )
    data = response.json()
    assert (data["keywords"], data["keywords_from"]) == (["parking"], "asker")
    assert data["sources"][0]["title"] == "Parking"
