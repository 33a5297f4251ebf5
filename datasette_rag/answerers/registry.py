"""The answerers that there are: ours and those of other plugins, all by the same hook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from datasette.plugins import pm

from .. import compat
from ..config import ConfigError
from .base import Answerer

if TYPE_CHECKING:
    from datasette.app import Datasette

# What words the answer where nothing else is said or allowed.
FREE = "extractive"


def answerers(datasette: Datasette) -> Mapping[str, Answerer]:
    """All answerers by name, asked of the plugins when first needed.

    Raises ConfigError where a plugin brings none, or one of a name that is taken.
    """

    def ask_plugins() -> dict[str, Answerer]:
        found: dict[str, Answerer] = {}
        for of_plugin in pm.hook.register_rag_answerers(datasette=datasette):
            for answerer in of_plugin if isinstance(of_plugin, list) else [of_plugin]:
                name = getattr(answerer, "name", None)
                if not isinstance(answerer, Answerer) or not isinstance(name, str):
                    raise ConfigError(
                        "register_rag_answerers must return a list of Answerer objects with "
                        f"names, a plugin returned {type(answerer).__name__}"
                    )
                if name in found:
                    raise ConfigError(f"two plugins bring an answerer named {name}")
                found[name] = answerer
        return found

    return compat.state(datasette, "answerers", ask_plugins)
