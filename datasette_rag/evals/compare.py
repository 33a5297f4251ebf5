"""Two runs over the same questions → what got better, what got worse, and whether that is chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from .significance import paired_p_value


@dataclass(frozen=True)
class Difference:
    """One measure in two runs, over the questions that have it in both.

    `before` and `after` are the means. `p_value` is that of the paired test. `changed` has
    the differences of those questions that differ by their ids, the worst first.
    """

    measure: str
    questions: int
    before: float
    after: float
    p_value: float
    changed: Mapping[str, float]


def differences(
    before: Mapping[str, Mapping[str, float]], after: Mapping[str, Mapping[str, float]]
) -> list[Difference]:
    """Every measure that both runs have, in the order of the later one.

    Args:
        before: each question's measures by its id, each by name.
        after: the same of the later run.
    """
    names = dict.fromkeys(name for measures in after.values() for name in measures)
    found = []
    for name in names:
        shared = [id for id in after if name in after[id] and id in before and name in before[id]]
        if not shared:
            continue
        old = [before[id][name] for id in shared]
        new = [after[id][name] for id in shared]
        changed = {id: after[id][name] - before[id][name] for id in shared}
        found.append(
            Difference(
                name,
                len(shared),
                fmean(old),
                fmean(new),
                paired_p_value(old, new),
                dict(
                    sorted(
                        ((id, change) for id, change in changed.items() if change),
                        key=lambda pair: pair[1],
                    )
                ),
            )
        )
    return found
