"""The answerers that there are: ours and those of other plugins, all by the same hook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from datasette.plugins import pm

from .. import compat
from .base import Answerer

if TYPE_CHECKING:
    from datasette.app import Datasette


def answerers(datasette: Datasette) -> Mapping[str, Answerer]:
    """All answerers by name, asked of the plugins when first needed."""

    def ask_plugins() -> dict[str, Answerer]:
        return {
            answerer.name: answerer
            for of_plugin in pm.hook.register_rag_answerers(datasette=datasette)
            for answerer in of_plugin or ()
        }

    return compat.state(datasette, "answerers", ask_plugins)
