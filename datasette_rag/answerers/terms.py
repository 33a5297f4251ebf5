"""Text → terms: what counts as the same word in a question and in a sentence."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# A number with its inner points is one term: `3.11` is not `11`. Combining marks, which `\w`
# leaves out, belong to the word in Arabic, the scripts of India and those of Southeast Asia.
_TERM = re.compile(
    r"\d+(?:[.,:]\d+)+|(?:[^\W_]|[\u0300-\u036f\u064b-\u0652\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e"
    r"\u0eb1-\u0ecd\u102b-\u103e\u17b4-\u17d3])+"
)
_ASCII_TERM = re.compile(r"\d+(?:[.,:]\d+)+|[A-Za-z0-9]+")
_UNSPACED = re.compile(
    "([々〆〇\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17e9]+)"
)


def terms(text: str) -> list[str]:
    """The terms of a text in their order: the stems of its words.

    Where a script has no spaces between words, each pair of neighbouring characters is one.
    """
    if text.isascii():
        return [stem(word) for word in _ASCII_TERM.findall(text)]
    found: list[str] = []
    for word in _TERM.findall(text):
        for place, run in enumerate(_UNSPACED.split(word)):
            if place % 2:
                found.extend(run[at : at + 2] for at in range(max(1, len(run) - 1)))
            elif run:
                found.append(stem(run))
    return found


def is_pair(term: str) -> bool:
    """Whether the term is a pair of characters of a script without spaces, and no word."""
    return not term.isascii() and bool(_UNSPACED.match(term))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without case, accents and its commonest endings.

    English inflection is undone by a few rules, lighter than Porter's (1980), so that `organ`
    and `organization` stay two words. In other alphabets, where endings are longer, the
    beginning of the word stands for it.
    """
    word = word.casefold()
    if not word.isascii():
        bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not _is_accent(c))
        if not bare.isascii():
            return _beginning(unicodedata.normalize("NFC", bare))
        word = bare
    if len(word) < 4 or not word.isalpha():
        return word
    return _english(word)


def _is_accent(char: str) -> bool:
    return "\u0300" <= char <= "\u036f" or "\u064b" <= char <= "\u0652"


def _beginning(word: str) -> str:
    if word.startswith("ال") and len(word) > 4:
        word = word[2:]
    return word[: max(4, min(6, len(word) - 2))]


def _english(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and word[-2] not in "su":
        word = word[:-1]
    for ending in ("ing", "ed", "ly"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) > 2 and re.search("[aeiouy]", rest):
            word = rest
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    for ending in ("ation", "ate", "at", "ion"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            return word[: -len(ending)]
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word
