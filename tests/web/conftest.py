"""A small site, and a stand-in for the core that yields given events and notes how it was asked."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from datasette.app import Datasette

from datasette_rag import compat
from datasette_rag.config import Config
from datasette_rag.events import (
    AnswerDelta,
    Check,
    Citation,
    Done,
    Event,
    Keywords,
    Quote,
    Reply,
    SearchedTable,
    Source,
    Sources,
)
from datasette_rag.web import asking

ASKED = "/-/ask?question=What+are+late+fees%3F"
PASSAGE = "Fees <img src=x onerror=boom()> & 2 < 3 fees.\n  Late fees are 5 EUR."
QUOTED = "Late fees are 5 EUR."
START = PASSAGE.index(QUOTED)

FIRST = Source(
    number=1,
    database="docs",
    table="pages",
    pks=("7",),
    title="Fees & <b>fines</b>",
    heading="Money > Fees",
    date="2024-05-01",
    passage=PASSAGE,
    score=0.5,
    url="https://a.example/fees",
    row_url="/docs/pages/7",
    cited=True,
    quotes=(Quote(QUOTED, START, START + len(QUOTED)),),
)
SECOND = Source(
    number=2,
    database="docs",
    table="pages",
    pks=("8",),
    title="",
    heading="",
    date=None,
    passage="Nothing of note.",
    score=0.25,
    url="javascript:boom()",
    row_url=None,
)
TABLES = (
    SearchedTable("docs", "pages", "ok", 2, "/docs/ask_pages?search=fees"),
    SearchedTable("docs", "old", "out_of_date", 0, None, "Rebuild the index of old."),
)
CHECK = Check("citations", True, "every citation has a source")


def reply(**changes: Any) -> Reply:
    """A reply with an answer, or another one."""
    values: dict[str, Any] = {
        "id": "abc",
        "question": "What are late fees?",
        "keywords": ("late", "fees"),
        "keywords_from": "question",
        "match": '"late" OR "fees"',
        "outcome": "answered",
        "answer": "Late fees are **5 EUR** [1].",
        "answerer": "extractive",
        "stop_reason": None,
        "error": None,
        "sources": (FIRST, SECOND),
        "checks": (CHECK,),
        "tables": TABLES,
        "timings_ms": {"keywords": 1.0, "search": 2.0, "answer": 3.0, "total": 6.0},
    }
    return Reply(**{**values, **changes})


def events(finished: Reply) -> list[Event]:
    """The events that end in this reply."""
    half = len(finished.answer) // 2
    return [
        Keywords(finished.keywords, finished.keywords_from, finished.match),
        Sources(finished.sources, finished.tables),
        AnswerDelta(finished.answer[:half]),
        AnswerDelta(finished.answer[half:]),
        Citation(1, QUOTED, START, START + len(QUOTED)),
        *finished.checks,
        Done(finished),
    ]


class Core:
    """Stands for `ask.py`: yields `events`, and notes the arguments of each call."""

    def __init__(self) -> None:
        self.events: Iterable[Event | Exception] = events(reply())
        self.calls: list[dict[str, Any]] = []

    async def ask(
        self, datasette: Datasette, question: str, **arguments: Any
    ) -> AsyncIterator[Event]:
        self.calls.append({"question": question, **arguments})
        for event in self.events:
            if isinstance(event, Exception):
                raise event
            yield event

    @property
    def call(self) -> dict[str, Any]:
        """The one call that there was."""
        (call,) = self.calls
        return call


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Core:
    """The stand-in, in the place of the real core."""
    core = Core()
    monkeypatch.setattr(asking, "ask", core.ask)
    return core


SiteMaker = Callable[..., Datasette]


@pytest.fixture
def site(tmp_path: Path) -> SiteMaker:
    """Makes a Datasette with the databases `docs` and `kb.v2 final`.

    Takes values of the plugin's configuration as `plugin`, and Datasette's own arguments.
    """
    files = []
    for name, table in (("docs", "pages"), ("kb.v2 final", "faq/a%b")):
        path = tmp_path / f"{name}.db"
        connection = sqlite3.connect(path)
        connection.execute(f'create table "{table}" (id integer primary key, body text)')
        connection.execute(f"insert into \"{table}\" values (7, 'Late fees are 5 EUR.')")
        connection.commit()
        connection.close()
        files.append(str(path))

    def make(plugin: dict[str, Any] | None = None, **arguments: Any) -> Datasette:
        datasette = Datasette(files, **arguments)
        # In the place of what the plugin would read, so that an answerer can be set that
        # needs a key or is not there yet.
        compat.state(datasette, "config", lambda: Config(**(plugin or {})))
        return datasette

    return make


@pytest.fixture
def samples() -> SimpleNamespace:
    """Sources, a reply, and the events that end in it, for tests to look at and to change."""
    return SimpleNamespace(
        passage=PASSAGE,
        quoted=QUOTED,
        start=START,
        first=FIRST,
        second=SECOND,
        tables=TABLES,
        reply=reply,
        events=events,
    )


class Page(HTMLParser):
    """The page's own part, between <main> and </main>: its tags, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.main = html[html.index("<main") : html.index("</main>")]
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(self.main)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        """The attributes of all such elements."""
        return [
            found
            for name, found in self.tags
            if name == tag and attributes.items() <= found.items()
        ]

    def one(self, tag: str, **attributes: str) -> dict[str, str | None]:
        """The attributes of the one such element."""
        (found,) = self.all(tag, **attributes)
        return found

    def says(self, text: str) -> bool:
        """Whether this stands on the page, however the white space falls."""
        return " ".join(text.split()) in " ".join(self.text.split())


@pytest.fixture
def parse_page() -> type[Page]:
    """Reads a page's HTML."""
    return Page


@pytest.fixture
def open_page() -> Callable[..., Awaitable[Page]]:
    """Opens a page, by default one with a question, and expects this status."""

    async def open_page(
        datasette: Any, path: str = ASKED, status: int = 200, **arguments: Any
    ) -> Page:
        response = await datasette.client.get(path, **arguments)
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        return Page(response.text)

    return open_page
