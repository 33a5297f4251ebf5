"""Files of questions → questions: YAML, CSV, JSON Lines, and BEIR's queries with their qrels."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .questions import EvalQuestion, Expected, QuestionsError, parse_question

# A line, and what it says.
Record = tuple[int, Mapping[str, Any]]


def read_questions(path: Path, qrels: Path | None = None) -> list[EvalQuestion]:
    """The questions of a file, in its order.

    Args:
        path: a file that ends in `.yml`, `.yaml`, `.csv` or `.jsonl`; with `qrels` it is BEIR's
            `queries.jsonl` (`_id` and `text` in each line).
        qrels: the judgments, tab-separated: query, row's primary key, grade. Only the queries
            that it has something relevant for are read.

    Raises:
        QuestionsError: one line with the file, the line and what mends it.
    """
    ending = path.suffix.casefold()
    if qrels is not None:
        if ending != ".jsonl":
            raise QuestionsError(f"{path}: with --qrels give BEIR's queries.jsonl")
        return _judged(path, _judgments(qrels))
    if ending in (".yml", ".yaml"):
        return gathered(str(path), "line", _yaml_records(path))
    if ending == ".csv":
        return gathered(str(path), "line", _csv_records(path), cells=True)
    if ending == ".jsonl":
        return gathered(str(path), "line", _without_qrels(path))
    raise QuestionsError(
        f"{path}: questions are read from .yml, .yaml, .csv and .jsonl files, and from a table "
        "given as DATABASE/TABLE"
    )


def gathered(
    name: str, unit: str, records: Iterable[Record], *, cells: bool = False
) -> list[EvalQuestion]:
    """The questions of all records.

    Args:
        name: what the records are from, as messages name it.
        unit: what they are numbered by: "line" or "row".
        records: the number of each, and what it says.
        cells: as `parse_question` takes it.

    Raises:
        QuestionsError: one of them is wrong, there is none, or two have one id.
    """
    places: dict[str, int] = {}
    questions = []
    for number, record in records:
        try:
            question = parse_question(record, cells=cells)
            if question.id in places:
                raise QuestionsError(
                    f"this question stands in {unit} {places[question.id]} already: leave one "
                    "out, or give each an id of its own"
                )
        except QuestionsError as error:
            raise QuestionsError(f"{name}, {unit} {number}: {error}") from None
        places[question.id] = number
        questions.append(question)
    if not questions:
        raise QuestionsError(f"{name} holds no question: write at least one")
    return questions


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise QuestionsError(f"{path} is not UTF-8: save it as UTF-8") from None
    except OSError as error:
        raise QuestionsError(f"{path} can't be read: {error.strerror}") from None


def _yaml_records(path: Path) -> Iterator[Record]:
    import yaml

    text = _read(path)
    try:
        loader = yaml.SafeLoader(text)
        whole = loader.get_single_node()
        if whole is None:
            return
        if not isinstance(whole, yaml.SequenceNode):
            raise QuestionsError(f"{path}: expected a list of questions, each with - in front")
        for node in whole.value:
            line = node.start_mark.line + 1
            try:
                record = loader.construct_object(node, deep=True)
            except ValueError as error:
                raise QuestionsError(f"{path}, line {line}: {error}") from None
            yield line, _mapping(path, line, record)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise QuestionsError(f"{path}, line {line}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise QuestionsError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from None


def _csv_records(path: Path) -> Iterator[Record]:
    reader = csv.DictReader(io.StringIO(_read(path), newline=""), strict=True)
    try:
        names = reader.fieldnames or []
        if "question" not in names:
            raise QuestionsError(
                f"{path}, line 1: no column is called question; the first line names the columns"
            )
        line = reader.line_num + 1
        for row in reader:
            if None in row:
                raise QuestionsError(
                    f"{path}, line {line}: more cells than columns: put cells with commas in "
                    "them into double quotes"
                )
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise QuestionsError(f"{path}, line {reader.line_num}: not valid CSV: {error}") from None


def _json_records(path: Path) -> Iterator[Record]:
    for line, text in enumerate(_read(path).split("\n"), start=1):
        if text.strip():
            try:
                record = json.loads(text)
            except ValueError as error:
                raise QuestionsError(f"{path}, line {line}: not valid JSON: {error}") from None
            yield line, _mapping(path, line, record)


def _without_qrels(path: Path) -> Iterator[Record]:
    for line, record in _json_records(path):
        if "question" not in record and record.keys() >= {"_id", "text"}:
            raise QuestionsError(
                f"{path}, line {line}: this is BEIR's format; give its judgments with --qrels FILE"
            )
        yield line, record


def _mapping(path: Path, line: int, record: Any) -> Mapping[str, Any]:
    if not isinstance(record, Mapping):
        raise QuestionsError(
            f"{path}, line {line}: expected a question with its keys (question: …, find: …)"
        )
    return record


def _judged(path: Path, judgments: Mapping[str, Mapping[str, float]]) -> list[EvalQuestion]:
    questions = []
    for line, record in _json_records(path):
        id, text = record.get("_id"), record.get("text")
        if id is None or not isinstance(text, str) or not text.strip():
            raise QuestionsError(f"{path}, line {line}: expected _id and text, as BEIR has them")
        relevant = {name: grade for name, grade in judgments.get(str(id), {}).items() if grade > 0}
        if relevant:
            find = tuple(Expected(name, "row", grade) for name, grade in relevant.items())
            questions.append(EvalQuestion(str(id), text.strip(), find))
    if not questions:
        raise QuestionsError(f"{path}: --qrels has nothing relevant for any of these queries")
    return questions


def _judgments(path: Path) -> dict[str, dict[str, float]]:
    judgments: dict[str, dict[str, float]] = {}
    for line, text in enumerate(_read(path).split("\n"), start=1):
        cells = text.rstrip("\r").split("\t")
        if not text.strip() or (line == 1 and not _is_number(cells[-1])):
            continue
        if len(cells) != 3 or not _is_number(cells[2]):
            raise QuestionsError(
                f"{path}, line {line}: expected query, row's key and grade with tabs between them"
            )
        judgments.setdefault(cells[0], {})[cells[1]] = float(cells[2])
    return judgments


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
