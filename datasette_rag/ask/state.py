"""What is known of a question so far; at its end it becomes the reply."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ..answerers.base import Answerer
from ..events import (
    AnswerDelta,
    AnswerEnd,
    AnswerUsage,
    Check,
    Citation,
    Done,
    KeywordsFrom,
    ModelError,
    Outcome,
    Quote,
    Reply,
    SearchedTable,
    Source,
    Usage,
)
from ..limits import Place


@dataclass
class State:
    """What the stages have found out, in the order in which they do."""

    question: str
    keywords: Sequence[str]
    keywords_from: KeywordsFrom
    answerer: Answerer
    match: str = ""
    keyword_model: str | None = None
    sources: tuple[Source, ...] = ()
    tables: tuple[SearchedTable, ...] = ()
    answer: str = ""
    citations: list[Citation] = field(default_factory=list)
    checks: tuple[Check, ...] = ()
    answer_usage: AnswerUsage = AnswerUsage()
    end: AnswerEnd | None = None
    limited: ModelError | None = None
    place: Place = field(default_factory=Place)
    usage: Usage = Usage()
    started: float = field(default_factory=time.perf_counter)
    timings_ms: dict[str, float] = field(
        default_factory=lambda: {"keywords": 0.0, "search": 0.0, "answer": 0.0}
    )

    @property
    def unique_keywords(self) -> tuple[str, ...]:
        """The keywords without repeats, as they are shown."""
        return tuple(dict.fromkeys(self.keywords))

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Note how long the block takes as the stage's milliseconds."""
        began = time.perf_counter()
        yield
        self.timings_ms[stage] = _ms_since(began)

    def add(self, event: AnswerDelta | Citation) -> None:
        """Take what an answerer says into the answer."""
        if isinstance(event, AnswerDelta):
            self.answer += event.text
        else:
            self.citations.append(event)

    def ended(self, end: AnswerEnd) -> None:
        """Take how the answerer ended, and what it took."""
        self.end = end
        self.spent(end.usage)

    def spent(self, usage: Usage) -> None:
        """Add what a model took."""
        self.usage = Usage(
            self.usage.input_tokens + usage.input_tokens,
            self.usage.output_tokens + usage.output_tokens,
            self.usage.cost_usd + usage.cost_usd,
        )

    def done(self, outcome: Outcome | None = None, said: str | None = None) -> Done:
        """The event that ends the question, with the whole reply.

        `outcome` and `said` are for a question that no answerer was asked.
        """
        end = self.end or AnswerEnd("failed")
        if self.limited and (self.end or outcome == "nothing_found"):
            outcome = "limited"
        elif self.end:
            outcome = self.end.outcome
        return Done(
            Reply(
                id=uuid.uuid4().hex,
                question=self.question,
                keywords=self.unique_keywords,
                keywords_from=self.keywords_from,
                match=self.match,
                outcome=outcome,
                answer=self.answer if said is None else said,
                answerer=self.answerer.name if self.end else None,
                stop_reason=end.stop_reason,
                error=self.limited if outcome == "limited" else end.error,
                sources=tuple(self._cited(source) for source in self.sources),
                checks=self.checks,
                tables=self.tables,
                models={"keywords": self.keyword_model, "answer": end.model},
                usage=self.usage,
                timings_ms={**self.timings_ms, "total": _ms_since(self.started)},
            )
        )

    def _cited(self, source: Source) -> Source:
        own = [citation for citation in self.citations if citation.number == source.number]
        quotes = {Quote(one.text, one.start, one.end): None for one in own}
        return replace(source, cited=bool(own), quotes=tuple(quotes)) if own else source


def _ms_since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 2)
