"""The measures equal hand-computed values, and trec_eval's on arbitrary rankings."""

from __future__ import annotations

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_rag.evals.metrics import MEASURES, measured

# The same measures of the judge, in the same order.
JUDGES = [
    ir_measures.Success,
    ir_measures.R,
    ir_measures.P,
    ir_measures.RR,
    ir_measures.nDCG,
    ir_measures.AP,
]


@pytest.mark.parametrize(
    "ranked, grades, k, expected",
    [
        pytest.param("abc", {"a": 1}, 3, (1, 1, 1 / 3, 1, 1, 1), id="first"),
        pytest.param("abc", {"b": 1}, 3, (1, 1, 1 / 3, 1 / 2, 1 / math.log2(3), 1 / 2), id="second"),
        pytest.param("abc", {"b": 1}, 1, (0, 0, 0, 0, 0, 0), id="just outside"),
        pytest.param("", {"a": 1}, 10, (0, 0, 0, 0, 0, 0), id="nothing found"),
        pytest.param("abc", {}, 10, (0, 0, 0, 0, 0, 0), id="nothing relevant"),
        pytest.param("abc", {"a": 0, "b": -1}, 3, (0, 0, 0, 0, 0, 0), id="judged irrelevant"),
        pytest.param("a", {"a": 1, "b": 1}, 4, (1, 1 / 2, 1 / 4, 1, 1 / (1 + 1 / math.log2(3)), 1 / 2), id="fewer than k"),
        pytest.param(
            "xaxb", {"a": 1, "b": 3}, 4,
            # x is found twice and counts once: a is second, b third.
            (1, 1, 1 / 2, 1 / 2, (1 / math.log2(3) + 3 / 2) / (3 + 1 / math.log2(3)), (1 / 2 + 2 / 3) / 2),
            id="graded, with a repeat",
        ),
        pytest.param(["p1", "p1", "p2"], {"p1": 1}, 3, (1, 1, 1 / 3, 1, 1, 1), id="F10-01"),
    ],
)  # fmt: skip
def test_by_hand(ranked, grades, k, expected):
    values = [measure(list(ranked), grades, k) for measure in MEASURES.values()]
    assert values == pytest.approx(expected)


items = st.integers(0, 14).map("d{}".format)


@given(st.lists(items, unique=True), st.dictionaries(items, st.integers(-1, 3)), st.integers(1, 12))
def test_equal_to_trec_eval(ranked, grades, k):
    judges = [judge @ k for judge in JUDGES]
    # The judge leaves a question without relevant items, or without results, out of its mean.
    run = {"q": {item: float(-place) for place, item in enumerate(ranked)}}
    judged = ir_measures.calc_aggregate(judges, {"q": grades}, run) if ranked and grades else {}
    for judge, measure in zip(judges, MEASURES.values()):
        assert measure(ranked, grades, k) == pytest.approx(judged.get(judge, 0.0), abs=1e-9), judge


@given(st.lists(items), st.dictionaries(items, st.integers(-1, 3)), st.integers(1, 12))
def test_always_from_0_to_1_and_a_repeat_counts_once(ranked, grades, k):
    values = measured(ranked, grades, [k])
    assert all(0 <= value <= 1 + 1e-12 for value in values.values())
    assert values == measured(list(dict.fromkeys(ranked)), grades, [k])


def test_names_and_a_k_that_is_none():
    assert list(measured(["a"], {"a": 1}, [1, 5]))[:6] == [f"{name}@1" for name in MEASURES]
    with pytest.raises(ValueError, match="k must be 1 or more"):
        measured(["a"], {"a": 1}, [0])
