"""How good one ranking is, by the measures of the field; pure functions.

They all take the same:

    ranked: what was found, best first. What is repeated counts once, at its first place.
    grades: how relevant each known item is. Above 0 is relevant; 0, below, and every item that
        is not in it (never judged) is not.
    k: how many of the distinct items count, 1 or more.

and return a number from 0 to 1; 0 where `grades` holds nothing relevant. They equal what
trec_eval calls success, recall, P, recip_rank, ndcg_cut and map_cut, with ties in the order
given. Formulas: Manning, Raghavan, Schütze, "Introduction to Information Retrieval" (2008),
chapter 8, if nothing else is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

# Of whatever can be a key of a mapping.
Ranked = Sequence[Any]
Grades = Mapping[Any, float]
Measure = Callable[[Ranked, Grades, int], float]


def hit(ranked: Ranked, grades: Grades, k: int) -> float:
    """Hit rate: 1 if anything relevant is among the first k, else 0."""
    return float(any(_relevant(ranked, grades, k)))


def recall(ranked: Ranked, grades: Grades, k: int) -> float:
    """The share of all relevant items that is among the first k."""
    count = _relevant_count(grades)
    return sum(_relevant(ranked, grades, k)) / count if count else 0.0


def precision(ranked: Ranked, grades: Grades, k: int) -> float:
    """The share of the first k places that hold something relevant; empty places do not."""
    return sum(_relevant(ranked, grades, k)) / k


def mrr(ranked: Ranked, grades: Grades, k: int) -> float:
    """Reciprocal rank: 1 / the place of the first relevant item among the first k.

    Its mean over questions is the MRR: Voorhees, "The TREC-8 Question Answering Track
    Report" (1999).
    """
    places = enumerate(_relevant(ranked, grades, k), start=1)
    return next((1 / place for place, relevant in places if relevant), 0.0)


def ndcg(ranked: Ranked, grades: Grades, k: int) -> float:
    """Normalised discounted cumulative gain: the grade itself is the gain of an item.

    DCG = Σ grade / log2(place + 1), over the DCG of the best possible order: Järvelin and
    Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with the discount
    of trec_eval and BEIR.
    """
    ideal = _dcg(sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k])
    gains = [max(0.0, grades.get(item, 0)) for item in _distinct(ranked, k)]
    return _dcg(gains) / ideal if ideal else 0.0


def average_precision(ranked: Ranked, grades: Grades, k: int) -> float:
    """The mean of the precision at the place of each relevant item; 0 for those not in the first k.

    Its mean over questions is MAP, cut at k.
    """
    count = _relevant_count(grades)
    found, total = 0, 0.0
    for place, relevant in enumerate(_relevant(ranked, grades, k), start=1):
        if relevant:
            found += 1
            total += found / place
    return total / count if count else 0.0


MEASURES: Mapping[str, Measure] = {
    "hit": hit,
    "recall": recall,
    "precision": precision,
    "mrr": mrr,
    "ndcg": ndcg,
    "map": average_precision,
}


def measured(ranked: Ranked, grades: Grades, ks: Sequence[int]) -> dict[str, float]:
    """Every measure at every k, by names such as `recall@10`."""
    return {
        f"{name}@{k}": measure(ranked, grades, k) for k in ks for name, measure in MEASURES.items()
    }


def _distinct(ranked: Ranked, k: int) -> list[Any]:
    if k < 1:
        raise ValueError(f"k must be 1 or more, got {k}")
    return list(dict.fromkeys(ranked))[:k]


def _relevant(ranked: Ranked, grades: Grades, k: int) -> list[bool]:
    return [grades.get(item, 0) > 0 for item in _distinct(ranked, k)]


def _relevant_count(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades.values())


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, start=1))
