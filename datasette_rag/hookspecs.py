"""The hooks that this plugin offers to others."""

from __future__ import annotations

from typing import Any

from pluggy import HookspecMarker

hookspec = HookspecMarker("datasette")


@hookspec
def register_rag_answerers(datasette: Any) -> Any:
    """Return a list of `datasette_rag.answerers.base.Answerer` objects."""
