"""Keywords → match query: every keyword quoted, joined with OR."""

from __future__ import annotations

from collections.abc import Iterable

# Between quotes, FTS5 reads nothing but a doubled quote; FTS3 and FTS4 know no doubled
# quote there and still read `*` as a prefix search and `^` as "first in its column".
_FTS4_OPERATORS = str.maketrans({'"': " ", "*": " ", "^": " "})


def match_query(keywords: Iterable[str]) -> str:
    """The FTS5 expression that finds rows with at least one of the keywords.

    A keyword of several words is a phrase. Control characters are dropped: NUL ends a
    query early. Returns "" if no keyword has a letter or a digit in it.
    """
    return " OR ".join('"' + keyword.replace('"', '""') + '"' for keyword in _searchable(keywords))


def match_query_fts4(keywords: Iterable[str]) -> str:
    """The same for FTS4, whose quotes protect less."""
    return " OR ".join(
        '"' + keyword.translate(_FTS4_OPERATORS).strip() + '"' for keyword in _searchable(keywords)
    )


def match_query_without_phrases(keywords: Iterable[str]) -> str:
    """The same for an FTS5 index with `detail=none` or `column`: it finds single words only."""
    words = (
        word
        for keyword in _searchable(keywords)
        for word in "".join(char if char.isalnum() else " " for char in keyword).split()
    )
    return match_query(dict.fromkeys(words))


def is_searchable(keyword: str) -> bool:
    """Whether a keyword has anything that a tokenizer keeps: a letter or a digit."""
    return any(character.isalnum() for character in keyword)


def _searchable(keywords: Iterable[str]) -> Iterable[str]:
    for keyword in keywords:
        cleaned = "".join(
            character if character.isprintable() else " " for character in keyword
        ).strip()
        if is_searchable(cleaned):
            # A lone surrogate can't be encoded for SQLite; isprintable() has dropped it.
            yield cleaned
