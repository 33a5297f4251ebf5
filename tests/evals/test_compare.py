"""Two runs are compared over the questions that both have."""

from __future__ import annotations

from datasette_rag.evals.compare import differences


def test_only_shared_questions_count():
    before = {"a": {"hit@1": 1.0}, "b": {"hit@1": 0.0}, "old": {"hit@1": 1.0}, "c": {"hit@1": 0.0}}
    after = {"a": {"hit@1": 0.0}, "b": {"hit@1": 0.5}, "new": {"hit@1": 1.0}, "c": {"hit@1": 0.0}}
    (one,) = differences(before, after)
    assert (one.measure, one.questions) == ("hit@1", 3)
    assert (one.before, one.after) == (1 / 3, 0.5 / 3)
    assert list(one.changed.items()) == [("a", -1.0), ("b", 0.5)]
    assert one.p_value == 1.0


def test_only_shared_measures_are_compared():
    before = {"a": {"hit@1": 1.0, "words": 1.0}}
    after = {"a": {"hit@1": 1.0, "hit@3": 1.0}}
    assert [one.measure for one in differences(before, after)] == ["hit@1"]
    assert differences(before, {"b": {"hit@1": 1.0}}) == []
