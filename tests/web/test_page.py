"""The page: its form, what it shows of a reply, and that nothing shown is dangerous."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from datasette_rag.events import Check, Failed, ModelError, Quote, SearchedTable, Usage

ASKED = "/-/ask?question=What+are+late+fees%3F"
CLAUDE = {"answerer": "claude"}


@pytest.mark.asyncio
async def test_the_form(site: Any, core: Any, open_page: Any) -> None:
    page = await open_page(site({"max_question_chars": 77}), "/-/ask")
    form = page.one("form")
    assert (form["method"], form["action"]) == ("get", "/-/ask")
    box = page.one("input", name="question")
    assert (box["value"], box["maxlength"]) == ("", "77")
    assert page.one("label")["for"] == box["id"]
    assert "autofocus" in box
    assert "noindex" not in page.html
    assert core.calls == []


@pytest.mark.asyncio
async def test_examples(site: Any, core: Any, open_page: Any) -> None:
    datasette = site({"examples": ("What's a & b?", "<b>")}, settings={"base_url": "/data/"})
    page = await open_page(datasette, "/docs/-/ask")
    links = page.all("a", dir="auto")
    assert [link["href"] for link in links] == [
        "/data/docs/-/ask?question=What%27s+a+%26+b%3F",
        "/data/docs/-/ask?question=%3Cb%3E",
    ]
    assert page.says("What's a & b?")
    assert "For example" not in (await open_page(datasette)).main
    assert "For example" not in (await open_page(site(), "/-/ask")).main


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("/-/ask", "Ask a question"),
        ("/docs/-/ask", "Ask docs"),
        ("/docs/pages/-/ask", "Ask pages"),
        ("/kb~2Ev2~20final/-/ask", "Ask kb.v2 final"),
    ],
)
async def test_headings(site: Any, core: Any, open_page: Any, path: str, heading: str) -> None:
    page = await open_page(site(), path)
    assert page.says(heading)
    assert f"<h1>{heading}</h1>" in page.main


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/nowhere/-/ask", "/nowhere/pages/-/ask"])
async def test_an_unknown_place(site: Any, core: Any, open_page: Any, path: str) -> None:
    page = await open_page(site(), path, 404)
    assert page.says("There is no such database or table")
    assert page.one("form")["action"] == "/-/ask"
    assert "nowhere" not in page.main


@pytest.mark.asyncio
async def test_a_place_that_this_actor_may_not_see_looks_unknown(
    site: Any, core: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refusal(*_: Any, **__: Any) -> Failed:
        return Failed(404, "There is no such database or table")

    monkeypatch.setattr("datasette_rag.permissions.refusal", refusal)
    page = await open_page(site(), "/docs/pages/-/ask", 404)
    assert "pages" not in page.html
    assert page.one("form")["action"] == "/-/ask"


@pytest.mark.asyncio
async def test_an_answer(site: Any, core: Any, open_page: Any) -> None:
    page = await open_page(site())
    assert page.one("input", name="question")["value"] == "What are late fees?"
    assert page.one("a", **{"class": "rag-citation"})["href"] == "#source-1"
    assert "<strong>5 EUR</strong>" in page.main
    assert page.says("This answer is made of sentences taken from the sources")
    assert page.says("Checked: every citation has a source")
    assert '<meta name="robots" content="noindex">' in page.html
    assert re.search(r"<title>\s*What are late fees\? – Ask\s*</title>", page.html)
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


@pytest.mark.asyncio
async def test_sources(site: Any, core: Any, open_page: Any, samples: Any) -> None:
    page = await open_page(site())
    cards = page.all("li", id="source-1") + page.all("li", id="source-2")
    assert [card["class"] for card in cards] == ["rag-source rag-cited", "rag-source"]
    assert page.one("a", href="/docs/pages/7")
    assert page.says("Fees & <b>fines</b>")
    assert page.says("Money > Fees")
    assert page.says("docs / pages · 2024-05-01 ·")
    original = page.one("a", href="https://a.example/fees")
    assert original["rel"] == "nofollow noopener noreferrer"
    # The second source has no title, no row address and an address that is none.
    assert page.says("[2] 8")
    assert "javascript:" not in page.main


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("heading", "trail"),
    [
        ("Guide > Fees", "Fees"),
        ("Fees > Guide > Late", "Fees > Guide > Late"),
        ("Guide", None),
        ("", None),
    ],
)
async def test_a_trail_does_not_repeat_the_title(
    site: Any, core: Any, samples: Any, open_page: Any, heading: str, trail: str | None
) -> None:
    source = replace(samples.first, title="Guide", heading=heading)
    core.events = samples.events(samples.reply(sources=(source,)))
    page = await open_page(site())
    trails = re.findall(r'<p class="rag-trail" dir="auto">(.*?)</p>', page.main)
    assert [unescape(found) for found in trails] == ([] if trail is None else [trail])


@pytest.mark.asyncio
async def test_a_passage_is_text_with_our_marks_alone(
    site: Any, core: Any, open_page: Any, samples: Any
) -> None:
    # Case F6-04, and F6-05: a row that brings marks of its own.
    passage = "</mark><mark>" + samples.passage + "</div><script>boom()</script>\x02"
    start = passage.index(samples.quoted)
    quote = Quote(samples.quoted, start, start + len(samples.quoted))
    source = replace(samples.first, passage=passage, quotes=(quote,))
    core.events = samples.events(samples.reply(sources=(source,)))
    page = await open_page(site())
    (shown,) = re.findall(r'<div class="rag-passage" dir="auto">(.*?)</div>', page.main, re.S)
    assert re.findall(r"<[^>]*>", shown) == ["<mark>", "</mark>"]
    assert f"<mark>{samples.quoted}</mark>" in shown
    assert unescape(re.sub(r"</?mark>", "", shown)) == unescape(passage)


@pytest.mark.asyncio
async def test_the_question_is_shown_escaped(
    site: Any, core: Any, open_page: Any, samples: Any
) -> None:
    # Case F1-02.
    question = """What's the "late fee on O'Brien's plan? "><script>boom()</script>"""
    core.events = samples.events(samples.reply(question=question))
    page = await open_page(site(), "/-/ask", params={"question": question})
    assert page.one("input", name="question")["value"] == question
    assert "<script>boom" not in page.html
    assert core.call["question"] == question


