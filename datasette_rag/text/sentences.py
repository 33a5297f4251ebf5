"""Text to sentences, as offsets."""

from __future__ import annotations

import re
from bisect import bisect_right

from .abbreviations import ABBREVIATIONS, MONTHS, NEVER_LAST, NUMBERED, STARTERS
from .lines import segments

# A run of sentence-ending marks, and the quotes, brackets and citation marks that belong to it.
_END = re.compile(
    r"(?P<marks>[.!?…؟۔।॥。！？｡．‼⁇⁈⁉።։။។]+)"
    r"(?P<closers>(?:[\"'”’»›)\]}*_~」』）】》〉〕］＂]|\[\d{1,3}\])*)"
)
# These marks end a sentence whether or not white space follows. Only closers that cannot open
# the next sentence are taken with them: a `**` after `。` may well begin the next one.
_NEEDS_NO_SPACE = frozenset("。！？｡।॥።။។")
_UNMISTAKABLE_CLOSERS = frozenset("”’»›)]}」』）】》〉〕］")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_QUOTE_OR_BRACKET = re.compile(r"[\"'”’»)\]」』）]")

_TOKEN_BEFORE = re.compile(r"[^\s()\[\]{}\"“”'’‘«»„,;:!?…*_/]+$")
_TOKEN_REACH = 24  # No abbreviation is longer; the bound keeps the scan linear.
_OPENERS = re.compile(r"[\s\"'“”„‘’«»‹›(\[{*_~「『（【《-]*")
_WORD = re.compile(r"[^\W\d_]+")
_DOTTED_LETTERS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]$")
# Hindi ends its sentences with "।"; a full stop stands behind the names of letters (बी., एफ.).
_SHORT_DEVANAGARI = re.compile(r"[\u0900-\u097f]{1,4}$")
_LIST_NUMBER = re.compile(r"[\s>#*_•+-]*\(?(?:\d{1,3}\.)*\d{1,3}$")
_BACKTICKS = re.compile(r"`+")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Find the sentences of a text.

    A sentence ends at its final mark (`.`, `?`, `!`, `…` and their like in other scripts)
    with the closing quotes and brackets after it, and before and after every blank line, list
    item, table row, heading and fenced code block; such a row or block is one "sentence". A
    single line break ends nothing. Where it is not clear whether a full stop ends a sentence
    (`U.S.`, initials, an unknown abbreviation before a small letter), it does not: two
    sentences in one do less harm than half a sentence. No length is guaranteed.

    Args:
        text: any text, Markdown or plain. The time taken grows linearly with its length.

    Returns:
        (start, end) offsets in order, not overlapping. Every character that is not white
        space lies in exactly one of them, and none begins or ends with white space.
    """
    spans: list[tuple[int, int]] = []
    for start, end, whole in segments(text):
        if whole:
            _add(spans, text, start, end)
            continue
        for cut in _cuts(text, start, end):
            _add(spans, text, start, cut)
            start = cut
        _add(spans, text, start, end)
    return spans


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    end -= len(piece) - len(piece.rstrip())
    start += len(piece) - len(piece.lstrip())
    if start < end:
        spans.append((start, end))


def _cuts(text: str, start: int, end: int) -> list[int]:
    """Offsets inside `text[start:end]` behind which a new sentence begins."""
    code = code_spans(text, start, end)
    code_starts = [span[0] for span in code]
    cuts = []
    sentence = start
    for found in _END.finditer(text, start, end):
        at = found.start()
        inside = bisect_right(code_starts, at) - 1
        if inside >= 0 and at < code[inside][1]:
            continue
        cut = _cut_after(text, found, sentence, end)
        if cut is not None and cut < end:
            cuts.append(cut)
            sentence = cut
    return cuts


def _cut_after(text: str, found: re.Match[str], start: int, end: int) -> int | None:
    """Where the sentence from `start` ends if the marks `found` end it, else None."""
    marks, closers, stop = found["marks"], found["closers"], found.end()
    if marks[-1] in _NEEDS_NO_SPACE:
        if stop < end and not text[stop].isspace():
            kept = 0
            while kept < len(closers) and closers[kept] in _UNMISTAKABLE_CLOSERS:
                kept += 1
            return found.end("marks") + kept
        return stop
    if stop == end:
        return stop
    if not text[stop].isspace():
        # "真的吗?好的": ASCII marks between CJK characters go without a space.
        glued = marks[-1] in "!?" and not closers and _CJK.match(text, stop)
        return stop if glued else None
    following = _OPENERS.match(text, stop, end)
    assert following is not None  # The pattern matches the empty string too.
    begins = following.end()
    next_character = text[begins] if begins < end else ""
    if next_character.islower() and (marks[-1] in ".…" or _QUOTE_OR_BRACKET.search(closers)):
        return None
    if marks == ".":
        return None if _dot_is_inner(text, found.start(), begins, start, end) else stop
    if marks[-1] in ".…" and next_character.isdigit():
        return None  # "1, 2, ... 10"
    return stop


def _dot_is_inner(text: str, dot: int, begins: int, start: int, end: int) -> bool:
    """Whether the full stop at `dot`, followed by white space, leaves its sentence open.

    The sentence begins at `start`, its run of lines ends at `end`; `begins` is where the next
    word begins, behind opening quotes and brackets.
    """
    if dot - start < _TOKEN_REACH and _LIST_NUMBER.match(text, start, dot):
        return True  # "1. First do this"
    before = _TOKEN_BEFORE.search(text, max(start, dot - _TOKEN_REACH), dot)
    if before is None:
        return False
    token = before[0].casefold()
    if token in NEVER_LAST or _SHORT_DEVANAGARI.match(token):
        return True
    word = _WORD.match(text, begins, end)
    if token.isdigit():
        # German: "am 3. Oktober"
        return len(token) <= 2 and word is not None and word[0].casefold() in MONTHS
    if token in NUMBERED and begins < end and text[begins].isdigit():
        return True
    initial = len(token) == 1 and token.isalpha()
    if initial or token in ABBREVIATIONS or _DOTTED_LETTERS.match(token):
        starts_sentence = (
            word is not None
            and word[0].casefold() in STARTERS
            and text[word.end() : word.end() + 1] != "."  # "J. A. Smith"
        )
        return not starts_sentence
    return False


def code_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Inline code in `text[start:end]`: from a run of backticks to the next run as long."""
    runs = [(run.start(), run.end()) for run in _BACKTICKS.finditer(text, start, end)]
    by_length: dict[int, list[int]] = {}
    for index, (first, last) in enumerate(runs):
        by_length.setdefault(last - first, []).append(index)
    spans = []
    index = 0
    while index < len(runs):
        first, last = runs[index]
        same = by_length[last - first]
        closing = bisect_right(same, index)
        if closing < len(same):
            index = same[closing]
            spans.append((first, runs[index][1]))
        index += 1
    return spans
