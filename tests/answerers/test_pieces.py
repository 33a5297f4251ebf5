"""What of a source can be an answer, and what stands above it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_rag.answerers.pieces import MAX_PIECE_CHARS, pieces

from .sources import source

PAGE = """# Returns

## How long

You have 60 days. After that we send it back.

| From | Price |
|---|---|
| Ireland | free |

- Keep the box.
- [ ] Print the *label*.

> Note the date.

```sh
mizzle return
```

![photo](a.png)

[label]: https://example.com

Do I need the receipt?

No, the order number is enough.
"""


def texts(passage):
    return [(piece.kind, piece.text) for piece in pieces(source(passage))]


def test_kinds():
    assert texts(PAGE) == [
        ("prose", "You have 60 days."),
        ("prose", "After that we send it back."),
        ("row", "| Ireland | free |"),
        ("item", "Keep the box."),
        ("item", "Print the *label*."),
        ("prose", "Note the date."),
        ("code", "```sh\nmizzle return\n```"),
        ("prose", "No, the order number is enough."),
    ]


def test_what_stands_above():
    by_text = {piece.text: piece for piece in pieces(source(PAGE, title="Help"))}
    assert "How long" in by_text["You have 60 days."].heading
    assert "Help" in by_text["You have 60 days."].heading
    assert by_text["| Ireland | free |"].header == "| From | Price |"
    assert by_text["Keep the box."].header == ""
    assert "Do I need the receipt?" in by_text["No, the order number is enough."].heading


def test_sentences_of_a_paragraph_share_a_block():
    first, second, row, *_ = pieces(source(PAGE))
    assert first.block == second.block != row.block
    assert [piece.number for piece in pieces(source(PAGE))] == list(range(8))


@pytest.mark.parametrize(
    "passage",
    ["# Heading only", "---", "|---|---|", "![alt](x.png)", "<br>", "[a]: http://b", "> [!NOTE]",
     "Title\n=====", "***", "", "…"],
)  # fmt: skip
def test_no_answer_in_it(passage):
    assert texts(passage) == []


@pytest.mark.parametrize(
    "passage, expected",
    [
        ("What is it", [("prose", "What is it")]),  # all there is
        ("Getting started\n\nInstall it first.", [("prose", "Install it first.")]),
        ("Getting started\nInstall it first.", [("prose", "Getting started\nInstall it first.")]),
        ("1. Open the lid.", [("item", "Open the lid.")]),
        ("a | b\n--- | ---\nc | d", [("row", "c | d")]),
        ("**Note**\n\nIt is red.", [("prose", "It is red.")]),
    ],
)
def test_single_pieces(passage, expected):
    assert texts(passage) == expected


def test_a_long_sentence_is_cut_between_clauses():
    clause = "the quick brown fox jumps over the lazy dog again and again, "
    passage = (clause * 15).strip(" ,") + "."
    found = pieces(source(passage))
    assert len(found) == 3
    assert all(len(piece.text) <= MAX_PIECE_CHARS for piece in found)
    assert all(piece.text.endswith(",") for piece in found[:-1])
    assert [piece.cut_before for piece in found] == [False, True, True]
    assert [piece.cut_after for piece in found] == [True, True, False]
    assert " ".join(piece.text for piece in found) == passage


def test_a_long_word_is_cut_anyway():
    assert [len(piece.text) for piece in pieces(source("退" * 900))] == [400, 400, 100]


@given(st.text(alphabet="ab .|#-`>\n1?:![]()", max_size=400))
def test_pieces_are_of_the_passage_and_in_order(passage):
    found = pieces(source(passage))
    assert all(passage[piece.start : piece.end] == piece.text.strip() for piece in found)
    assert all(one.end <= other.start for one, other in zip(found, found[1:], strict=False))
