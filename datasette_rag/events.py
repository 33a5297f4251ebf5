"""The typed events of one question, and the dataclasses that they carry.

`ask.py` yields these events in the order in which they happen; every face (page, JSON,
event stream, command line) is a rendering of them and of nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

KeywordsFrom = Literal["claude", "question", "asker"]
Outcome = Literal[
    "answered",
    "unknown",
    "nothing_found",
    "nothing_searchable",
    "refused",
    "cut_off",
    "failed",
    "limited",
]
TableStatus = Literal["ok", "timed_out", "error", "out_of_date", "wrong_script"]


@dataclass(frozen=True)
class Quote:
    """A piece of a source that the answer rests on: `passage[start:end] == text`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A passage of a row that is given to the answerer, numbered from 1.

    `pks` are the row's primary key values as text, in the order of the key (the rowid for
    a table without one); it is empty, and `row_url` None, where the row has no address of
    its own. `heading` is the trail of headings above the passage (`Guide > Install`), empty
    where there is none. `score` is the fused rank score: larger is better, comparable only
    within one question.
    """

    number: int
    database: str
    table: str
    pks: tuple[str, ...]
    title: str
    heading: str
    date: str | None
    passage: str
    score: float
    url: str | None
    row_url: str | None
    cited: bool = False
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True)
class SearchedTable:
    """What became of one searchable table: its status, and how many rows it gave (at most 100).

    `message` says in words what is wrong and what mends it; it is empty when `status` is `ok`.
    """

    database: str
    table: str
    status: TableStatus
    rows: int
    query_url: str | None
    message: str = ""


@dataclass(frozen=True)
class Usage:
    """Tokens that models took for this question, and what that cost."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True)
class ModelError:
    """Why a model gave no whole answer: a short kind, a sentence for the visitor, seconds to wait."""

    kind: str
    message: str
    retry_after: float | None = None


@dataclass(frozen=True)
class Keywords:
    """Event: the keywords are known, and the match query made of them."""

    keywords: tuple[str, ...]
    keywords_from: KeywordsFrom
    match: str


@dataclass(frozen=True)
class Sources:
    """Event: search is done."""

    sources: tuple[Source, ...]
    tables: tuple[SearchedTable, ...]


@dataclass(frozen=True)
class AnswerDelta:
    """Event: Markdown to be added to the answer."""

    text: str


@dataclass(frozen=True)
class Citation:
    """Event: the answer, at this point, rests on `passage[start:end]` of source `number`."""

    number: int
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Check:
    """Event: one finding about the finished answer."""

    name: str
    ok: bool
    message: str


@dataclass(frozen=True)
class AnswerUsage:
    """What an answer has taken so far; counts where the answerer is stopped before its end."""

    model: str | None = None
    usage: Usage = Usage()


@dataclass(frozen=True)
class AnswerEnd:
    """How an answerer ended; `ask.py` takes it and no face sees it."""

    outcome: Outcome
    stop_reason: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    error: ModelError | None = None


@dataclass(frozen=True)
class Reply:
    """The whole outcome of a question, as DESIGN's "Reply" gives it (without the rendering).

    `outcome` is None where sources were found and no answer was asked for. `logged` tells
    whether the log has the question by now, so that its answer has an address.
    """

    id: str
    question: str
    keywords: tuple[str, ...]
    keywords_from: KeywordsFrom
    match: str
    outcome: Outcome | None
    answer: str
    answerer: str | None
    stop_reason: str | None
    error: ModelError | None
    sources: tuple[Source, ...]
    checks: tuple[Check, ...]
    tables: tuple[SearchedTable, ...]
    models: dict[str, str | None] = field(
        default_factory=lambda: {"keywords": None, "answer": None}
    )
    usage: Usage = Usage()
    timings_ms: dict[str, float] = field(default_factory=dict)
    logged: bool = False

    @property
    def ok(self) -> bool:
        """Whether the question was served (`limited` is the one that was not)."""
        return self.outcome != "limited"

    @property
    def answered(self) -> bool:
        """Whether `answer` holds an answer, be it a cut off one."""
        return self.outcome in ("answered", "cut_off")


@dataclass(frozen=True)
class Done:
    """Event: the last one of a question that could be searched."""

    reply: Reply


@dataclass(frozen=True)
class Failed:
    """Event: the last one of a question that could not be searched at all.

    `status` is the HTTP status that says so (400, 403, 404 or 500); `message` is written
    for the asker and holds no SQL, no path and no name that the asker may not see.
    """

    status: int
    message: str


Event = Keywords | Sources | AnswerDelta | Citation | Check | Done | Failed
AnswerEvent = AnswerDelta | Citation | AnswerUsage | AnswerEnd
