"""A piece of a source as Markdown that can stand in an answer."""

from __future__ import annotations

import pytest

from datasette_rag.answerers.pieces import Piece, pieces
from datasette_rag.answerers.wording import worded

from .sources import source


def prose(text):
    return worded(Piece(source(text), 0, len(text), "prose", ""))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("It is **red** and `x`.", "It is **red** and `x`."),
        ("Two\nlines  here", "Two lines here"),
        ("as shown [1] and [2, 3]", "as shown \\[1] and \\[2, 3]"),
        ("as shown \\[1\\]", "as shown \\[1\\]"),
        ("see 【2】", "see \\[2】"),
        ("the array `x[1]` here", "the array `x[1]` here"),
        ("see [prices](../prices.md) now", "see prices now"),
        ("see [prices](https://example.com/a) now", "see [prices](https://example.com/a) now"),
        ("see [prices][p] now", "see prices now"),
        ("an ![icon](i.png) icon", "an icon icon"),
        ("# not a heading", "\\# not a heading"),
        ("- not an item", "\\- not an item"),
        ("> no quotation", "\\> no quotation"),
        ("1985. was a year", "1985\\. was a year"),
        ("1985 was a year", "1985 was a year"),
        ("#1684 is open", "#1684 is open"),
        ("half **bold", "half bold"),
        ("2 * 3", "2 \\* 3"),
        ("half `code", "half code"),
        ("open ```py", "open py"),
        ("quoted\n> over lines", "quoted over lines"),
        ("Text.\n[1]: https://example.com", "Text."),
    ],
)
def test_prose(text, expected):
    assert prose(text) == expected


def rows(passage):
    return [worded(piece) for piece in pieces(source(passage))]


@pytest.mark.parametrize(
    "passage, expected",
    [
        ("| Zone | Price |\n|---|---|\n| A | €4 |", ["Zone: A; Price: €4"]),
        ("| | Price |\n|---|---|\n| A | €4 |", ["A; Price: €4"]),
        ("| Zone | Price |\n|---|---|\n| A | |", ["Zone: A"]),
        ("| A | €4 |", ["A · €4"]),
        ("| Op | Use |\n|---|---|\n| a\\|b | or |", ["Op: a|b; Use: or"]),
    ],
)
def test_table_rows(passage, expected):
    assert rows(passage) == expected


@pytest.mark.parametrize(
    "passage, expected",
    [
        ("```sh\nls -l\n```", "```sh\nls -l\n```"),
        ("~~~\nls\n~~~", "```\nls\n```"),
        ("````md\n```\nx\n```\n````", "````md\n```\nx\n```\n````"),
        (
            "1. Do this:\n\n       ```py\n       if x:\n           y\n       ```",
            "```py\nif x:\n    y\n```",
        ),
        ("> ```\n> quoted\n> ```", "```\nquoted\n```"),
    ],
)
def test_code_gets_a_fence_that_closes(passage, expected):
    assert [worded(piece) for piece in pieces(source(passage)) if piece.kind == "code"] == [
        expected
    ]


def test_a_cut_sentence_says_so():
    text = "one two"
    assert worded(Piece(source(text), 0, 3, "prose", "", cut_after=True)) == "one …"
    assert worded(Piece(source(text), 4, 7, "prose", "", cut_before=True)) == "… two"
