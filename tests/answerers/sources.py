"""Sources for the tests of answerers."""

from __future__ import annotations

from datasette_rag.answerers.extractive import extract
from datasette_rag.events import AnswerDelta, AnswerEnd, Citation, Source


def source(passage, number=1, title="", heading="", date=None):
    return Source(
        number, "db", "docs", (str(number),), title, heading, date, passage, 1 / number, None, None
    )


def sources(*passages, title=""):
    return [source(passage, number, title) for number, passage in enumerate(passages, 1)]


def answer(question, given, keywords):
    """The text, the citations and the outcome of an extractive answer."""
    events = list(extract(question, given, keywords=keywords))
    text = "".join(event.text for event in events if isinstance(event, AnswerDelta))
    citations = [event for event in events if isinstance(event, Citation)]
    (end,) = (event for event in events if isinstance(event, AnswerEnd))
    assert events[-1] is end
    return text, citations, end.outcome
