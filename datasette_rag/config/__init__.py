"""The plugin's configuration, parsed and checked once, into frozen dataclasses."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .. import compat
from .model import Config, DatabaseConfig, LogConfig, TableConfig
from .parse import PLUGIN, ConfigError, parse
from .values import nearest

if TYPE_CHECKING:
    from datasette.app import Datasette

__all__ = [
    "PLUGIN",
    "Config",
    "ConfigError",
    "DatabaseConfig",
    "LogConfig",
    "TableConfig",
    "load",
    "nearest",
    "parse",
]


def load(datasette: Datasette) -> Config:
    """The configuration of this instance, parsed when first asked for.

    Raises ConfigError if it can't be used.
    """
    return compat.state(
        datasette, "config", lambda: parse(compat.raw_config(datasette), os.environ)
    )
