"""Intervals hold what they promise, the paired test equals scipy's, and both are repeatable."""

from __future__ import annotations

import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from datasette_rag.evals.significance import bootstrap_interval, paired_p_value

shares = st.floats(0, 1).map(lambda value: round(value, 3))


@given(st.lists(shares, min_size=1, max_size=40))
def test_the_mean_lies_in_its_interval(values):
    interval = bootstrap_interval(values)
    assert min(values) - 1e-9 <= interval.low <= interval.mean <= interval.high
    assert interval.high <= max(values) + 1e-9
    assert interval == bootstrap_interval(values)


def test_the_interval_is_as_wide_as_that_of_scipy():
    draw = random.Random(1)
    values = [float(draw.random() < 0.7) for _ in range(200)]
    judge = stats.bootstrap(
        [values], fmean, method="percentile", vectorized=False, n_resamples=3000, random_state=1
    ).confidence_interval
    interval = bootstrap_interval(values)
    assert (interval.low, interval.high) == pytest.approx((judge.low, judge.high), abs=0.015)


def test_more_confidence_is_a_wider_interval():
    values = [0.0, 1.0] * 20
    wide, narrow = (bootstrap_interval(values, share) for share in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_no_values_have_no_mean():
    with pytest.raises(ValueError):
        bootstrap_interval([])


def judge_p(before, after):
    differences = [new - old for old, new in zip(before, after)]
    return stats.permutation_test(
        [differences],
        lambda sample: sum(sample),
        permutation_type="samples",
        vectorized=False,
        n_resamples=1e5,
        rng=1,
    ).pvalue


@pytest.mark.parametrize(
    "before, after, expected",
    [
        ([0, 0, 0], [0, 0, 0], 1.0),
        ([0], [1], 1.0),
        # All five signs alike: two of 32 combinations.
        ([0] * 5, [1] * 5, 2 / 32),
        ([0, 0, 0, 1], [1, 1, 1, 0], 10 / 16),
        ([], [], 1.0),
    ],
)
def test_p_values_by_hand(before, after, expected):
    assert paired_p_value(before, after) == pytest.approx(expected)


def test_p_values_of_scipy():
    draw = random.Random(3)
    for count, shift in ((9, 0.1), (11, 0.4)):
        before = [draw.random() for _ in range(count)]
        after = [value + draw.gauss(shift, 0.3) for value in before]
        assert paired_p_value(before, after) == pytest.approx(judge_p(before, after), abs=1e-9)


def test_of_many_questions():
    draw = random.Random(4)
    before = [draw.random() for _ in range(200)]
    same = [value + draw.gauss(0, 0.2) for value in before]
    better = [value + draw.gauss(0.06, 0.2) for value in before]
    assert paired_p_value(before, better) < 0.01 < 0.05 < paired_p_value(before, same)
    t_test = stats.ttest_rel(before, same).pvalue
    assert paired_p_value(before, same) == pytest.approx(t_test, abs=0.03)
    assert paired_p_value(before, same) == paired_p_value(before, same)
    assert paired_p_value(before, same) == paired_p_value(same, before)


def test_runs_of_other_questions():
    with pytest.raises(ValueError, match="2 and 1 questions"):
        paired_p_value([0, 1], [1])
