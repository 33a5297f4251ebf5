"""Questions with known answers → what was found and answered, and how good that is."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ask import ask
from ..ask.ending import reply_to
from ..compat import Actor
from ..events import Reply
from .answers import ANSWER_MEASURES, measured_answer
from .matching import Item, Matcher
from .metrics import MEASURES, measured
from .questions import EvalQuestion, QuestionsError
from .significance import Interval, bootstrap_interval

if TYPE_CHECKING:
    from datasette.app import Datasette


@dataclass(frozen=True)
class Result:
    """One question of a run.

    `grades` are the items that it expects. `found` are the distinct items that were found,
    best first, and `ms` the milliseconds that this took; both stay empty where nothing is
    expected. `searched` is the reply of that search, `reply` the answer, where one was asked for. `measures` has the values from 0
    to 1 by name: `recall@10`, `words`, …; one that says nothing of this question is missing.
    `troubles` are tables that could not be searched, each with its message.
    """

    question: EvalQuestion
    grades: Mapping[Item, float] = field(default_factory=dict)
    found: tuple[Item, ...] = ()
    ms: float | None = None
    searched: Reply | None = None
    reply: Reply | None = None
    measures: Mapping[str, float] = field(default_factory=dict)
    troubles: tuple[str, ...] = ()

    def rank(self, item: Item) -> int | None:
        """The place of an item among what was found, from 1; None if it was not."""
        return self.found.index(item) + 1 if item in self.found else None


def measurable(question: EvalQuestion, answers: bool) -> bool:
    """Whether a run says anything of this question; without answers only what it should find."""
    return answers or bool(question.find)


async def run(
    datasette: Datasette,
    questions: Sequence[EvalQuestion],
    matcher: Matcher,
    *,
    actor: Actor = None,
    ks: Sequence[int] = (10,),
    answers: bool = False,
    answerer: str | None = None,
) -> AsyncGenerator[Result, None]:
    """Ask the questions one after the other; nothing of it is logged.

    Search is measured as deep as the largest of `ks` needs, which is deeper than an answer
    looks; what answers are made of is what the configuration says.

    Args:
        datasette: a started one.
        questions: those of a file; what is not `measurable` is left out.
        matcher: made of the same questions, for the same actor.
        actor: who asks.
        ks: at how many found items search is measured.
        answers: whether answers are asked for too.
        answerer: another than the configured one.

    Raises:
        QuestionsError: a question can't be asked.
        ValueError: there is no such answerer.
    """
    for question in questions:
        if not measurable(question, answers):
            continue
        grades = matcher.grades(question)
        found: list[Item] = []
        ms, searched, reply = None, None, None
        measures: dict[str, float] = {}
        replies: list[Reply] = []
        if grades:
            began = time.perf_counter()
            depth = _depth(max(ks), {item[0] for item in grades} == {"row"})
            searched = await _reply(
                datasette, question, actor=actor, answer=False, max_sources=depth
            )
            ms = (time.perf_counter() - began) * 1000
            found = list(dict.fromkeys(await matcher.items(searched.sources, grades)))
            found = found[: max(ks)]
            measures.update(measured(found, grades, ks))
            replies.append(searched)
        if answers:
            reply = await _reply(datasette, question, actor=actor, answerer=answerer)
            cited = [source for source in reply.sources if source.cited]
            items = await matcher.items(cited, grades)
            measures.update(measured_answer(question, grades, reply, items))
            replies.append(reply)
        troubles = dict.fromkeys(
            f"{table.database}/{table.table}: {table.status}. {table.message}"
            for one in replies
            for table in one.tables
            if table.status != "ok"
        )
        yield Result(question, grades, tuple(found), ms, searched, reply, measures, tuple(troubles))


def means(results: Sequence[Result]) -> dict[str, tuple[Interval, int]]:
    """Each measure's mean over the questions that have it, and how many these are.

    In the order of the measures: those of search by their k, then those of answers.
    """
    values: dict[str, list[float]] = {}
    for result in results:
        for name, value in result.measures.items():
            values.setdefault(name, []).append(value)
    order = list(MEASURES) + list(ANSWER_MEASURES)

    def place(name: str) -> tuple[int, int]:
        measure, _, k = name.partition("@")
        return order.index(measure), int(k or 0)

    return {
        name: (bootstrap_interval(values[name]), len(values[name]))
        for name in sorted(values, key=place)
    }


def _depth(k: int, by_row: bool) -> int:
    """How many sources to ask for, to have k distinct items among them.

    A quarter of the sources may be second passages of a row; and of a document up to three
    rows are kept.
    """
    return math.ceil(k * 4 / 3) if by_row else 4 * k


async def _reply(
    datasette: Datasette,
    question: EvalQuestion,
    *,
    actor: Actor,
    answer: bool = True,
    answerer: str | None = None,
    max_sources: int | None = None,
) -> Reply:
    asking = ask(
        datasette,
        question.question,
        actor=actor,
        answer=answer,
        answerer=answerer,
        log=False,
        max_sources=max_sources,
    )
    ended = await reply_to(asking)
    if isinstance(ended, Reply):
        return ended
    problem = ended.message if ended else "the question ended without a reply"
    raise QuestionsError(f"{question.question}: {problem}")
