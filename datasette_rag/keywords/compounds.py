"""Words that are made of words: which are names, and what they are made of."""

from __future__ import annotations

import re

_MAX_PARTS = 8
_URL_WORDS = frozenset(("http", "https", "www"))
_JOINTS = re.compile(r"[-_./@:&=\\~+,<>#$%]+")  # not \W, which combining marks are in
_NUMBER = re.compile(r"[\W\d_]+")

# A hyphened word with one of these in it, or with such an ending, is grammar and no name.
# As a phrase it would outweigh its words: kept whole, such compounds cost up to 0.006 nDCG@10.
_ORDINARY_PARTS = """
    non re pre post co anti multi semi self ex sub inter off on up down in out over under by to of
    high low long short full half single double triple zero one two three four five first second
    third large small big well free open closed real end early late fast slow hard soft hot cold
    wide new old best cross time part wise like based level order dimensional term scale specific
    type size speed rate side line style layer edge point state step way year day month week hour
"""
_ORDINARY = frozenset(_ORDINARY_PARTS.split())
_ORDINARY_ENDING = re.compile(r"(?:ed|ing|al|ive|ic|ary|able|ible|ent|ant|ous)$")


def is_ordinary(word: str) -> bool:
    """Whether a hyphened word is a compound of grammar (`high-speed`) and not a name (`shot-scraper`)."""
    parts = word.casefold().split("-")
    if len(parts) < 2 or not all(part.isalpha() for part in parts):
        return False
    return not _ORDINARY.isdisjoint(parts) or bool(_ORDINARY_ENDING.search(parts[-1]))


def with_parts(word: str, stop: frozenset[str]) -> list[str]:
    """A word as keywords: itself, and if it is a compound the words that it is made of.

    A name comes first as it stands (`foo_bar`, `foo`, `bar`), so that its exact form counts
    more; an ordinary compound (`high-speed`) is only its words. Numbers and versions are
    never taken apart: `3.11` is not `11`. The `'s` of a plain word is dropped, as are parts
    of one letter and parts in `stop`.
    """
    base, _, fragment = word.rpartition("'")
    possessive = bool(base) and fragment.casefold() == "s"
    if possessive and base.isalnum():
        return [base]
    if possessive:
        return [word, base]
    if word.isalnum() or "'" in word or _NUMBER.fullmatch(word):
        return [word]
    parts = _JOINTS.split(word)
    # `C++` and `@orion` are not compounds; `--dry` is, as its text may be written without.
    if len([part for part in parts if part]) < 2 and not word.startswith(("--", "/", "..")):
        return [word]
    dropped = stop | _URL_WORDS
    kept = [
        part
        for part in parts
        if len(part) > 1 and any(map(str.isalnum, part)) and part.casefold() not in dropped
    ][:_MAX_PARTS]
    return kept if kept and is_ordinary(word) else [word, *kept]
