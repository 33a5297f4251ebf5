"""What datasette rag eval keeps in the log, and how it compares two runs out of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .log_file import opened_log

if TYPE_CHECKING:
    from ..evals.compare import Difference
    from ..log.evals import SavedRun
    from ..log.rows import Row

SHOWN_OF_ID = 8
_MOST_SHOWN = 10


def prepare_log(log: Path) -> None:
    """Make sure that runs can be saved there, before questions are asked: make or mend its tables.

    Raises click.ClickException for a file that is not a log's alone.
    """
    from ..log.schema import bring_up_to_date

    if not log.exists():
        if not log.parent.is_dir():
            raise click.ClickException(f"there is no folder {log.parent} for {log.name}: make it")
        with closing(sqlite3.connect(log, isolation_level=None)) as conn:
            bring_up_to_date(conn)
    with opened_log(log, writing=True) as conn:
        bring_up_to_date(conn)


def save_run(log: Path, run: Row, results: Sequence[Row]) -> str:
    """Write a run into the log, and say so in a line. Raises click.ClickException."""
    from ..log.evals import newest_runs, save

    with opened_log(log, writing=True) as conn:
        save(conn, run, results)
        ids = newest_runs(conn, 2)
    line = f"Saved as run {run['id'][:SHOWN_OF_ID]} in {log}"
    if len(ids) == 2:
        pair = " ".join(id[:SHOWN_OF_ID] for id in reversed(ids))
        line += f". Compare it with the run before: datasette rag eval {log} --compare {pair}"
    return line


def compare_runs(log: Path, prefixes: Sequence[str]) -> Iterator[str]:
    """The lines that compare two runs of a log. Raises click.ClickException."""
    from ..evals.compare import differences

    with opened_log(log) as conn:
        before, after = (_run(conn, prefix) for prefix in prefixes)
    found = differences(before.measures, after.measures)
    if not found:
        raise click.ClickException("the two runs have no question with the same measure in common")
    for name, run in (("before", before), ("after", after)):
        yield (
            f"{name:6}  run {run.id[:SHOWN_OF_ID]}, {run.started[:16].replace('T', ' ')}, "
            f"{len(run.measures)} questions of {run.questions_from}"
        )
    alone = len(before.measures.keys() ^ after.measures.keys())
    if alone:
        yield f"{alone} questions are in one of the runs only, and left out"
    yield ""
    yield f"{'':13}  before  after   change     p    better  worse  same"
    yield from map(_line, found)
    yield ""
    yield "p: how likely so large a change of the mean is by chance (paired randomization test)."
    yield from _questions(_telling(found), after)


def _run(conn: sqlite3.Connection, prefix: str) -> SavedRun:
    from ..log.evals import runs_with

    found = runs_with(conn, prefix) if prefix else []
    if len(found) != 1:
        problem = "several runs have ids that begin with" if found else "there is no run"
        raise click.ClickException(f"{problem} {prefix}; the table rag_eval_runs has all ids")
    return found[0]


def _line(one: Difference) -> str:
    better = sum(change > 0 for change in one.changed.values())
    worse = len(one.changed) - better
    return (
        f"{one.measure:13}  {one.before:.3f}   {one.after:.3f}   {one.after - one.before:+.3f}  "
        f"{one.p_value:.3f}  {better:6}  {worse:5}  {one.questions - len(one.changed):4}"
    )


def _telling(found: Sequence[Difference]) -> Difference:
    """The measure whose questions are named: nDCG as deep as it goes, else the first that changed."""
    ranked = [one for one in found if one.measure.startswith("ndcg@")]
    if ranked:
        return max(ranked, key=lambda one: int(one.measure.partition("@")[2]))
    return next((one for one in found if one.changed), found[0])


def _questions(one: Difference, run: SavedRun) -> Iterator[str]:
    worse = [(id, change) for id, change in one.changed.items() if change < 0]
    better = [(id, change) for id, change in one.changed.items() if change > 0][::-1]
    for name, changes in (("Worse", worse), ("Better", better)):
        if changes:
            yield ""
            yield f"{name} ({one.measure}):"
        for id, change in changes[:_MOST_SHOWN]:
            yield f"  {change:+.3f}  {' '.join(run.questions[id].split())}"
        if len(changes) > _MOST_SHOWN:
            yield f"  and {len(changes) - _MOST_SHOWN} more"
