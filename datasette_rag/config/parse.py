"""The plugin's configuration out of Datasette's, checked once."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from datasette.utils import resolve_env_secrets

from .model import Config, DatabaseConfig, TableConfig
from .values import DATABASE, ROOT, TABLE, Parser, nearest, shown

PLUGIN = "datasette-rag"


class ConfigError(Exception):
    """The configuration can't be used; the message is one line that names the path."""


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
    values = _values(root, ROOT, root_path, env)
    if secret is not None:
        values["api_key"] = secret
    databases: dict[str, DatabaseConfig] = {}
    tables: dict[tuple[str, str], TableConfig] = {}
    for database, block, path in _children(raw, "databases", ""):
        own = _block(block, f"{path}plugins.{PLUGIN}")
        if own:
            own_path = f"{path}plugins.{PLUGIN}"
            databases[database] = DatabaseConfig(**_values(own, DATABASE, own_path, env))
        for table, table_block, table_path in _children(block, "tables", path):
            own_path = f"{table_path}plugins.{PLUGIN}"
            own = _block(table_block, own_path)
            parsed = _values(own, TABLE, own_path, env)
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
        raise ConfigError(f"{path}: expected a mapping of settings, got {shown(block)}")
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
    parsers: Mapping[str, Parser],
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


def _parsed(value: Any, parse: Parser, path: str, env: Mapping[str, str]) -> Any:
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


def _nearest_setting(key: str, known: Mapping[str, Any]) -> str:
    if not difflib.get_close_matches(str(key), known, n=1, cutoff=0.5):
        for level, keys in (
            ("the root plugin configuration", ROOT),
            ("a table's plugin configuration", TABLE),
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
