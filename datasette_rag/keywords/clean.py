"""Keywords that someone else made, brought into the form that ours have."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from .local import question_keywords

_SEPARATORS = re.compile(r"[,;\n]")
# From this many words on, an item is no name but a piece of a sentence.
_LONG_ITEM = 3


def clean_keywords(values: Iterable[str], *, limit: int, max_chars: int) -> list[str]:
    """The values that can be searched for, in their order and without repeats.

    Control characters become spaces and white space is collapsed; a value without a letter
    or digit is dropped, one that is longer than `max_chars` is cut. At most `limit` remain.
    """
    found: dict[str, None] = {}
    for value in values:
        if len(found) == limit:
            break
        # Nothing behind this can remain, and a value may be a whole pasted file.
        text = unicodedata.normalize("NFC", value[: max_chars * 4])
        text = "".join(" " if unicodedata.category(char) in ("Cc", "Cs") else char for char in text)
        text = " ".join(text.split())[:max_chars].rstrip()
        if any(char.isalnum() for char in text):
            found.setdefault(text)
    return list(found)


def model_keywords(reply: str, *, limit: int, max_chars: int) -> list[str]:
    """The keywords in what a model replied, whatever form it gave them.

    Expected is `{"keywords": ["…"]}`. Lists also come as JSON or Python text, as one text
    with commas, or as one word; what is no text is dropped, and so is what is too long to be
    a keyword. A long item is searched as a phrase and as its words.
    """
    found: list[str] = []
    for item in _items(_decoded(reply)):
        words = item.split()
        if not words or len(item) > max_chars:
            continue
        found.append(item)
        if len(words) >= _LONG_ITEM:
            found += question_keywords(item, limit=limit, max_chars=max_chars)
    return clean_keywords(found, limit=limit, max_chars=max_chars)


def _decoded(reply: str) -> Any:
    decoded = _literal(reply)
    return decoded.get("keywords") if isinstance(decoded, dict) else decoded


def _items(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, str):
                # An item may itself be the text of a list.
                nested = _literal(item) if item.lstrip().startswith("[") else None
                yield from _items(nested) if isinstance(nested, list) else [item]
    elif isinstance(value, str):
        decoded = _literal(value)
        yield from (
            _items(decoded)
            if isinstance(decoded, list)
            else (part.strip() for part in _SEPARATORS.split(value))
        )


def _literal(text: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
    return None
