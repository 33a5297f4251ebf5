"""The offline answerer: the one to three sentences of the sources that answer best."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence

from ..events import AnswerDelta, AnswerEnd, AnswerEvent, Citation, Source
from .base import Answerer
from .compose import Part, compose
from .cues import asked_for
from .pieces import Piece, pieces
from .scoring import ask, score_pieces
from .terms import terms
from .wording import worded

UNKNOWN = "The sources that were found do not seem to answer this question."

# Below this rarity-weighted share of the question's terms in and around the best sentence, the
# answer is "unknown". Chosen low, because a question is often worded unlike its answer: on XQuAD
# it refuses 1 in 200 questions whose answer is there, and 1 in 4 of those where it is not.
MIN_COVERAGE = 0.15


class ExtractiveAnswerer(Answerer):
    """Answers with sentences of the sources as they stand; needs no model and no network."""

    name = "extractive"

    async def answer(
        self,
        question: str,
        sources: Sequence[Source],
        *,
        keywords: Sequence[str],
        instructions: str | None = None,
    ) -> AsyncIterator[AnswerEvent]:
        """The best sentences, each followed by its `[n]` and cited with its exact quote."""
        for event in extract(question, sources, keywords=keywords):
            yield event


def extract(
    question: str, sources: Sequence[Source], *, keywords: Sequence[str]
) -> Iterator[AnswerEvent]:
    """The events of the extractive answer, without waiting for anything.

    Args:
        question: what was asked.
        sources: the sources, best first.
        keywords: what they were found with; those that are words of the question weigh most.
    """
    found = [piece for source in sources for piece in pieces(source)]
    found_terms = [terms(piece.text) for piece in found]
    asked = ask(question, keywords, found_terms)
    scored = score_pieces(asked, found, found_terms)
    if not scored or scored[0].coverage < MIN_COVERAGE:
        yield AnswerDelta(UNKNOWN)
        yield AnswerEnd("unknown")
        return
    sets = {piece: frozenset(own) for piece, own in zip(found, found_terms, strict=True)}
    yield from _events(compose(scored, asked, found, sets, asked_for(question)))
    yield AnswerEnd("answered")


def _events(parts: Sequence[Part]) -> Iterator[AnswerEvent]:
    """Paragraphs of sentences; a list or code that belongs to one ends the paragraph."""
    said: set[Piece] = set()
    gap = ""
    for part in parts:
        mark = f"[{part.piece.source.number}]"
        sentence = [piece for piece in (part.lead, part.piece) if piece and piece not in said]
        follow = [piece for piece in part.follow if piece not in said]
        said.update(sentence, follow)
        if sentence and part.piece.kind == "code":
            start = gap and "\n\n"
            yield AnswerDelta(f"{start}{worded(part.piece)}\n\n{mark}")
            gap = "\n\n"
        elif sentence:
            yield AnswerDelta(f"{gap}{' '.join(map(worded, sentence))} {mark}")
            gap = " "
        yield from map(_citation, sentence)
        for piece in follow:
            if piece.kind == "code":
                yield AnswerDelta(f"\n\n{worded(piece)}")
            else:
                border = "\n\n" if piece is follow[0] else "\n"
                yield AnswerDelta(f"{border}- {worded(piece)} {mark}")
            yield _citation(piece)
            gap = "\n\n"


def _citation(piece: Piece) -> Citation:
    return Citation(piece.source.number, piece.text, piece.start, piece.end)
