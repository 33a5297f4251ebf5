"""Equal words from the owner's configuration, added to the keywords."""

from __future__ import annotations

from collections.abc import Sequence


def add_synonyms(
    keywords: Sequence[str], groups: Sequence[Sequence[str]], *, limit: int
) -> list[str]:
    """The keywords, followed by the other members of every group that they belong to.

    A member is met by a keyword that is written like it, upper and lower case and a plural
    `s` apart; a member of several words also by keywords that follow each other.

    Args:
        keywords: the question's own keywords; they come first and are never pushed out.
        groups: lists of words that mean the same, such as `[["invoice", "bill"]]`.
        limit: the largest number of keywords returned.
    """
    found = list(keywords[:limit])
    words = [_normal(keyword) for keyword in found]
    known = {keyword.casefold() for keyword in found}
    for group in groups:
        if not any(_holds(words, _normal(member)) for member in group):
            continue
        for member in group:
            if len(found) < limit and member.casefold() not in known:
                found.append(member)
                known.add(member.casefold())
    return found


def _holds(words: Sequence[str], member: str) -> bool:
    if member in words:
        return bool(member)
    parts = member.split()
    return len(parts) > 1 and any(
        list(words[at : at + len(parts)]) == parts for at in range(len(words))
    )


def _normal(text: str) -> str:
    """The text with one way of writing case, white space and a plural `s`."""
    return " ".join(map(_singular, text.casefold().split()))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "su" else word
