"""Keywords that an asker typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_rag.keywords.clean import clean_keywords


@pytest.mark.parametrize(
    "values, expected",
    [
        (["refund"], ["refund"]),
        (["  late   fee\n"], ["late fee"]),
        (["a\0b", "\x1b[0m"], ["a b", "[0m"]),
        (["", " ", "-", "...", "😀", "\0"], []),
        pytest.param(["-", "billing"], ["billing"], id="F1-04"),
        pytest.param(
            ["O'Brien's", '"late fee', '--dry-run"'],
            ["O'Brien's", '"late fee', '--dry-run"'],
            id="F1-02",
        ),
        (["fee", "fee"], ["fee"]),
        (["x" * 30], ["x" * 20]),
        (["one", "two", "three", "four"], ["one", "two", "three"]),
        (["退款"], ["退款"]),
    ],
)
def test_clean_keywords(values, expected):
    assert clean_keywords(values, limit=3, max_chars=20) == expected


@given(st.lists(st.text()), st.integers(0, 5), st.integers(1, 9))
def test_any_values(values, limit, max_chars):
    found = clean_keywords(values, limit=limit, max_chars=max_chars)
    assert len(found) <= limit
    assert all(len(value) <= max_chars and any(map(str.isalnum, value)) for value in found)
