"""The anchors that GitHub gives to the headings of a page: `#install`, and `#install-1` for the next."""

from __future__ import annotations

import unicodedata


class Anchors:
    """Gives the headings of one document their anchors, in the order of the document."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def next(self, words: str) -> str:
        """The anchor of the next heading.

        Args:
            words: what the heading says, as a browser shows it.

        Returns:
            The anchor without `#`; empty where nothing of the heading can stand in one.
        """
        plain = anchor(words)
        if not plain:
            return ""
        unique = plain
        while unique in self._given:
            self._given[plain] += 1
            unique = f"{plain}-{self._given[plain]}"
        self._given[unique] = 0
        return unique


def anchor(words: str) -> str:
    """The anchor that GitHub makes of a heading that no other heading is equal to.

    Letters become small, spaces become hyphens, and all but letters, digits, hyphens and
    underscores goes.

    Args:
        words: what the heading says.
    """
    return "".join(
        "-" if character == " " else character
        for character in words.lower()
        if character in " -" or _is_of_a_word(character)
    )


def _is_of_a_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category in ("Nd", "Nl", "Pc")
