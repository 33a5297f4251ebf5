"""datasette rag eval: how good search and answers are, on questions with known answers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import actor_option, database_options
from .serving import run as run_with_datasette

if TYPE_CHECKING:
    from datasette.app import Datasette

    from ..evals.matching import Matcher
    from ..evals.questions import EvalQuestion
    from ..evals.runs import Result

BELOW = 3
_KS = (1, 3, 10)
_MOST_K = 100


class Bound(click.ParamType):
    """An option such as recall@10=0.9: a measure, and the least that its mean may be."""

    name = "measure=number"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, float]:
        from ..config import nearest
        from ..evals.answers import ANSWER_MEASURES
        from ..evals.metrics import MEASURES

        match = re.fullmatch(r"(\w+)(?:@(\d{1,3}))?=(0?\.\d+|[01](?:\.0*)?)", value)
        if not match:
            self.fail("expected a measure and a number from 0 to 1, such as recall@10=0.9")
        measure, k, least = match.groups()
        if measure not in {**MEASURES, **ANSWER_MEASURES}:
            self.fail(
                f"unknown measure {measure}{nearest(measure, {**MEASURES, **ANSWER_MEASURES})}"
            )
        if (measure in MEASURES) != (k is not None):
            example = f"{measure}@10" if measure in MEASURES else measure
            self.fail(f"write {example}={least}")
        if k is not None and not 1 <= int(k) <= _MOST_K:
            self.fail(f"k must be from 1 to {_MOST_K}, got {k}")
        return (measure if k is None else f"{measure}@{int(k)}"), float(least)


@click.command(name="eval")
@click.argument("databases", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.argument("questions")
@click.option(
    "--qrels",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Judgments in BEIR's format; QUESTIONS is its queries.jsonl then",
)
@click.option(
    "ks",
    "-k",
    type=click.IntRange(1, _MOST_K),
    multiple=True,
    help="Measure the first so many that are found; can be repeated  [default: 1, 3, 10]",
)
@click.option("--answers", is_flag=True, help="Ask for answers too, and measure them")
@click.option(
    "--answerer",
    help="Who words the answers: extractive, claude, or the name of a plugin's; "
    "without it, the configured one",
)
@click.option("-v", "--verbose", is_flag=True, help="Tell of every question what was found")
@click.option("as_json", "--json", is_flag=True, help="Print everything as JSON")
@click.option(
    "bounds",
    "--fail-under",
    type=Bound(),
    multiple=True,
    help="Exit with status 3 if this measure is lower: recall@10=0.9; can be repeated",
)
@click.option(
    "log",
    "--save",
    metavar="LOG",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the run in the file of the log, which is made if it is not there",
)
@click.option(
    "runs",
    "--compare",
    metavar="RUN RUN",
    nargs=2,
    help="Compare two saved runs, given by their ids; the one argument is the file of the log",
)
@actor_option
@database_options
def evaluate(
    databases: Sequence[str],
    questions: str,
    qrels: Path | None,
    ks: Sequence[int],
    answers: bool,
    answerer: str | None,
    verbose: bool,
    as_json: bool,
    bounds: Sequence[tuple[str, float]],
    log: Path | None,
    runs: tuple[str, str] | None,
    actor: dict[str, Any] | None,
    metadata: Any,
    config: Any,
    load_extensions: Sequence[Any],
) -> None:
    """Measure how good search in DATABASES is, on QUESTIONS with known answers

    QUESTIONS is a file (.yml, .csv, .jsonl) or a table, given as DATABASE/TABLE.
    Exit status: 0 all was measured, 1 error, 2 wrong use of the command, 3 a measure is lower
    than --fail-under allows.

    Example:

        datasette rag eval docs.db questions.yml --fail-under recall@10=0.9

        datasette rag eval rag-log.db --compare 1f3c90aa 7be2d144
    """
    if runs:
        _compare(databases, questions, runs)
        return
    if not databases:
        raise click.UsageError("give at least one database, and then the questions")
    from .. import claude
    from ..evals.answers import ANSWER_MEASURES
    from ..evals.matching import Matcher
    from ..evals.questions import QuestionsError
    from ..evals.runs import means
    from ..evals.saving import run_rows
    from ..permissions import OWNER
    from .eval_report import as_json as json_report
    from .eval_report import below, report, result_lines
    from .eval_saved import prepare_log, save_run

    if not answers and (answerer or any(name in ANSWER_MEASURES for name, _ in bounds)):
        raise click.UsageError("measures of answers, and --answerer, need --answers")
    depths = sorted(
        {*(ks or _KS), *(int(name.partition("@")[2]) for name, _ in bounds if "@" in name)}
    )
    who = OWNER if actor is None else actor
    if log is not None:
        prepare_log(log)
    started = datetime.now(timezone.utc)

    async def work(datasette: Datasette) -> tuple[Matcher, list[Result], int]:
        try:
            read = await _questions(datasette, who, questions, qrels)
            matcher = await Matcher.of(datasette, who, read)
            results = await _results(
                datasette,
                read,
                matcher,
                actor=who,
                ks=depths,
                answers=answers,
                answerer=answerer,
            )
            return matcher, results, len(read)
        except (QuestionsError, ValueError) as error:
            raise click.ClickException(str(error)) from error
        finally:
            await claude.close(datasette)

    matcher, results, count = run_with_datasette(databases, metadata, config, load_extensions, work)
    found = means(results)
    if as_json:
        click.echo(json.dumps(json_report(results, found, matcher, count), indent=2))
    else:
        for result in results if verbose else ():
            click.echo("\n".join(result_lines(result)))
        click.echo("\n".join(report(results, found, matcher, count)))
    if log is not None:
        run, rows = run_rows(
            results,
            found,
            started=started,
            questions_from=Path(questions).name if Path(questions).is_file() else questions,
            databases=[Path(database).stem for database in databases],
        )
        click.echo(save_run(log, run, rows), err=True)
    missed = below(found, bounds)
    for line in missed:
        click.echo(line, err=True)
    if any(result.reply and result.reply.error for result in results):
        raise SystemExit(1)
    if missed:
        raise SystemExit(BELOW)


def _compare(databases: Sequence[str], log: str, runs: tuple[str, str]) -> None:
    from .eval_saved import compare_runs

    if databases or not Path(log).is_file():
        raise click.UsageError("--compare takes one argument, the file that runs were saved in")
    click.echo("\n".join(compare_runs(Path(log), runs)))


async def _questions(
    datasette: Datasette, actor: Any, name: str, qrels: Path | None
) -> list[EvalQuestion]:
    from ..evals.files import read_questions
    from ..evals.questions import QuestionsError
    from ..evals.tables import questions_of_table

    if Path(name).is_file() or qrels is not None:
        return read_questions(Path(name), qrels)
    found = await questions_of_table(datasette, actor, name)
    if found is None:
        raise QuestionsError(f"{name} is neither a file nor a table given as DATABASE/TABLE")
    return found


async def _results(
    datasette: Datasette, questions: Sequence[EvalQuestion], matcher: Matcher, **how: Any
) -> list[Result]:
    """The results of all questions, with a progress bar for whoever waits at a terminal."""
    from ..evals.questions import QuestionsError
    from ..evals.runs import measurable, run

    asked = [one for one in questions if measurable(one, how["answers"])]
    if not asked:
        raise QuestionsError("no question says what should be found: give find, or --answers")
    results = []
    with _progress(len(asked)) as one_more:
        async with aclosing(run(datasette, asked, matcher, **how)) as running:
            async for result in running:
                results.append(result)
                one_more()
    return results


@contextmanager
def _progress(length: int) -> Iterator[Callable[[], None]]:
    if not sys.stderr.isatty():
        yield lambda: None
        return
    with click.progressbar(length=length, label="Asking", file=sys.stderr) as bar:
        yield lambda: bar.update(1)