@pytest.mark.asyncio
async def test_control_characters_are_shown_as_spaces(site: Any, core: Any, open_page: Any) -> None:
    page = await open_page(site(), "/-/ask?question=a%00b%1Bc")
    assert page.one("input", name="question")["value"] == "a b c"


@pytest.mark.asyncio
async def test_text_that_no_encoding_can_carry(
    site: Any, core: Any, open_page: Any, samples: Any
) -> None:
    source = replace(samples.first, title="a\ud800b", passage="c\udfffd", quotes=())
    core.events = samples.events(samples.reply(sources=(source,), answer="e\ud800f [1]"))
    page = await open_page(site())
    assert page.says("a?b")
    assert page.says("c?d")


@pytest.mark.asyncio
async def test_how_it_was_searched(site: Any, core: Any, open_page: Any, samples: Any) -> None:
    page = await open_page(site())
    assert page.says('"late" OR "fees"')
    assert page.one("a", href="/docs/ask_pages?search=fees")
    assert page.says("pages in docs: 2 rows")
    assert page.says("old in docs: Rebuild the index of old.")
    assert page.one("a", href="/-/ask.json?question=What+are+late+fees%3F")
    assert '<link rel="alternate"' in page.html


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("timed_out", "took too long"),
        ("error", "failed"),
        ("out_of_date", "does not match the table"),
        ("wrong_script", "this script"),
    ],
)
async def test_the_status_of_a_table_in_words(
    site: Any, core: Any, open_page: Any, samples: Any, status: Any, words: str
) -> None:
    table = SearchedTable("docs", "pages", status, 0, "/docs/ask_pages")
    core.events = samples.events(samples.reply(tables=(table,)))
    page = await open_page(site())
    assert words in page.text


