"""Which JSON schemas the API accepts for structured outputs and for strict tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
UNSUPPORTED = {
    "array": ("maxItems", "uniqueItems", "contains", "minContains", "maxContains"),
    "string": ("minLength", "maxLength"),
    "number": NUMBERS,
    "integer": NUMBERS,
    "object": ("minProperties", "maxProperties", "patternProperties", "propertyNames"),
}


def check_schema(schema: Mapping[str, Any]) -> str | None:
    """What the API finds wrong with a schema, or nothing."""
    return _wrong(schema, schema, ())


def _wrong(schema: Any, root: Mapping[str, Any], path: tuple[str, ...]) -> str | None:
    if not isinstance(schema, Mapping):
        return f"Schema should be an object, not {schema!r}"
    reference = schema.get("$ref")
    if reference is not None:
        name = str(reference).rpartition("/")[2]
        definitions = root.get("$defs", root.get("definitions", {}))
        if reference == "#" or name in path:
            return f"Recursive definitions are not supported: {reference}"
        if name not in definitions:
            return f"Could not resolve reference: {reference}"
        return _wrong(definitions[name], root, (*path, name))
    kinds = schema.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        for name in UNSUPPORTED.get(str(kind), ()):
            if name in schema:
                return f"For '{kind}' type, property '{name}' is not supported"
        if kind == "array" and schema.get("minItems", 0) not in (0, 1):
            return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
        if kind == "object" and schema.get("additionalProperties") is not False:
            return "For 'object' type, 'additionalProperties' must be explicitly set to false"
    parts = [
        *schema.get("properties", {}).values(),
        *([schema["items"]] if "items" in schema else []),
        *schema.get("anyOf", []),
        *schema.get("allOf", []),
    ]
    return next((wrong for part in parts if (wrong := _wrong(part, root, path))), None)
