"""What is known of a question so far; at its end it becomes the reply."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..events import (
    AnswerDelta,
    AnswerEnd,
    Check,
    Citation,
    Done,
    KeywordsFrom,
    Outcome,
    Quote,
    Reply,
    SearchedTable,
    Source,
)


@dataclass
class State:
    """What the stages have found out, in the order in which they do."""

    question: str
    keywords: Sequence[str]
    keywords_from: KeywordsFrom
    match: str
    sources: tuple[Source, ...] = ()
    tables: tuple[SearchedTable, ...] = ()
    answer: str = ""
    answerer: str | None = None
    citations: list[Citation] = field(default_factory=list)
    checks: tuple[Check, ...] = ()
    end: AnswerEnd = AnswerEnd("failed")
    timings_ms: dict[str, float] = field(
        default_factory=lambda: {"keywords": 0.0, "search": 0.0, "answer": 0.0}
    )

    @property
    def unique_keywords(self) -> tuple[str, ...]:
        """The keywords without repeats, as they are shown."""
        return tuple(dict.fromkeys(self.keywords))

    def took(self, stage: str, since: float) -> None:
        """Note the milliseconds of a stage that began at `since` (of `time.perf_counter()`)."""
        self.timings_ms[stage] = round((time.perf_counter() - since) * 1000, 2)

    def add(self, event: AnswerDelta | Citation) -> None:
        """Take what an answerer says into the answer."""
        if isinstance(event, AnswerDelta):
            self.answer += event.text
        else:
            self.citations.append(event)

    def done(self, started: float, outcome: Outcome | None, answer: str) -> Done:
        """The event that ends the question, with the whole reply."""
        self.took("total", started)
        return Done(
            Reply(
                id=uuid.uuid4().hex,
                question=self.question,
                keywords=self.unique_keywords,
                keywords_from=self.keywords_from,
                match=self.match,
                outcome=outcome,
                answer=answer,
                answerer=self.answerer,
                stop_reason=self.end.stop_reason,
                error=self.end.error,
                sources=tuple(self._cited(source) for source in self.sources),
                checks=self.checks,
                tables=self.tables,
                models={"keywords": None, "answer": self.end.model},
                usage=self.end.usage,
                timings_ms=dict(self.timings_ms),
            )
        )

    def _cited(self, source: Source) -> Source:
        own = [citation for citation in self.citations if citation.number == source.number]
        quotes = {Quote(one.text, one.start, one.end): None for one in own}
        return replace(source, cited=bool(own), quotes=tuple(quotes)) if own else source
