"""The plugin's configuration, parsed and checked once, into frozen dataclasses."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml
from datasette.utils import resolve_env_secrets

from . import compat

if TYPE_CHECKING:
    from datasette.app import Datasette

PLUGIN = "datasette-rag"

# Paid answers under way at once, paid answers a day (UTC), seconds that one may take.
DEFAULT_LIMITS: Mapping[str, int] = {"at_once": 4, "per_day": 200, "seconds": 60}


class ConfigError(Exception):
    """The configuration can't be used; the message is one line that names the path."""


@dataclass(frozen=True)
class TableConfig:
    """How one table is searched; every key may stand in its `plugins: datasette-rag:`."""

    search: bool = True
    instructions: str | None = None
    fts_table: str | None = None
    title: str | None = None
    columns: Mapping[str, float] | None = None
    url: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class DatabaseConfig:
    """What is set for a whole database."""

    search: bool = True
    instructions: str | None = None


@dataclass(frozen=True)
class Config:
    """The configuration of the whole plugin; DESIGN's "Configuration" names the keys."""

    answerer: str = "extractive"
    api_key: Mapping[str, str] | None = None
    api_base_url: str | None = None
    keyword_model: str = "claude-haiku-5-5"
    answer_model: str = "claude-sonnet-5-5"
    keyword_prompt: str | None = None
    instructions: str | None = None
    no_answer: str = "Nothing was found that answers this question."
    synonyms: tuple[tuple[str, ...], ...] = ()
    max_sources: int = 8
    max_chars: int = 10_000
    max_question_chars: int = 2_000
    max_keywords: int = 48
    examples: tuple[str, ...] = ()
    answer_on_get: bool = False
    allow: Any = None
    admin: Any = None
    log: Any = None
    limits: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    databases: Mapping[str, DatabaseConfig] = field(default_factory=dict)
    tables: Mapping[tuple[str, str], TableConfig] = field(default_factory=dict)

    def table(self, database: str, table: str) -> TableConfig:
        """The configuration of one table, `search` of its database included."""
        of_database = self.databases.get(database)
        of_table = self.tables.get((database, table))
        if of_table is not None:
            return of_table
        if of_database is not None:
            return TableConfig(search=of_database.search)
        return TableConfig()


def load(datasette: Datasette) -> Config:
    """The configuration of this instance, parsed when first asked for.

    Raises ConfigError if it can't be used.
    """
    return compat.state(
        datasette, "config", lambda: parse(compat.raw_config(datasette), os.environ)
    )


def parse(raw: Mapping[str, Any], env: Mapping[str, str]) -> Config:
    """Parse the whole configuration tree of a Datasette.

    `raw` is the tree with `plugins:` and `databases:` in it, `env` the environment that
    `$env` references are looked up in. Databases, tables and columns are not checked for
    existence here: that is a finding, not an error. Raises ConfigError for an unknown key
    or a value of the wrong type.
    """
    root_path = f"plugins.{PLUGIN}"
    root = dict(_block(raw, root_path))
    if "api_key" in root:
        _check_secret(root["api_key"], f"{root_path}.api_key")
    secret = root.pop("api_key", None)
    values = _values(root, _ROOT, root_path, env)
    if secret is not None:
        values["api_key"] = secret
    databases: dict[str, DatabaseConfig] = {}
    tables: dict[tuple[str, str], TableConfig] = {}
    for database, block, path in _children(raw, "databases", ""):
        own = _block(block, f"{path}plugins.{PLUGIN}")
        if own:
            own_path = f"{path}plugins.{PLUGIN}"
            databases[database] = DatabaseConfig(**_values(own, _DATABASE, own_path, env))
        for table, table_block, table_path in _children(block, "tables", path):
            own_path = f"{table_path}plugins.{PLUGIN}"
            own = _block(table_block, own_path)
            parsed = _values(own, _TABLE, own_path, env)
            # Datasette's own settings for the same things.
            for key, ours in (("fts_table", "fts_table"), ("label_column", "title")):
                if isinstance(table_block.get(key), str):
                    parsed.setdefault(ours, table_block[key])
            if table_block.get("hidden") is True:
                parsed.setdefault("search", False)
            if not parsed:
                continue
            if database in databases:
                parsed.setdefault("search", databases[database].search)
            tables[(database, table)] = TableConfig(**parsed)
    return Config(**values, databases=databases, tables=tables)


