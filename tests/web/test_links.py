"""The addresses of the ask pages."""

from __future__ import annotations

from typing import Any

import pytest

from datasette_rag.web.links import ask_path, on_the_web, with_query


@pytest.mark.parametrize("base_url", ["/", "/data/"])
@pytest.mark.parametrize(
    ("where", "path"),
    [
        ((), "-/ask"),
        ((None, None, "json"), "-/ask.json"),
        (("docs",), "docs/-/ask"),
        (("docs", "pages", "stream"), "docs/pages/-/ask/stream"),
        (("kb.v2 final", "faq/a%b", "json"), "kb~2Ev2+final/faq~2Fa~25b/-/ask.json"),
    ],
)
def test_ask_path(site: Any, base_url: str, where: tuple[Any, ...], path: str) -> None:
    assert ask_path(site(settings={"base_url": base_url}), *where) == base_url + path


def test_a_database_goes_by_its_route(site: Any) -> None:
    datasette = site()
    datasette.databases["docs"].route = "my.docs"
    assert ask_path(datasette, "docs", "pages") == "/my~2Edocs/pages/-/ask"


def test_an_unknown_database_is_an_error(site: Any) -> None:
    with pytest.raises(KeyError):
        ask_path(site(), "nowhere")


def test_with_query() -> None:
    assert with_query("/-/ask", []) == "/-/ask"
    assert with_query("/-/ask", [("question", "a&b=c d")]) == "/-/ask?question=a%26b%3Dc+d"


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://a.example/b", True),
        ("HTTP://a.example", True),
        (" https://a.example ", True),
        ("javascript:boom()", False),
        ("//a.example", False),
        ("/docs", False),
        ("https://", False),
        ("https:///a", False),
        ("", False),
        (None, False),
    ],
)
def test_on_the_web(url: str | None, kept: bool) -> None:
    assert on_the_web(url) == (url.strip() if url and kept else None)
