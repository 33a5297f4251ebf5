"""How good one answer is: the right words, a right source, the checks, and "not found" in its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..events import Reply
from .matching import Item
from .questions import EvalQuestion

# What each measure says, from 0 to 1, and of which questions.
ANSWER_MEASURES = {
    "answered": "of the questions with an answer, how many got one",
    "words": "of those that name words, how many answers hold the right ones",
    "cited": "of those that should find something, how many answers cite it",
    "checks": "of the answers, how many passed every check",
    "not_found": 'of the questions without an answer, to how many "not found" was said',
}

_MARKS = re.compile(r"\[\d+\]|[*_`\\]")


def measured_answer(
    question: EvalQuestion, grades: Collection[Item], reply: Reply, cited: Sequence[Item]
) -> dict[str, float]:
    """The measures that say something of this answer.

    Args:
        question: what was asked, and what is right.
        grades: the items that are expected.
        reply: the answer.
        cited: the items that the answer cites.
    """
    measures = {}
    if question.no_answer:
        measures["not_found"] = float(not reply.answered)
    else:
        measures["answered"] = float(reply.answered)
    if question.words or question.not_words:
        text = _folded(reply.answer)
        measures["words"] = float(
            (reply.answered or not question.words)
            and all(_folded(word) in text for word in question.words)
            and not any(_folded(word) in text for word in question.not_words)
        )
    if grades:
        measures["cited"] = float(reply.answered and any(item in grades for item in cited))
    if reply.answered:
        measures["checks"] = float(all(check.ok for check in reply.checks))
    return measures


def _folded(text: str) -> str:
    """The text without marks of Markdown, numbers of sources, and differences of case and space."""
    return " ".join(_MARKS.sub("", text).casefold().split())
