"""How sure a mean is, and whether two runs over the same questions differ; pure, and repeatable."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

_SEED = 20061
_RESAMPLES = 1_000
_FLIPS = 10_000
# So many differences have few enough combinations of signs to try them all.
_TRY_ALL = 12


class Interval(NamedTuple):
    """A mean, and the bounds of its confidence interval."""

    mean: float
    low: float
    high: float


def bootstrap_interval(values: Sequence[float], confidence: float = 0.95) -> Interval:
    """The mean of a measure over questions, with a confidence interval.

    The percentile bootstrap: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993),
    chapter 13. The mean is taken again over 1,000 samples of the questions, drawn with
    replacement. The same values give the same interval.

    Args:
        values: one value a question; at least one.
        confidence: how much of the samples' means the interval holds, between 0 and 1.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("there is no mean of no values")
    mean = fmean(values)
    if min(values) == max(values):
        return Interval(mean, mean, mean)
    draw = random.Random(_SEED)
    means = sorted(fmean(draw.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    outside = int((1 - confidence) / 2 * _RESAMPLES)
    # The mean itself lies inside, also where few questions make the samples' means lumpy.
    return Interval(mean, min(mean, means[outside]), max(mean, means[-1 - outside]))


def paired_p_value(before: Sequence[float], after: Sequence[float]) -> float:
    """How likely a difference of means at least this large is if both runs are equally good.

    Fisher's paired randomization test, two-sided: if the runs are equally good, the sign of
    each question's difference is chance. Recommended for search by Smucker, Allan and
    Carterette, "A Comparison of Statistical Significance Tests for Information Retrieval
    Evaluation" (2007). Up to 12 differences are tried with all combinations of signs; more
    with 10,000 random ones, the p-value being (b + 1) / (m + 1): Phipson and Smyth,
    "Permutation P-values Should Never Be Zero" (2010).

    Args:
        before: one value a question.
        after: the values of the same questions, in the same order.

    Returns:
        The p-value, above 0 and at most 1; 1 where no question differs.

    Raises:
        ValueError: the runs do not have the same number of questions.
    """
    if len(before) != len(after):
        raise ValueError(f"the runs have {len(before)} and {len(after)} questions")
    differences = [new - old for old, new in zip(before, after) if new != old]
    # Sums of the same numbers in another order differ in their last digits.
    seen = abs(sum(differences)) * (1 - 1e-9)
    if len(differences) <= _TRY_ALL:
        signs = itertools.product((1, -1), repeat=len(differences))
        sums = [abs(sum(map(_signed, differences, flips))) for flips in signs]
        return sum(one >= seen for one in sums) / len(sums)
    draw = random.Random(_SEED)
    total = sum(differences)
    as_large = 0
    for _ in range(_FLIPS):
        bits = draw.getrandbits(len(differences))
        flipped = sum(
            difference for place, difference in enumerate(differences) if bits >> place & 1
        )
        as_large += abs(total - 2 * flipped) >= seen
    return (as_large + 1) / (_FLIPS + 1)


def _signed(difference: float, sign: int) -> float:
    return difference * sign
