"""A web page: its content without what is around it, and what it says of itself."""

from __future__ import annotations

import pytest

from datasette_rag.text.html_page import Page, declared_charset, read_page


@pytest.mark.parametrize(
    "html, markdown",
    [
        (
            "<header><h1>Site</h1></header><nav>Menu</nav><main><header><h1>T</h1></header>"
            "<p>Text</p><nav>On this page</nav><footer>x</footer></main><footer>Imprint</footer>",
            "# T\n\nText",
        ),
        ("<div role=main>Content</div><div role=navigation>Menu</div>", "Content"),
        ("<article><h2>One</h2></article><aside>Ads</aside>", "## One"),
        ("<article>A</article><article>B</article><aside>Ads</aside>", "A\nB"),
        ("<header>Site <b>name</b></header><div class='sidebar left'>x</div><p>Text</p>", "Text"),
        ("<header><h1>The page</h1></header><p>Text</p>", "# The page\n\nText"),
        ("<main> </main><p>Filled in by a script</p>", "Filled in by a script"),
        ("<nav><button>Menu</button><nav>x</nav></nav><p>Text <button>Copy</button></p>", "Text"),
        ("<body hidden><p>Text</p></body>", "Text"),
        ("Just text", "Just text"),
        ("", ""),
    ],
)
def test_main_content(html, markdown):
    assert read_page(html).markdown == markdown


def test_what_a_page_says_of_itself():
    page = read_page(
        "<html lang=de><head><title> Der\n Titel </title><link rel=canonical href='https://a.b/c'>"
        "<meta property='article:published_time' content='2024-05-06T07:08:09Z'></head>x"
    )
    assert page == Page("x", "Der Titel", "de", "https://a.b/c", "2024-05-06T07:08:09Z")
    assert read_page("<title></title><html lang=''>x") == Page("x")


def test_a_page_nested_absurdly_deep():
    assert read_page("<div>" * 100_000 + "deep") == Page("deep")


@pytest.mark.parametrize(
    "head, charset",
    [
        ("<meta charset=koi8-r>", "koi8-r"),
        (
            '<META http-equiv="Content-Type" content="text/html; charset=Windows-1251">',
            "windows-1251",
        ),
        ("<meta name=description content='charset=x'>", None),
        ("<!-- <meta charset=x> -->", None),
    ],
)
def test_declared_charset(head, charset):
    assert declared_charset(head) == charset
