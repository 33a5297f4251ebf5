"""What is kept of a question once it has ended: its row in the log, its events for plugins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import compat
from ..compat import Actor
from ..events import AnswerEnd, ModelError, Reply
from ..log.writer import in_time, record
from .searching import own_words
from .state import State

if TYPE_CHECKING:
    from datasette.app import Datasette

MAX_TOPIC_WORDS = 12

LEFT = ModelError("left", "The asker left before the answer was complete.")


async def recorded(datasette: Datasette, reply: Reply, actor: Actor) -> Reply:
    """The reply, with whether the log has it by now."""
    # Started first: the database writes while plugins hear of the answer.
    writing = record(datasette, reply, topic=_topic(reply.question), actor=actor)
    if reply.answered:
        await compat.track_event(
            datasette,
            "answered",
            actor,
            question_id=reply.id,
            answerer=reply.answerer or "",
            outcome=reply.outcome or "",
            sources=len(reply.sources),
            cost_usd=reply.usage.cost_usd,
        )
    return replace(reply, logged=await in_time(datasette, writing))


def record_left(datasette: Datasette, state: State, actor: Actor) -> None:
    """Log in the background what was paid for a question whose asker has left."""
    spent = state.answer_usage
    state.ended(AnswerEnd("cut_off", None, spent.model, spent.usage, LEFT))
    reply = state.done().reply
    record(datasette, reply, topic=_topic(reply.question), actor=actor)


def _topic(question: str) -> Sequence[str]:
    """The question's own words, whoever made the keywords: what it shares with its like."""
    return own_words(question)[:MAX_TOPIC_WORDS]
