"""Several rankings → one, by reciprocal rank."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

RANK_CONSTANT = 60


def reciprocal_rank_fusion(
    rankings: Iterable[Sequence[Key]], constant: int = RANK_CONSTANT
) -> dict[Key, float]:
    """Fuse rankings (each best first) into a score a key; larger is better.

    The score is the sum of 1 / (constant + rank), ranks counted from 1: scores of
    different tables are not comparable, ranks are. Cormack, Clarke and Büttcher,
    "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
    SIGIR 2009, where 60 is the constant that they found to do well.
    """
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (constant + rank)
    return scores
