"""Questions with known answers: what one says, and whether it says it rightly."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["any", "row", "path", "title"]

KEYS = ("id", "question", "find", "words", "not_words", "no_answer")
_KINDS: tuple[Kind, ...] = ("row", "path", "title")
_YES = {"true", "yes", "1", "x"}
_NO = {"false", "no", "0", ""}


class QuestionsError(Exception):
    """Questions can't be used; one line that says where, what is wrong, and what mends it."""


@dataclass(frozen=True)
class Expected:
    """Something that a question should find.

    `name` is a row's key (`database/table/key`, or the key alone), the path or the title of a
    document, as `kind` says; of kind `any` it is whichever of them is there. `grade` is
    above 0; larger is more relevant.
    """

    name: str
    kind: Kind = "any"
    grade: float = 1.0


@dataclass(frozen=True)
class EvalQuestion:
    """A question with what is known of its answer.

    `id` tells the question apart from others, in later runs too; it is the question itself
    where none is given. `find` are all right things to find. The answer must hold all of
    `words` and none of `not_words`, upper and lower case being the same. `no_answer` means
    that the right answer is "not found".
    """

    id: str
    question: str
    find: tuple[Expected, ...] = ()
    words: tuple[str, ...] = ()
    not_words: tuple[str, ...] = ()
    no_answer: bool = False


def parse_question(record: Mapping[str, Any], *, cells: bool = False) -> EvalQuestion:
    """One question out of what its file says.

    Args:
        record: the values by the names in `KEYS`; other names are left alone, unless they look
            like one of these misspelt.
        cells: whether the values are cells of a table, where a list is written as lines or
            as JSON, and no value as an empty cell.

    Raises:
        QuestionsError: what is wrong; the caller adds where.
    """
    for name in record:
        near = difflib.get_close_matches(str(name).casefold(), KEYS, n=1, cutoff=0.8)
        if name not in KEYS and near and near[0] not in record:
            raise QuestionsError(f"unknown key {name}, did you mean {near[0]}?")
    values = {key: _from_cell(key, record.get(key)) if cells else record.get(key) for key in KEYS}
    text = values["question"]
    if not isinstance(text, str) or not text.strip():
        raise QuestionsError("there is no question: give one as text under question")
    question = EvalQuestion(
        id=_text("id", values["id"]) if values["id"] not in (None, "") else text.strip(),
        question=text.strip(),
        find=_found(values["find"]),
        words=_texts("words", values["words"]),
        not_words=_texts("not_words", values["not_words"]),
        no_answer=_flag(values["no_answer"]),
    )
    if question.no_answer and (question.find or question.words):
        raise QuestionsError("no_answer excludes find and words: leave one or the other out")
    if not (question.no_answer or question.find or question.words or question.not_words):
        raise QuestionsError(
            "nothing says what is right: give find, words or not_words, or no_answer: true"
        )
    return question


def _from_cell(key: str, value: Any) -> Any:
    if not isinstance(value, str) or key in ("id", "question", "no_answer"):
        return value
    text = value.strip()
    if text.startswith(("[", "{")):
        try:
            return json.loads(text)
        except ValueError:
            # A path or a title may begin so.
            pass
    return [line.strip() for line in text.splitlines() if line.strip()]


def _found(value: Any) -> tuple[Expected, ...]:
    items = _listed(value)
    found = [one for item in items for one in _expected(item)]
    names = [(one.kind, one.name) for one in found]
    for name in names:
        if names.count(name) > 1:
            raise QuestionsError(f"find names {name[1]} twice: leave one out")
    return tuple(found)


def _expected(item: Any) -> Sequence[Expected]:
    if not isinstance(item, Mapping):
        return [Expected(_text("find", item))]
    kinds: list[Kind] = [kind for kind in _KINDS if kind in item]
    if len(kinds) != 1 or not item.keys() <= {*kinds, "grade"}:
        raise QuestionsError(
            "an item of find is a text, or has one of row, path and title, and grade if you "
            f"like; got {_shown(item)}"
        )
    grade = item.get("grade", 1)
    if isinstance(grade, bool) or not isinstance(grade, (int, float)) or not 0 < grade < 1e6:
        raise QuestionsError(f"grade must be a number above 0, got {_shown(grade)}")
    return [Expected(_text(kinds[0], item[kinds[0]]), kinds[0], float(grade))]


def _texts(key: str, value: Any) -> tuple[str, ...]:
    return tuple(_text(key, item) for item in _listed(value))


def _listed(value: Any) -> Sequence[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _text(key: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise QuestionsError(f"{key} must hold text, got {_shown(value)}; put it into quotes")
    if not str(value).strip():
        raise QuestionsError(f"{key} holds an empty text: leave it out")
    return str(value).strip()


def _flag(value: Any) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    word = str(value).strip().casefold()
    if word not in _YES | _NO:
        raise QuestionsError(f"no_answer must be true or false, got {_shown(value)}")
    return word in _YES


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
