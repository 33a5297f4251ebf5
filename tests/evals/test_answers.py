"""An answer is measured by its words, its citations, its checks, and by being one at all."""

from __future__ import annotations

import pytest

from datasette_rag.evals.answers import measured_answer
from datasette_rag.evals.questions import EvalQuestion
from datasette_rag.events import Check, Reply

ITEM = ("path", "a.md")


def reply(outcome, answer="", checks=()):
    return Reply(
        "id", "q", (), "question", "", outcome, answer, "extractive", None, None, (), checks, ()
    )


def question(**values):
    return EvalQuestion("q", "q", **values)


@pytest.mark.parametrize(
    "asked, given, cited, expected",
    [
        (
            question(words=("60 Days", "foo_bar")),
            reply("answered", "Within **60\ndays**: `foo_bar`. [1]", (Check("numbers", True, ""),)),
            [ITEM, ("path", "b.md")],
            {"answered": 1, "words": 1, "cited": 1, "checks": 1},
        ),
        (
            question(words=("60",), not_words=("30",)),
            reply("answered", "60, or 30 [2].", (Check("numbers", False, ""),)),
            [("path", "b.md")],
            {"answered": 1, "words": 0, "cited": 0, "checks": 0},
        ),
        (
            # The words of "nothing was found" are no answer.
            question(words=("found",)),
            reply("nothing_found", "Nothing was found."),
            [],
            {"answered": 0, "words": 0, "cited": 0},
        ),
        (
            question(not_words=("30",)),
            reply("unknown"),
            [],
            {"answered": 0, "words": 1, "cited": 0},
        ),
        (question(no_answer=True), reply("unknown"), [], {"not_found": 1}),
        (question(no_answer=True), reply("answered", "a"), [], {"not_found": 0, "checks": 1}),
    ],
)
def test_measures(asked, given, cited, expected):
    grades = {} if asked.no_answer else {ITEM: 1.0}
    assert measured_answer(asked, grades, given, cited) == expected


def test_nothing_is_said_of_what_is_not_known():
    given = reply("answered", "a")
    assert measured_answer(question(words=("a",)), {}, given, []) == {
        "answered": 1,
        "words": 1,
        "checks": 1,
    }