def _block(raw: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    plugins = raw.get("plugins")
    if plugins is None:
        return {}
    if not isinstance(plugins, Mapping):
        raise ConfigError(f"{path.removesuffix('.' + PLUGIN)}: expected a mapping")
    misspelt = PLUGIN.replace("-", "_")
    if misspelt in plugins:
        raise ConfigError(f"{path.removesuffix(PLUGIN)}{misspelt}: did you mean {PLUGIN}?")
    block = plugins.get(PLUGIN)
    if block is None:
        return {}
    if not isinstance(block, Mapping):
        raise ConfigError(f"{path}: expected a mapping of settings, got {_shown(block)}")
    return block


def _children(
    raw: Mapping[str, Any], key: str, path: str
) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    children = raw.get(key)
    if not isinstance(children, Mapping):
        return
    for name, block in children.items():
        if isinstance(block, Mapping):
            yield str(name), block, f"{path}{key}.{name}."


def _values(
    block: Mapping[str, Any],
    parsers: Mapping[str, Callable[[Any], Any]],
    path: str,
    env: Mapping[str, str],
) -> dict[str, Any]:
    values = {}
    for key, value in block.items():
        own_path = f"{path}.{key}"
        if key not in parsers:
            raise ConfigError(f"{own_path}: unknown setting{_nearest_setting(key, parsers)}")
        if value is None:
            continue
        try:
            values[key] = _parsed(value, parsers[key], own_path, env)
        except ValueError as error:
            raise ConfigError(f"{own_path}: {error}") from None
    return values


def _parsed(value: Any, parse: Callable[[Any], Any], path: str, env: Mapping[str, str]) -> Any:
    if not _is_reference(value):
        return parse(value)
    try:
        text = resolve_env_secrets(dict(value), env)
    except OSError as error:
        raise ConfigError(f"{path}: a $file can't be read: {error}") from error
    if text is None:
        # Taking it for "not set" would, of all settings, open what `allow` is to close.
        raise ConfigError(f"{path}: the environment has no variable {value['$env']}")
    try:
        return parse(text)
    except ValueError:
        # What comes from there is text, also where a number or a list is wanted.
        try:
            read = yaml.safe_load(text)
        except yaml.YAMLError:
            read = text
        return parse(read)


def _is_reference(value: Any) -> bool:
    return isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in ("$env", "$file")


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the known one that is meant, or all of them."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    return f", did you mean {near[0]}?" if near else f"; known are {', '.join(names)}"


def _nearest_setting(key: str, known: Mapping[str, Any]) -> str:
    if not difflib.get_close_matches(str(key), known, n=1, cutoff=0.5):
        for level, keys in (
            ("the root plugin configuration", _ROOT),
            ("a table's plugin configuration", _TABLE),
        ):
            if key in keys:
                return f" here, it belongs into {level}"
    return nearest(key, known)


def _check_secret(value: Any, path: str) -> None:
    if not _is_reference(value) or not isinstance(next(iter(value.values())), str):
        # The value itself must not get into a log.
        raise ConfigError(
            f"{path}: give a reference, never the key itself: "
            "{$env: ANTHROPIC_API_KEY} or {$file: /path/to/key}"
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, got {_shown(value)}")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {_shown(value)}")
    return value


def _between(low: int, high: int) -> Callable[[Any], int]:
    def parse_number(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"expected a whole number, got {_shown(value)}")
        if not low <= value <= high:
            raise ValueError(f"expected a number from {low} to {high}, got {value}")
        return value

    return parse_number


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"expected a list of texts, got {_shown(value)}")
    return tuple(value)


def _groups(value: Any) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list):
        raise ValueError(
            "expected a list of groups such as [[invoice, bill], [laptop, notebook]], "
            f"got {_shown(value)}"
        )
    groups = []
    for group in value:
        words = _texts(group)
        if len(words) < 2:
            raise ValueError(f"a group needs two words or more, got {_shown(group)}")
        groups.append(words)
    return tuple(groups)


def _allow(value: Any) -> Any:
    if not isinstance(value, (bool, Mapping)):
        raise ValueError(f"expected an allow block or true or false, got {_shown(value)}")
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"expected a mapping, got {_shown(value)}")
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
            isinstance(number, bool) or not isinstance(number, (int, float)) or number < 0
            for number in price.values()
        ):
            raise ValueError(f"expected dollars for a million tokens for {model}")
    return value


def _log(value: Any) -> Any:
    if not isinstance(value, (bool, str)):
        raise ValueError(f"expected false or the name of a database, got {_shown(value)}")
    return value


def _columns(value: Any) -> Mapping[str, float]:
    if isinstance(value, list) and value:
        return dict.fromkeys(_texts(value), 1.0)
    if not isinstance(value, Mapping) or not value:
        raise ValueError(
            f"expected a list of columns or a mapping of column to weight, got {_shown(value)}"
        )
    weights = {}
    for name, weight in value.items():
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise ValueError(f"expected a weight for {name}, got {_shown(weight)}")
        if not 0 < weight <= 100:
            raise ValueError(f"expected a weight of more than 0 and at most 100 for {name}")
        weights[str(name)] = float(weight)
    return weights


_ROOT: Mapping[str, Callable[[Any], Any]] = {
    "answerer": _text,
    "api_key": _mapping,
    "api_base_url": _text,
    "keyword_model": _text,
    "answer_model": _text,
    "keyword_prompt": _text,
    "instructions": _text,
    "no_answer": _text,
    "synonyms": _groups,
    "max_sources": _between(1, 100),
    "max_chars": _between(500, 1_000_000),
    "max_question_chars": _between(20, 20_000),
    "max_keywords": _between(1, 64),
    "examples": _texts,
    "answer_on_get": _flag,
    "allow": _allow,
    "admin": _allow,
    "log": _log,
    "limits": _limits,
    "prices": _prices,
}
_DATABASE: Mapping[str, Callable[[Any], Any]] = {"search": _flag, "instructions": _text}
_TABLE: Mapping[str, Callable[[Any], Any]] = {
    "search": _flag,
    "instructions": _text,
    "fts_table": _text,
    "title": _text,
    "columns": _columns,
    "url": _text,
    "date": _text,
}
