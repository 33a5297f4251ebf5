"""How well each piece of the sources answers the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..events import Source
from .cues import asked_for, holds
from .pieces import Piece
from .terms import is_pair, terms

# The figures were chosen on every second question of XQuAD, English and Spanish.
# What a term counts that does not stand in the piece itself, but above it, beside it in the
# same paragraph, or elsewhere in the passage.
IN_HEADING = 0.45
BESIDE = 0.40
IN_PASSAGE = 0.10
# Added to that share of 0 to 1: for the rank of the source (a half for the second, and so on),
# for a number where one is asked for, for terms that are neighbours in the question too, for
# names as they are written, for the newest source.
FIRST_SOURCE = 0.20
RIGHT_KIND = 0.10
ADJACENT = 0.05
EXACT = 0.10
NEWEST = 0.05
# What a term counts that is not of the question but a synonym.
OTHER = 0.30
# What a pair of characters that is nowhere counts: it mostly lies across two words, as
# nobody has cut the question into words.
ABSENT_PAIR = 0.25
# Pieces that the rarity of a term is counted over besides those at hand: the sources were
# found by their terms, and where they are few all of these would seem common.
UNSEEN = 20

_ISO_DATE = re.compile(r"\d{4}-\d\d")


@dataclass(frozen=True)
class Scored:
    """A piece with its score.

    `covered` are the question's terms in it or its heading. `coverage` is the rarity-weighted
    share of the question, 0 to 1, that is in the piece or, counting less, around it.
    """

    piece: Piece
    score: float
    coverage: float
    covered: frozenset[str]


@dataclass(frozen=True)
class Asked:
    """A question as the scoring sees it.

    `order` are its terms, `others` those of synonyms, `names` the keywords that count as they
    are written. The weights are Robertson's idf, log(1 + (N - n + 0.5) / (n + 0.5)), over the
    pieces at hand and `UNSEEN` more, so that a term that is nowhere weighs most.
    """

    question: str
    order: tuple[str, ...]
    others: frozenset[str]
    names: tuple[str, ...]
    weights: dict[str, float]

    def weight(self, found: Iterable[str]) -> float:
        """The weight of some terms together, the same in whatever order they come."""
        return math.fsum(self.weights[term] for term in found)

    def share(self, found: Iterable[str]) -> float:
        """The same as a share of the whole question."""
        return self.weight(found) / (self.weight(self.order) or 1.0)


def ask(question: str, keywords: Sequence[str], piece_terms: Sequence[Sequence[str]]) -> Asked:
    """The question's terms: those of the keywords that are its words, or all if none is.

    Terms of the other keywords (synonyms, or what a model added) help a piece that has them,
    but are not missed where they are not.
    """
    of_question = set(terms(question))
    order = list(dict.fromkeys(term for word in keywords for term in terms(word)))
    own = [term for term in order if term in of_question] or order
    counts = Counter(term for found in piece_terms for term in set(found))
    total = len(piece_terms) + UNSEEN
    weights = {
        term: math.log(1 + (total - counts[term] + 0.5) / (counts[term] + 0.5))
        * (ABSENT_PAIR if not counts[term] and is_pair(term) else 1.0)
        for term in order
    }
    names = tuple(
        word.casefold() for word in keywords if not word.isalnum() or any(map(str.isdigit, word))
    )
    return Asked(question, tuple(own), frozenset(order) - frozenset(own), names, weights)


def score_pieces(
    asked: Asked, pieces: Sequence[Piece], piece_terms: Sequence[Sequence[str]]
) -> list[Scored]:
    """The pieces with their scores, best first; equal ones in the order of the sources."""
    wanted = frozenset(asked.order)
    whole = asked.weight(wanted) or 1.0
    cue = asked_for(asked.question)
    inside = [wanted.intersection(found) for found in piece_terms]
    in_passage: dict[int, frozenset[str]] = {}
    for piece, own in zip(pieces, inside, strict=True):
        number = piece.source.number
        in_passage[number] = in_passage.get(number, frozenset()) | own
    ranks = {number: rank for rank, number in enumerate(in_passage)}
    newest = _newest([piece.source for piece in pieces])
    headings: dict[str, frozenset[str]] = {}
    scored = []
    for index, (piece, own) in enumerate(zip(pieces, inside, strict=True)):
        context = f"{piece.heading}\n{piece.header}"
        if context not in headings:
            headings[context] = wanted.intersection(terms(context))
        above = headings[context]
        covered = own | above
        beside = _beside(pieces, inside, index) - covered
        elsewhere = in_passage[piece.source.number] - covered - beside
        coverage = (
            asked.weight(own)
            + IN_HEADING * asked.weight(above - own)
            + BESIDE * asked.weight(beside)
            + IN_PASSAGE * asked.weight(elsewhere)
        ) / whole
        found = piece_terms[index]
        score = coverage + FIRST_SOURCE / (1 + ranks[piece.source.number])
        score += NEWEST * (newest is not None and piece.source.date == newest)
        score += OTHER * asked.weight(asked.others.intersection(found)) / whole
        if covered:
            score += RIGHT_KIND * holds(cue, piece.text, asked.question)
            score += ADJACENT * _adjacent(asked.order, found)
        if asked.names:
            text = piece.text.casefold()
            score += EXACT * sum(name in text for name in asked.names) / len(asked.names)
        scored.append(Scored(piece, score * _readable(piece, len(found)), coverage, covered))
    return sorted(scored, key=lambda one: -one.score)


def _beside(
    pieces: Sequence[Piece], inside: Sequence[frozenset[str]], index: int
) -> frozenset[str]:
    """The terms of the pieces before and behind in the same paragraph."""
    piece = pieces[index]
    found: frozenset[str] = frozenset()
    for other in (index - 1, index + 1):
        if 0 <= other < len(pieces):
            neighbour = pieces[other]
            if neighbour.source is piece.source and neighbour.block == piece.block:
                found |= inside[other]
    return found


def _newest(sources: Iterable[Source]) -> str | None:
    """The latest date, where there are several and all can be compared."""
    dates = {source.date for source in sources if source.date}
    comparable = len(dates) > 1 and all(map(_ISO_DATE.match, dates))
    return max(dates) if comparable else None


def _adjacent(order: Sequence[str], found: Sequence[str]) -> float:
    """The share of the question's neighbouring terms that are neighbours here too."""
    pairs = set(pairwise(order))
    return len(pairs.intersection(pairwise(found))) / len(pairs) if pairs else 0.0


def _readable(piece: Piece, count: int) -> float:
    """Code answers only with the sentence before it, and a scrap hardly ever does."""
    if piece.kind == "code":
        return 0.5
    return 0.7 if count < 4 else 1.0
