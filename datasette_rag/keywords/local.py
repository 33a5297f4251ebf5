"""Question → keywords without a model: the question's own words, minus those of asking."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from .compounds import with_parts
from .stopwords import BY_LANGUAGE, ENGLISH, ENGLISH_LOOKALIKES

# Looking further into a pasted log cannot change what fits under any sensible cap.
_MAX_TOKENS = 500

_QUOTES = str.maketrans({"’": "'", "‘": "'", "‛": "'", "＇": "'", "‐": "-", "‑": "-"})

# A word, or several held together by a character that names are written with (`node.js`,
# `a@b.org`, `O'Brien`, `k=v`, `/-/ask`, `std::sort`, `48,500`), with the sign that such a name
# starts with (`--dry-run`, `.NET`, `@orion`, `:not`) or ends with (`C++`, `C#`, `50%`).
_TOKEN = re.compile(
    r"""
    (?: (?<![\w.:@\#$/-]) (?: --? | /-/ | \.\.?/ | ~?/ | [.@\#$:] ) )?
    \w+
    (?: (?: ://? /? | :: | -> | /-/ | [-./'@:&=\\~+] | (?<=\d),(?=\d) ) \w+ )*
    (?: (?: \+\+? | \# | % ) (?!\w) )?
    """,
    re.VERBOSE,
)
_QUOTED = re.compile(r'"([^"\n]{3,200})"|“([^“”\n]{3,200})”|«([^«»\n]{3,200})»|`([^`\n]{3,200})`')
_FRAGMENTS = frozenset(("s", "m", "ll", "re", "ve", "d"))
_ELISION = re.compile(r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)'(?=\w)", re.IGNORECASE)

# Scripts that are written without spaces: Chinese and Japanese as one, Thai, Lao, Burmese, Khmer.
_UNSPACED = re.compile(
    "([々〆〇\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]+|[\u0e01-\u0e5b]+|[\u0e81-\u0edf]+|[\u1000-\u109f]+|[\u1780-\u17e9]+)"
)


def question_keywords(question: str, *, limit: int = 24, max_chars: int = 64) -> list[str]:
    """The question's own words in their order, minus stop words, repeats kept.

    Names stay as they are written (`--dry-run`, `foo_bar`, `C#`, `3.11`, `O'Brien's`); a name
    made of several words is followed by these. A quoted phrase is kept whole and followed by its
    words. Where nothing but stop words was asked (`Who are The Who?`), the question as one
    phrase and its words stand in.

    Args:
        question: what the asker typed, any length and any characters.
        limit: the largest number of keywords, repeats counted.
        max_chars: the largest length of a keyword. Longer words are left out (a name's parts
            remain); runs of a script without spaces are cut into pieces of this length.

    Returns:
        The keywords, each with at least one letter or digit; empty where the question has none.
    """
    text = unicodedata.normalize("NFC", _without_controls(question)).translate(_QUOTES)
    tokens = list(_tokens(text))
    words = [token for token, _ in tokens]
    language = guess_language(words)
    stop = BY_LANGUAGE[language]
    names = _capitalised_stop_words(tokens, text, stop) if language == "en" else set()
    phrases = _phrases(text, max_chars)
    found: list[str] = []
    for word, start in tokens:
        while phrases and phrases[0][0] <= start:
            found.append(phrases.pop(0)[1])
        if language == "fr":
            word = _ELISION.sub("", word)
        if start in names or _is_acronym(word, text) or not _is_stop(word, stop):
            found.extend(_capped(with_parts(word, stop), max_chars))
        if len(found) >= limit:
            break
    if not found:
        found = _all_words(text, words, max_chars)
    return found[:limit]


def guess_language(words: list[str]) -> str:
    """The language whose stop words tell most in these words: `en`, `de`, `fr`, `es`, ….

    English stands unless more speaks against it than for it, and at least two different words
    of the other list do, one of which is no word of English: `Die Hard`, `comment on a` and
    `La La Land` stay English. The lists of other alphabets cannot take an English word away,
    so that one word is enough there.
    """
    folded = {_ELISION.sub("", word.casefold()) for word in words}
    english = len(folded & ENGLISH - ENGLISH_LOOKALIKES)
    best, most = "en", 0
    for language, stop in BY_LANGUAGE.items():
        found = folded & stop
        certain = len(found - ENGLISH_LOOKALIKES - ENGLISH)
        enough = language in ("ru", "ar", "hi") or (certain > english and len(found) > 1)
        if enough and certain > most:
            best, most = language, certain
    return best


def _without_controls(text: str) -> str:
    """The text with control and direction characters turned to spaces or dropped."""
    table: dict[int, str | None] = {}
    for char in set(text):
        category = unicodedata.category(char)
        if category in ("Cc", "Cs", "Zl", "Zp"):
            table[ord(char)] = "\n" if char in "\r\n" else " "
        elif category == "Cf" and char not in "\u200c\u200d":  # joiners are part of words
            table[ord(char)] = " " if char == "\u200b" else None
    return text.translate(table)


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Words and names of the text with their offsets, cut where the script changes."""
    # `\w` knows no combining marks, so that they would cut Hindi or Thai words: the pattern
    # runs over a shadow of the same length in which they are letters.
    marks = {
        ord(char): "x"
        for char in set(text)
        if char in "\u200c\u200d" or unicodedata.category(char).startswith("M")
    }
    count = 0
    for match in _TOKEN.finditer(text.translate(marks)):
        start = match.start()
        for piece in _UNSPACED.split(text[start : match.end()]):
            if any(char.isalnum() for char in piece):
                yield piece.strip("\u200c\u200d"), start
                count += 1
            start += len(piece)
        if count >= _MAX_TOKENS:
            return


def _is_stop(word: str, stop: frozenset[str]) -> bool:
    folded = word.casefold()
    if folded in stop or folded.endswith("n't"):
        return True
    base, apostrophe, fragment = folded.rpartition("'")
    if apostrophe and fragment in _FRAGMENTS and base in stop:
        return True
    # `and/or`, `peut-on`: made of stop words only, and of nothing that names are written with.
    parts = re.split("[-/]", folded)
    return len(parts) > 1 and all(part in stop for part in parts)


def _is_acronym(word: str, text: str) -> bool:
    """`IT` in "What is IT?" is a topic, unless everything is written in capitals."""
    return len(word) > 1 and word.isalpha() and word.isupper() and not text.isupper()


def _capitalised_stop_words(
    tokens: list[tuple[str, int]], text: str, stop: frozenset[str]
) -> set[int]:
    """Offsets of stop words that are written as names inside a sentence: `The Who`, `Will`.

    They say nothing where every word has a capital, nor where all words are stop words.
    """
    if all(_is_stop(word, stop) for word, _ in tokens):
        return set()
    if not any(word.islower() and _is_stop(word, stop) for word, _ in tokens[1:]):
        return set()
    return {
        start
        for word, start in tokens
        if len(word) > 1
        and word.istitle()
        and word.isalpha()
        and text[max(0, start - 9) : start].rstrip(" \"'(*_")[-1:]
        not in ("", ".", "!", "?", ":", "\n", "-", "…")
    }


def _phrases(text: str, max_chars: int) -> list[tuple[int, str]]:
    """Quoted phrases of two words or more, each with its offset."""
    phrases = []
    for match in _QUOTED.finditer(text):
        phrase = " ".join((match[1] or match[2] or match[3] or match[4]).split())
        if " " in phrase and len(phrase) <= max_chars and any(map(str.isalnum, phrase)):
            phrases.append((match.start(), phrase))
    return phrases


def _capped(words: list[str], max_chars: int) -> Iterator[str]:
    for word in words:
        if len(word) <= max_chars:
            yield word
        elif _UNSPACED.fullmatch(word):
            yield from (word[at : at + max_chars] for at in range(0, len(word), max_chars))


def _all_words(text: str, words: list[str], max_chars: int) -> list[str]:
    """What is searched for where all words are stop words: the question, and each word once."""
    phrase = " ".join(text.split()).strip("\"'.,;:!?¿¡()…* ")
    unique: dict[str, str] = {}
    for word in words:
        unique.setdefault(word.casefold(), word)
    found = [phrase, *unique.values()] if len(unique) > 1 else list(unique.values())
    return [keyword for keyword in found if 0 < len(keyword) <= max_chars]
