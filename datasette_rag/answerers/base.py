"""What an answerer is: a question and sources in, a stream of events out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence

from ..events import AnswerEvent, Source


class Answerer(ABC):
    """Words an answer from the sources that a search found.

    `name` is what the owner writes as `answerer:`. A `paid` one costs money or sends what is
    asked elsewhere: it is used when a visitor asks for it, within the site's limits, and the
    page says to whom (`recipient`) the question goes before it is sent.
    """

    name: str
    paid: bool = False
    recipient: str = ""

    @abstractmethod
    def answer(
        self,
        question: str,
        sources: Sequence[Source],
        *,
        keywords: Sequence[str],
        instructions: str | None = None,
    ) -> AsyncIterator[AnswerEvent]:
        """Answer the question from the sources, written as an async generator.

        Args:
            question: what the asker typed.
            sources: what may be drawn from, best first; at least one.
            keywords: the keywords that the sources were found with.
            instructions: what the owner of the site wants of an answer; an answerer that
                cannot follow instructions leaves them aside.

        Yields:
            `AnswerDelta` (the Markdown of the answer, piece by piece, with `[n]` marks) and
            `Citation` (at the place that it supports), and last exactly one `AnswerEnd`. An
            `AnswerUsage` in between tells what has been spent, should the end never come.
        """
