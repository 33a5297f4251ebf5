"""A stand-in of the Claude Messages API: a real HTTP server on loopback, for the real SDK.

It refuses what the real API refuses (`rules.py`, `shapes.py`), answers what a test scripts (`replies.py`), travels
as badly as a test asks for (`wire.py`, `connection.py`), and records who asked what (`recorded.py`).

    with ClaudeAPI() as api:
        api.reply("The fee is ", Text("5 EUR.", Cite(0, 2)))     # quotes block 2 of source 0
        api.reply(failure(529, retry_after=1))                   # the call after that
        client = api.client(max_retries=2)    # or any AsyncAnthropic with api.key, api.base_url

Without a script it answers sensibly: keywords where an output format is asked for, a cited answer
where there are sources. A request that the API would refuse is refused whatever the script says, and
does not use the script up. What is refused, and with which words, comes from documentation and from
reports, not from recordings.

`python -m tests.claude_api --port 8765 --deltas-per-second 10` serves it in a process of its own.
"""

from __future__ import annotations

from .models import MODELS, RETIRED, Model
from .recorded import Moment, Request
from .replies import (
    Cite,
    Reply,
    Text,
    Thinking,
    ToolUse,
    failure,
    html,
    redirect,
    refusal,
    reply,
    structured,
)
from .server import KEY, ClaudeAPI, refusing_port
from .wire import ScriptError

__all__ = [
    "KEY",
    "MODELS",
    "RETIRED",
    "Cite",
    "ClaudeAPI",
    "Model",
    "Moment",
    "Reply",
    "Request",
    "ScriptError",
    "Text",
    "Thinking",
    "ToolUse",
    "failure",
    "html",
    "redirect",
    "refusal",
    "refusing_port",
    "reply",
    "structured",
]
