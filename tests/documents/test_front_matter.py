"""Front matter: taken off the text, and what it says used."""

from __future__ import annotations

import time

import pytest

from datasette_rag.documents.formats import front_matter
from datasette_rag.documents.formats.front_matter import as_date, as_language, as_url
from datasette_rag.documents.formats.markdown import read


@pytest.mark.parametrize(
    "content, title, text",
    [
        # F8-04
        ("\ufeff---\ntitle: A\n---\nx", "A", "x"),
        ("---\r\ntitle: B\r\n---\r\n# H\r\ntext", "B", "# H\ntext"),
        ("---\ntitle: C\n---", "C", ""),
        ("---\nTitle: 'D'\ntags: [a]\n...\nx", "D", "x"),
        ("\n\n---\ntitle: 2024\n---  \nx", "2024", "x"),
        ("---\ntitle: >\n  Two\n  lines\n---\nx", "Two lines", "x"),
        ("---\n---\n# H\n", "H", "# H\n"),
        ("---\ntitle:\n---\n# H\n", "H", "# H\n"),
        ("---\ntitle: [a, b]\n---\n# H\n", "H", "# H\n"),
        # What was meant to be YAML.
        ("---\ntitle: Errors: a guide\ntags: @all\n---\nx", "Errors: a guide", "x"),
        ("---\ntitle: \"Half\ndate: 2024-01-02\n---\nx", "Half", "x"),
        ("---\ndate: 2024-13-45\ntitle: E\n---\nx", "E", "x"),
        # No front matter: rules, and text between them.
        ("---\n\n# H\n\n---\nx", "H", "---\n\n# H\n\n---\nx"),
        ("---\nSome text: here\nand [there\n---\nx", "Some text: here and [there", None),
        ("text\n---\ntitle: A\n---\n", "text", "text\n---\ntitle: A\n---\n"),
        ("---\ntitle: A\n", None, "---\ntitle: A\n"),
        ("----\ntitle: A\n----\n", "title: A", "----\ntitle: A\n----\n"),
    ],
)  # fmt: skip
def test_front_matter_is_taken_off(content, title, text):
    found = read(content.encode())
    assert (found.title, found.text) == (title, content if text is None else text)


def test_what_it_says():
    found = read(
        b"---\ntitle: T\ndate: 2024-05-06\nurl: /guide/\nlang: pt_BR\nextra: {a: [1]}\n---\n# H\n"
    )
    assert (found.date, found.url, found.language) == ("2024-05-06", "/guide/", "pt-BR")
    found = read(
        b"---\nlastmod: 2024-05-06T07:08:09Z\npermalink: https://a.b/c\nlanguage: en\n---\n"
    )
    assert (found.date, found.url, found.language) == (
        "2024-05-06T07:08:09+00:00",
        "https://a.b/c",
        "en",
    )
    found = read(b"---\ndate: soon\nurl: javascript:x\npermalink: /ok\nlang: the one\n---\nx")
    assert (found.date, found.url, found.language) == (None, "/ok", None)


@pytest.mark.parametrize(
    "value, expected",
    [
        ("2024-05-06", "2024-05-06"),
        ("2024-05-06T07:08:09+02:00", "2024-05-06T07:08:09+02:00"),
        ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z"),
        ("2024-05-06 and more", "2024-05-06"),
        ("6 May 2024", None),
        ("", None),
        (None, None),
        (["2024-05-06"], None),
    ],
)
def test_dates(value, expected):
    assert as_date(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        "",
        "javascript:alert(1)",
        "//evil.example",
        "/\\evil",
        "guide",
        "/:year/{slug}",
        "/a b",
        "x:/",
    ],
)
def test_addresses_that_are_none(value):
    assert as_url(value) is None


def test_languages():
    assert [as_language(value) for value in ("en", "zh_Hans_CN", "english", "")] == [
        "en", "zh-Hans-CN", None, None,
    ]  # fmt: skip


def test_front_matter_that_is_made_to_exhaust():
    bomb = "a: &a [x, x]\n" + "".join(
        f"{name}: &{name} [*{before}, *{before}]\n"
        for before, name in zip("abcdefghij", "bcdefghijk")
    )
    start = time.process_time()
    for block in (bomb * 3, "title: x\n" * 200_000, "[" * 20_000, "? " * 5_000):
        front_matter.split(f"---\n{block}---\ntext")
    assert time.process_time() - start < 4
