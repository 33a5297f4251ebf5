"""A long text → blocks of bounded size, cut roughly and fast, to look for the best place in it."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_BORDERS = ("\n\n", "\n", " ")
_HTML_BORDERS = ("<h", "<p", "<div", "<tr", "<li", "<", " ")
_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Block:
    """A part of a longer text: `source` from `start` on, as far as `text` goes.

    `is_html` says that both are HTML.
    """

    text: str
    source: str
    start: int
    is_html: bool = False


def coarse_blocks(text: str, size: int) -> list[Block]:
    """Cut `text` into blocks of at most `size` characters, whose concatenation it is.

    A block ends at the last blank line that fits, else at the last line break, space, or
    anywhere. Always gives at least one block.
    """
    return [Block(text[start:end], text, start) for start, end in _spans(text, size, _BORDERS)]


def html_blocks(html: str, size: int) -> list[Block]:
    """Cut HTML that is too long to be parsed while a question waits.

    A block begins with a heading, a paragraph or the like, where there is one. Scripts,
    styles and comments are left out.
    """
    source = _UNSEEN.sub(" ", html)
    return [
        Block(source[start:end], source, start, is_html=True)
        for start, end in _spans(source, size, _HTML_BORDERS, border_begins=True)
    ]


def _spans(
    text: str, size: int, borders: Sequence[str], *, border_begins: bool = False
) -> Iterator[tuple[int, int]]:
    """Pieces of at most `size`, each up to the best border in its second half.

    The border ends a piece, or with `border_begins` begins the next one.
    """
    start = 0
    while len(text) - start > size:
        end = start + size
        for border in borders:
            found = text.rfind(border, start + size // 2, end)
            if found >= 0:
                end = found if border_begins else found + len(border)
                break
        yield start, end
        start = end
    yield start, len(text)


def promising(blocks: Sequence[Block], keywords: Sequence[str], count: int) -> list[Block]:
    """The blocks in which most of the keywords seem to stand, the rarest ones first of all.

    Only the beginnings of words are compared: this is to leave out most of a long text before
    the rest is looked at as the index does.

    Args:
        blocks: blocks of one text.
        keywords: words or phrases.
        count: how many blocks to give at most.

    Returns:
        Blocks in their order in the text; all of them if they are no more than `count`, else
        none that seems to hold nothing, if any other does.
    """
    if len(blocks) <= count:
        return list(blocks)
    sought = [beginnings for keyword in keywords if (beginnings := _beginnings(keyword))]
    hits = [_hits(block.text.lower(), sought) for block in blocks]
    if not any(hits):
        # The text may have accents where the keywords have none.
        plain = [[_without_accents(word) for word in words] for words in sought]
        hits = [_hits(_without_accents(block.text.lower()), plain) for block in blocks]
    holding = [sum(number in hit for hit in hits) for number in range(len(sought))]
    weights = [math.log(1 + len(blocks) / (number + 0.5)) for number in holding]
    scores = [sum(weights[number] for number in hit) for hit in hits]
    best = sorted(range(len(blocks)), key=lambda place: -scores[place])[:count]
    best = [place for place in best if hits[place]] or best
    return [blocks[place] for place in sorted(best)]


def _beginnings(keyword: str) -> list[str]:
    """What is left of a keyword's words when any tokenizer has taken their endings off."""
    words = _WORD.findall(keyword.lower())
    return [word[: max(3, len(word) - 4)] if len(word) > 4 else word[:3] for word in words]


def _hits(text: str, sought: Sequence[Sequence[str]]) -> frozenset[int]:
    found = []
    for number, words in enumerate(sought):
        for word in words:
            if word not in text:
                break
        else:
            found.append(number)
    return frozenset(found)


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    return "".join(
        character
        for character in unicodedata.normalize("NFKD", text)
        if not unicodedata.combining(character)
    )
