"""Front matter: the YAML between two lines of `---` with which a document describes itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

# A line of three dots ends YAML too.
_FRONT_MATTER = re.compile(r"\s*^---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M | re.S)
_ENTRY = re.compile(r"([A-Za-z][\w.-]*)[ \t]*:(?:[ \t]+(.*))?")
_MAX_CHARS = 50_000  # What is longer describes nothing, and YAML takes its time.

Said = Mapping[str, Any]

_TITLE = ("title",)
_DATE = ("date", "updated", "lastmod", "last_modified_at", "published")
_URL = ("url", "permalink", "canonical_url")
_LANGUAGE = ("lang", "language")


def split(text: str) -> tuple[Said, str]:
    """Take the front matter off a document.

    Args:
        text: the document, with `\\n` as its only line end.

    Returns:
        What the front matter says, empty if there is none, and the text behind it.
    """
    found = _FRONT_MATTER.match(text)
    if found is None or len(found[1]) > _MAX_CHARS:
        return {}, text
    said = _loaded(found[1])
    # Two rules with a paragraph between them are none.
    return ({}, text) if said is None else (said, text[found.end() :])


def title(said: Said) -> str | None:
    """The title that front matter gives, on one line."""
    return next((" ".join(value.split()) for value in _strings(said, _TITLE)), None)


def iso_date(said: Said) -> str | None:
    """The date that front matter gives, as ISO 8601."""
    return next(filter(None, map(as_date, _values(said, _DATE))), None)


def url(said: Said) -> str | None:
    """The address that front matter gives, if it is one on the web or a path on a site."""
    return next(filter(None, map(as_url, _strings(said, _URL))), None)


def language(said: Said) -> str | None:
    """The language that front matter gives, as `en` or `pt-BR`."""
    return next(filter(None, map(as_language, _strings(said, _LANGUAGE))), None)


def as_date(value: Any) -> str | None:
    """A date or time as ISO 8601; None for anything that is neither."""
    if isinstance(value, date):  # A datetime is one too.
        return value.isoformat()
    if isinstance(value, str):
        text = value.strip()
        for kind, written in ((datetime, text.replace("Z", "+00:00")), (date, text[:10])):
            try:
                kind.fromisoformat(written)
            except ValueError:
                continue
            return text if kind is datetime else text[:10]
    return None


def as_url(value: str) -> str | None:
    """The value if it is an address on the web or a path on a site, else None."""
    web = value.lower().startswith(("http://", "https://"))
    # Two slashes begin the name of another host; braces are a template's.
    path = value.startswith("/") and not value.startswith(("//", "/\\"))
    blank = any(map(str.isspace, value)) or not value.isprintable()
    return value if (web or path) and not blank and "{" not in value else None


def as_language(value: str) -> str | None:
    """The value if it looks like the code of a language, else None."""
    code = value.replace("_", "-")
    return code if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*", code) else None


def _values(said: Said, names: Iterable[str]) -> Iterable[Any]:
    return (said[name] for name in names if said.get(name) is not None)


def _strings(said: Said, names: Iterable[str]) -> Iterable[str]:
    for value in _values(said, names):
        # `title: 2024` is a number to YAML.
        text = str(value).strip() if isinstance(value, (str, int, float, date)) else ""
        if text:
            yield text


def _loaded(block: str) -> Said | None:
    """What YAML says, with its keys in small letters; None if it is no mapping."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        said = yaml.load(block, loader)
    except Exception:
        # YAML's constructors raise whatever their conversions do: `!!bool maybe` a KeyError.
        return _by_lines(block)
    if said is None and not block.strip():
        return {}
    if not isinstance(said, dict):
        return None
    return {str(key).lower(): value for key, value in said.items()}


def _by_lines(block: str) -> Said | None:
    """The entries of what was meant to be YAML, as in `title: Errors: a guide`."""
    said: dict[str, Any] = {}
    for line in block.splitlines():
        entry = _ENTRY.fullmatch(line.rstrip())
        if entry:
            said[entry[1].lower()] = (entry[2] or "").strip("\"' ")
        elif line[:1].strip(" \t-#]}"):
            return None
    return said or None