@pytest.mark.asyncio
async def test_checks_that_found_something(
    site: Any, core: Any, open_page: Any, samples: Any
) -> None:
    checks = (Check("citations", True, "all is well"), Check("numbers", False, "<5> is not in [1]"))
    core.events = samples.events(samples.reply(checks=checks))
    page = await open_page(site())
    assert page.says("Read this answer with care")
    assert page.says("<5> is not in [1]")
    assert not page.says("all is well")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"outcome": "nothing_found", "sources": ()}, "Ask our desk."),
        ({"outcome": "nothing_found", "answer": "Ask them."}, "Ask them."),
        ({"outcome": "unknown", "answer": ""}, "Ask our desk."),
        ({"outcome": "unknown", "answer": "I do not know."}, "I do not know."),
        ({"outcome": "nothing_searchable", "sources": ()}, "nothing here that can be searched"),
        ({"outcome": "refused"}, "declined"),
        ({"outcome": "failed", "error": ModelError("overloaded", "Too busy", 7.2)}, "Too busy"),
        ({"outcome": "failed", "error": ModelError("overloaded", "Too busy", 7.2)}, "8 seconds"),
    ],
)
async def test_no_answer(
    site: Any, core: Any, open_page: Any, samples: Any, changes: Any, words: str
) -> None:
    finished = samples.reply(**{"answer": "", "checks": (), **changes})
    core.events = samples.events(finished)
    page = await open_page(site({"no_answer": "Ask our desk."}))
    assert page.says("No answer")
    assert page.says(words)
    assert not page.says("This answer is made of")
    # The sources stay.
    assert len(page.all("li", id="source-1")) == len(finished.sources[:1])


@pytest.mark.asyncio
async def test_an_answer_that_was_cut_off(
    site: Any, core: Any, open_page: Any, samples: Any
) -> None:
    core.events = samples.events(samples.reply(outcome="cut_off"))
    assert (await open_page(site())).says("The answer was cut off here.")


@pytest.mark.asyncio
async def test_an_answer_by_a_model(site: Any, core: Any, open_page: Any, samples: Any) -> None:
    models = {"keywords": None, "answer": "claude-x"}
    core.events = samples.events(
        samples.reply(answerer="claude", models=models, usage=Usage(10, 20, 0.0123))
    )
    page = await open_page(site(CLAUDE))
    assert page.says("Written by claude-x from the sources below.")
    assert page.says("Cost $0.0123 (10 + 20 tokens).")
    assert not page.says("made of sentences")
    assert not page.says("Answer with Claude")


@pytest.mark.asyncio
async def test_limited(site: Any, core: Any, parse_page: Any, samples: Any) -> None:
    error = ModelError("limited", "Too many questions", 60.0)
    core.events = samples.events(
        samples.reply(outcome="limited", answer="", error=error, checks=())
    )
    response = await site().client.get(ASKED)
    assert response.status_code == 429
    assert response.headers["retry-after"] == "60"
    assert parse_page(response.text).says("Too many questions Try again in 60 seconds.")


@pytest.mark.asyncio
async def test_a_search_alone(site: Any, core: Any, open_page: Any, samples: Any) -> None:
    core.events = samples.events(samples.reply(outcome=None, answer="", answerer=None, checks=()))
    page = await open_page(site(CLAUDE), f"{ASKED}&answer=off")
    assert not page.says("Answer")
    assert page.says("Sources")
    assert page.one("input", name="answer")["value"] == "off"


@pytest.mark.asyncio
async def test_what_the_next_question_keeps(site: Any, core: Any, open_page: Any) -> None:
    page = await open_page(site(), f"{ASKED}&table=kb~2Ev2~20final/faq~2Fa~25b&keyword=x")
    assert page.one("input", name="table")["value"] == "kb~2Ev2+final/faq~2Fa~25b"
    assert page.all("input", name="keyword") == []
    assert page.says("Searching only faq/a%b in kb.v2 final.")
    assert page.one("a", href=f"{ASKED}&keyword=x")
    assert page.one(
        "a",
        href="/-/ask.json?question=What+are+late+fees%3F&keyword=x"
        "&table=kb~2Ev2%2Bfinal%2Ffaq~2Fa~25b",
    )
