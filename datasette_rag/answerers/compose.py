"""Scored pieces → the one to three of them that make the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .cues import Cue
from .pieces import Piece
from .scoring import Asked, Scored

MAX_SENTENCES = 3
# A further sentence comes in if it brings this share of the question (by weight), or is about
# as good as the best one.
NEW_SHARE = 0.12
AS_GOOD = 0.80
AT_LEAST = 0.45
MAX_CODE_CHARS = 600
MAX_LIST_CHARS = 500
MAX_LIST_ITEMS = 6
MAX_LEAD_CHARS = 200


@dataclass(frozen=True)
class Part:
    """A sentence of the answer with what it cannot do without.

    `lead` is the line that a list item hangs on, `follow` the list or code that is announced.
    """

    piece: Piece
    lead: Piece | None = None
    follow: tuple[Piece, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces of the source that it takes in."""
        return (*((self.lead,) if self.lead else ()), self.piece, *self.follow)


def compose(
    scored: Sequence[Scored],
    asked: Asked,
    all_pieces: Sequence[Piece],
    term_sets: dict[Piece, frozenset[str]],
    cue: Cue | None,
) -> list[Part]:
    """The parts of the answer, each sentence once, those of one paragraph in its order.

    Args:
        scored: the pieces, best first.
        asked: the question.
        all_pieces: the pieces in the order of the sources, for what stands beside them.
        term_sets: the terms of each piece, to see which say the same.
        cue: what the question asks for.
    """
    parts: list[Part] = []
    said: list[frozenset[str]] = []
    covered: frozenset[str] = frozenset()
    place = {id(piece): index for index, piece in enumerate(all_pieces)}
    for one in scored:
        if len(parts) == MAX_SENTENCES or one.score < AT_LEAST * scored[0].score:
            break
        is_new = asked.share(one.covered - covered) >= NEW_SHARE
        if parts and not is_new and one.score < AS_GOOD * scored[0].score:
            continue
        if any(_same(term_sets[one.piece], other) for other in said):
            continue
        parts.append(_part(one.piece, all_pieces, place[id(one.piece)], cue))
        said.extend(term_sets[piece] for piece in parts[-1].pieces)
        covered |= one.covered
    rank: dict[tuple[int, int], int] = {}
    for index, part in enumerate(parts):
        rank.setdefault((part.piece.source.number, part.piece.block), index)
    return sorted(
        parts,
        key=lambda part: (rank[part.piece.source.number, part.piece.block], part.piece.number),
    )


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one of two sentences says (nearly) nothing that the other does not."""
    if any(term[0].isdigit() for term in one ^ other):
        return False  # "30 days" here and "60 days" there: the reader must see both
    return len(one & other) >= 0.8 * min(len(one), len(other))


def _part(piece: Piece, pieces: Sequence[Piece], at: int, cue: Cue | None) -> Part:
    before = pieces[at - 1] if at and pieces[at - 1].source is piece.source else None
    if piece.kind == "code" and before is not None and before.kind in ("prose", "item"):
        return Part(before, None, (piece,))
    lead = _lead(pieces, at) if piece.kind == "item" else None
    return Part(piece, lead, _follow(pieces, at, cue))


def _lead(pieces: Sequence[Piece], at: int) -> Piece | None:
    """The line that a list item hangs on: "The warranty covers:"."""
    first = at
    while first and pieces[first].kind == "item" and pieces[first - 1].source is pieces[at].source:
        first -= 1
    lead = pieces[first]
    ends = lead.text.rstrip("*_ ").endswith((":", "："))
    return lead if lead.kind == "prose" and ends and len(lead.text) <= MAX_LEAD_CHARS else None


def _follow(pieces: Sequence[Piece], at: int, cue: Cue | None) -> tuple[Piece, ...]:
    """What a sentence announces: the code behind it, or the list behind its colon."""
    piece = pieces[at]
    behind = []
    for other in pieces[at + 1 :]:
        if other.source is not piece.source:
            break
        behind.append(other)
        if len(behind) == MAX_LIST_ITEMS:
            break
    announces = piece.text.rstrip("*_ ").endswith((":", "："))
    if not behind or piece.kind == "row" or not (announces or cue == "way"):
        return ()
    if behind[0].kind == "code":
        return tuple(behind[:1]) if len(behind[0].text) <= MAX_CODE_CHARS else ()
    if not announces or piece.kind != "prose":
        return ()
    items: list[Piece] = []
    length = 0
    for other in behind:
        length += len(other.text)
        if other.kind != behind[0].kind or other.kind == "prose" or length > MAX_LIST_CHARS:
            break
        items.append(other)
    return tuple(items)
