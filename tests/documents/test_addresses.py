"""Addresses of documents and of their sections."""

from __future__ import annotations

import pytest

from datasette_rag.documents.addresses import Addresses, section
from datasette_rag.documents.errors import DocumentsError


@pytest.mark.parametrize(
    "template, path, expected",
    [
        (None, "a.md", None),
        ("", "a.md", None),
        ("https://x.example", "guide/a.md", "https://x.example/guide/a.md"),
        ("https://x.example/docs/", "guide/a.md", "https://x.example/docs/guide/a.md"),
        ("https://x.example/?file=", "a/b.md", "https://x.example/?file=a/b.md"),
        ("https://x.example/{page}/", "guide/a.md", "https://x.example/guide/a/"),
        ("https://x.example/{page}/", "guide/index.md", "https://x.example/guide/"),
        ("https://x.example/{page}/", "README.md", "https://x.example/"),
        ("https://x.example/{page}", "index.md", "https://x.example/"),
        ("https://x.example/{page}", "guide/index.md", "https://x.example/guide/"),
        ("https://x.example/{page}?a=b", "guide/README.md", "https://x.example/guide/?a=b"),
        ("https://x.example/{page}.html", "guide/index.md", "https://x.example/guide/index.html"),
        ("https://x.example/{page}/", "{page}/index.md", "https://x.example/%7Bpage%7D/"),
        ("https://x.example/{page}.html", "v1.2/notes.md", "https://x.example/v1.2/notes.html"),
        ("https://x.example/{path}?plain=1", "a.md", "https://x.example/a.md?plain=1"),
        ("https://x.example", "50% & größe?#.md"
         , "https://x.example/50%25%20%26%20gr%C3%B6%C3%9Fe%3F%23.md"),
        ("https://x.example/{page}", "{path}.md", "https://x.example/%7Bpath%7D"),
    ],
)  # fmt: skip
def test_addresses_of_documents(template, path, expected):
    assert Addresses.parsed(template).of(path, None) == expected


@pytest.mark.parametrize(
    "template, own, expected",
    [
        (None, "https://y.example/a", "https://y.example/a"),
        ("https://x.example", "https://y.example/a", "https://y.example/a"),
        ("https://x.example/docs/{page}/", "/start/", "https://x.example/docs/start/"),
        ("https://x.example", "start", "https://x.example/start"),
        (None, "/start/", None),
        (None, "javascript:alert(1)", None),
        ("https://x.example", "javascript:alert(1)", "https://x.example/a.md"),
        ("https://x.example", "//y.example/a", "https://x.example/a.md"),
        ("https://x.example", " ", "https://x.example/a.md"),
    ],
)
def test_what_a_document_says_of_itself_counts_more(template, own, expected):
    assert Addresses.parsed(template).of("a.md", own) == expected


@pytest.mark.parametrize("template", ["x.example", "ftp://x.example", "/docs/{path}", "https://"])
def test_what_is_no_address(template):
    with pytest.raises(DocumentsError, match="begins with https:// or http://"):
        Addresses.parsed(template)


@pytest.mark.parametrize("name", ["stem", "", "Path"])
def test_other_placeholders(name):
    with pytest.raises(DocumentsError, match=f"there is no {{{name}}}. {{path}} stands"):
        Addresses.parsed(f"https://x.example/{{{name}}}")


@pytest.mark.parametrize(
    "url, anchor, expected",
    [
        ("https://x.example/a", "setup-1", "https://x.example/a#setup-1"),
        ("https://x.example/a", "größe", "https://x.example/a#gr%C3%B6%C3%9Fe"),
        ("https://x.example/a", "", "https://x.example/a"),
        ("https://x.example/a#b", "c", "https://x.example/a#b"),
        (None, "c", None),
    ],
)
def test_addresses_of_sections(url, anchor, expected):
    assert section(url, anchor) == expected
