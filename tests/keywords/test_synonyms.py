"""Equal words from the configuration."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_rag.keywords.synonyms import add_synonyms

GROUPS = [["invoice", "bill", "receipt"], ["laptop", "notebook"], ["sun shade", "parasol"]]


@pytest.mark.parametrize(
    "keywords, expected",
    [
        (["invoice"], ["invoice", "bill", "receipt"]),
        (["Bills"], ["Bills", "invoice", "bill", "receipt"]),
        (["bill", "laptop"], ["bill", "laptop", "invoice", "receipt", "notebook"]),
        (["invoice", "BILL"], ["invoice", "BILL", "receipt"]),
        (["refund"], ["refund"]),
        ([], []),
        (["parasols"], ["parasols", "sun shade", "parasol"]),
        (["large", "sun", "shades"], ["large", "sun", "shades", "sun shade", "parasol"]),
        (["Sun Shade", "sun"], ["Sun Shade", "sun", "parasol"]),
        (["sun", "large", "shade"], ["sun", "large", "shade"]),
        (["bill", "bill"], ["bill", "bill", "invoice", "receipt"]),
    ],
)
def test_members_of_a_group_are_added_after_all_own_keywords(keywords, expected):
    assert add_synonyms(keywords, GROUPS, limit=10) == expected


@pytest.mark.parametrize("word", ["glass", "status", "gas", "is"])
def test_words_that_only_look_like_a_plural(word):
    assert add_synonyms([word], [[word[:-1], "other"]], limit=5) == [word]


def test_the_limit_never_pushes_out_own_keywords():
    assert add_synonyms(["bill", "late"], GROUPS, limit=3) == ["bill", "late", "invoice"]
    assert add_synonyms(["bill", "late"], GROUPS, limit=2) == ["bill", "late"]
    assert add_synonyms(["bill", "late"], GROUPS, limit=1) == ["bill"]


@given(st.lists(st.text()), st.lists(st.lists(st.text())), st.integers(0, 20))
def test_own_keywords_first_whatever_the_groups(keywords, groups, limit):
    found = add_synonyms(keywords, groups, limit=limit)
    assert len(found) <= limit
    assert found[: len(keywords)] == keywords[:limit]
    added = [word.casefold() for word in found[len(keywords) :]]
    assert len(added) == len(set(added))
