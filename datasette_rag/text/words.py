"""Words, and where to cut what has no better border than between them."""

from __future__ import annotations

import re
import unicodedata

# Scripts that put no spaces between words: about two characters a word in Chinese and
# Japanese, about four in Thai, Lao, Khmer and Burmese.
WORD = re.compile(
    r"[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff65\U00020000-\U0003ffff]{1,2}"
    r"|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{1,4}"
    r"|[^\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff"
    r"\uff01-\uff65\U00020000-\U0003ffff]+"
)
_JOINER = "\u200d"
_VARIATION_SELECTORS = "\ufe0e\ufe0f"


def hard_cut(text: str, start: int, end: int, room: int) -> int:
    """Where to cut `text[start:end]`, which has no better border, at most `room` along.

    That is behind the last line break in the second half of the room, else before the last
    white space, else where no character is torn from its accents, else at `start + room`.

    Args:
        text: the text; `text[start]` is not white space.
        start: where the piece begins.
        end: where it ends.
        room: the most characters that the first part may have, at least 1.

    Returns:
        An offset greater than `start`, and `end` if all of it fits.
    """
    limit = start + room
    if limit >= end:
        return end
    # A border right behind the room counts too.
    line = text.rfind("\n", start + room // 2 + 1, limit + 1)
    if line > start:
        return line
    for offset in range(limit, start, -1):
        if text[offset].isspace():
            return offset
    for offset in range(limit, max(start, limit - 64), -1):
        if not _belongs_together(text[offset - 1], text[offset]):
            return offset
    return limit


def _belongs_together(before: str, after: str) -> bool:
    """Whether a cut between the two characters would tear one sign apart."""
    return (
        after == _JOINER
        or before == _JOINER
        or after in _VARIATION_SELECTORS
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
        or ("\udc00" <= after <= "\udfff" and "\ud800" <= before <= "\udbff")
        or unicodedata.category(after).startswith("M")
    )
