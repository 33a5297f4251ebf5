"""The button to ask Claude, which works without script."""

from __future__ import annotations

from typing import Any

import pytest

ASKED = "/-/ask?question=What+are+late+fees%3F"
CLAUDE = {"answerer": "claude"}


@pytest.mark.asyncio
async def test_the_button_to_ask_claude(site: Any, core: Any, open_page: Any) -> None:
    datasette = site(CLAUDE)
    page = await open_page(datasette, f"{ASKED}&keyword=x&table=docs/pages")
    form = page.one("form", method="post")
    assert form["action"] == "/-/ask"
    assert page.says("Answer with Claude")
    assert page.says("This sends your question and passages of the sources to Anthropic's API.")
    after = [(tag, attributes) for tag, attributes in page.tags if tag in ("form", "input")]
    start = after.index(("form", form))
    fields = [
        (field["name"], field["value"])
        for tag, field in after[start:]
        if tag == "input" and field["name"] != "csrftoken"
    ]
    assert fields == [
        ("question", "What are late fees?"),
        ("keyword", "x"),
        ("table", "docs/pages"),
    ]
    assert core.call["answerer"] == "extractive"


@pytest.mark.asyncio
async def test_the_button_works_without_script(site: Any, core: Any, parse_page: Any) -> None:
    # Case F4-08: with the cookies that a browser has by then, on both lines.
    datasette = site(CLAUDE)
    response = await datasette.client.get(ASKED)
    page = parse_page(response.text)
    tokens = page.all("input", name="csrftoken")
    data = {"question": "a"} | {token["name"]: token["value"] for token in tokens}
    cookies = "; ".join(f"{name}={value}" for name, value in response.cookies.items())
    headers = {"cookie": cookies or "other=1", "sec-fetch-site": "same-origin"}
    posted = await datasette.client.post("/-/ask", data=data, headers=headers)
    assert posted.status_code == 200
    assert core.calls[-1]["answerer"] is None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("plugin", "changes"),
    [
        ({}, {}),
        (CLAUDE, {"outcome": "nothing_found", "sources": (), "answer": ""}),
        (CLAUDE, {"outcome": None, "answer": ""}),
    ],
)
async def test_no_button_where_there_is_nothing_to_ask_claude(
    site: Any, core: Any, samples: Any, plugin: Any, changes: Any
) -> None:
    core.events = samples.events(samples.reply(**changes))
    response = await site(plugin).client.get(ASKED)
    assert "Answer with Claude" not in response.text
    # Nor a cookie, which would keep every cache from keeping the page.
    assert "set-cookie" not in response.headers
