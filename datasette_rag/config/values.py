"""Values of settings: each parser takes what the owner wrote and raises ValueError if it is wrong."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from .model import DEFAULT_LIMITS, DEFAULT_LOG, MOST_KEYWORDS, LogConfig

Parser = Callable[[Any], Any]


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the known one that is meant, or all of them."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    return f", did you mean {near[0]}?" if near else f"; known are {', '.join(names)}"


def shown(value: Any) -> str:
    """A value as an error message shows it."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, got {shown(value)}")
    return value


def _api_address(value: Any) -> str:
    try:
        parts = urlsplit(_text(value))
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        parts, usable = None, False
    if not parts or not usable:
        raise ValueError("expected an address such as https://api.example.com")
    if parts.username is not None or parts.password is not None:
        # All of the configuration but the key is public.
        raise ValueError("an address with a password in it would be public; use api_key")
    return str(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {shown(value)}")
    return value


def _between(low: int, high: int) -> Callable[[Any], int]:
    def parse_number(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"expected a whole number, got {shown(value)}")
        if not low <= value <= high:
            raise ValueError(f"expected a number from {low} to {high}, got {value}")
        return value

    return parse_number


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"expected a list of texts, got {shown(value)}")
    return tuple(value)


def _groups(value: Any) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list):
        raise ValueError(
            "expected a list of groups such as [[invoice, bill], [laptop, notebook]], "
            f"got {shown(value)}"
        )
    groups = []
    for group in value:
        words = _texts(group)
        if len(words) < 2:
            raise ValueError(f"a group needs two words or more, got {shown(group)}")
        groups.append(words)
    return tuple(groups)


def _allow(value: Any) -> Any:
    if not isinstance(value, (bool, Mapping)):
        raise ValueError(f"expected an allow block or true or false, got {shown(value)}")
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"expected a mapping, got {shown(value)}")
    return value


def _limits(value: Any) -> Mapping[str, int]:
    limits = dict(DEFAULT_LIMITS)
    for key, number in _mapping(value).items():
        if key not in limits:
            raise ValueError(f"unknown limit {key}{nearest(key, limits)}")
        limits[key] = _between(0 if key == "per_day" else 1, 1_000_000)(number)
    return limits


def _prices(value: Any) -> Mapping[str, Mapping[str, float]]:
    for model, price in _mapping(value).items():
        if not isinstance(price, Mapping) or set(price) != {"input", "output"}:
            raise ValueError(f"expected {{input: …, output: …}} for {model}")
        if any(
            isinstance(number, bool)
            or not isinstance(number, (int, float))
            or not 0 <= number <= 1_000_000
            for number in price.values()
        ):
            raise ValueError(f"expected dollars for a million tokens for {model}")
    return value


def _log(value: Any) -> LogConfig:
    if value is False:
        return LogConfig(None)
    if isinstance(value, str) and value.strip():
        return LogConfig(value)
    if not isinstance(value, Mapping):
        raise ValueError(
            "expected false, memory, internal, the name of a database, a path such as "
            f"rag-log.db, or a mapping with database, days and actor; got {shown(value)}"
        )
    parsers: Mapping[str, Parser] = {
        "database": _log_database,
        "days": _between(1, 36_500),
        "actor": _flag,
    }
    values: dict[str, Any] = {}
    for key, one in value.items():
        if key not in parsers:
            raise ValueError(f"unknown setting {key}{nearest(key, parsers)}")
        try:
            values[key] = parsers[key](one)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None
    return LogConfig(**{"database": DEFAULT_LOG, **values})


def _log_database(value: Any) -> str | None:
    if value is False:
        return None
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected false, or a name or path, got {shown(value)}")
    return value


def _columns(value: Any) -> Mapping[str, float]:
    if isinstance(value, list) and value:
        return dict.fromkeys(_texts(value), 1.0)
    if not isinstance(value, Mapping) or not value:
        raise ValueError(
            f"expected a list of columns or a mapping of column to weight, got {shown(value)}"
        )
    weights = {}
    for name, weight in value.items():
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise ValueError(f"expected a weight for {name}, got {shown(weight)}")
        if not 0 < weight <= 100:
            raise ValueError(f"expected a weight of more than 0 and at most 100 for {name}")
        weights[str(name)] = float(weight)
    return weights


ROOT: Mapping[str, Parser] = {
    "answerer": _text,
    "api_key": _mapping,
    "api_base_url": _api_address,
    "keyword_model": _text,
    "answer_model": _text,
    "keyword_prompt": _text,
    "instructions": _text,
    "no_answer": _text,
    "synonyms": _groups,
    "max_sources": _between(1, 100),
    "max_chars": _between(500, 1_000_000),
    "max_question_chars": _between(20, 20_000),
    "max_keywords": _between(1, MOST_KEYWORDS),
    "examples": _texts,
    "answer_on_get": _flag,
    "allow": _allow,
    "admin": _allow,
    "log": _log,
    "limits": _limits,
    "prices": _prices,
}
DATABASE: Mapping[str, Parser] = {"search": _flag, "instructions": _text}
TABLE: Mapping[str, Parser] = {
    "search": _flag,
    "instructions": _text,
    "fts_table": _text,
    "title": _text,
    "columns": _columns,
    "url": _text,
    "date": _text,
}
