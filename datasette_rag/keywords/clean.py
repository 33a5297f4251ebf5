"""Keywords that someone else made, brought into the form that ours have."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


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
