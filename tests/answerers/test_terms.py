"""What counts as the same word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_rag.answerers.terms import is_pair, stem, terms


@pytest.mark.parametrize(
    "words",
    [
        "refund refunds Refund",
        "price prices priced pricing",
        "policy policies",
        "ship shipped shipping ships",
        "translate translation translated translating",
        "organize organized organizing",
        "box boxes",
        "class classes",
        "café cafe CAFÉ cafés",
        "naïve naive",
        "Straße strasse",
        "batch batches",
        "доставка доставки доставку",
    ],
)
def test_one_stem(words):
    assert len({stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize(
    "words",
    ["organ organization", "bus business", "glass gla", "3.11 3", "need nee", "sing s"],
)
def test_different_stems(words):
    assert len({stem(word) for word in words.split()}) == len(words.split())


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Late fees, now!", ["lat", "fee", "now"]),
        ("version 3.11 at 08:30", ["vers", "3.11", "at", "08:30"]),
        ("foo_bar", ["foo", "bar"]),
        ("48,500 EUR", ["48,500", "eur"]),
        ("退款期限", ["退款", "款期", "期限"]),
        ("退", ["退"]),
        ("用Python写", ["用", "python", "写"]),
        ("हिन्दी", ["हिन्"]),
        ("", []),
        ("… —", []),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


def test_pairs_are_told_from_words():
    assert is_pair("退款") and not is_pair("refund") and not is_pair("доста")


@given(st.text())
def test_any_text(text):
    assert all(term and not term.isspace() for term in terms(text))
    assert terms(text) == terms(text)
