"""Reciprocal rank fusion."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_rag.retrieval.fusion import reciprocal_rank_fusion


def test_scores():
    assert reciprocal_rank_fusion([["a", "b"], ["b", "c"]]) == pytest.approx(
        {"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62}
    )


@given(st.lists(st.lists(st.integers(0, 9), unique=True), max_size=4))
def test_who_is_ahead_everywhere_is_ahead(rankings):
    scores = reciprocal_rank_fusion(rankings)
    assert set(scores) == {key for ranking in rankings for key in ranking}
    for better, worse in itertools.permutations(scores, 2):
        if all(
            worse not in ranking
            or (better in ranking and ranking.index(better) < ranking.index(worse))
            for ranking in rankings
        ):
            assert scores[better] > scores[worse]
