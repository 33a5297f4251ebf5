"""Patterns such as `drafts/` and `*.txt`: which paths they mean, as in a `.gitignore` file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SPECIAL = re.compile(r"(?:^|/)\*\*(?:/|$)|\*+|\?|\[[!^]?\]?[^\]]*\]|.", re.DOTALL)


class PatternError(ValueError):
    """Why a pattern can't be used: a message for the user."""


@dataclass(frozen=True)
class Globs:
    """Some patterns, ready to be matched.

    `folders` match folders only, `all` match folders and files.
    """

    folders: tuple[re.Pattern[str], ...]
    all: tuple[re.Pattern[str], ...]

    def __bool__(self) -> bool:
        return bool(self.folders or self.all)

    @classmethod
    def parsed(cls, patterns: Iterable[str]) -> Globs:
        """Read patterns.

        As in `.gitignore`: a pattern without `/` means every file and folder of that name, at
        any depth; one with `/` inside or in front counts from the top; one with `/` at its end
        means folders only; what means a folder means all that is in it. `*` and `?` stand for
        what is no `/`, `**` for any number of folders, `[a-z]` for one of these characters.

        Raises:
            PatternError: a pattern is empty, begins with `!`, or leaves the folder.
        """
        folders: list[re.Pattern[str]] = []
        everything: list[re.Pattern[str]] = []
        for pattern in patterns:
            core = pattern.removeprefix("./")
            if not core.strip("/"):
                raise PatternError(f"{pattern!r} is no pattern. Give one such as 'drafts/'.")
            if core.startswith("!"):
                raise PatternError(f"{pattern!r}: a pattern can't be negated.")
            if ".." in core.split("/"):
                raise PatternError(f"{pattern!r} leads out of the folder.")
            (folders if core.endswith("/") else everything).append(_compiled(core))
        return cls(tuple(folders), tuple(everything))

    def match(self, path: str, *, folder: bool = False) -> bool:
        """Whether a pattern means this path itself.

        Args:
            path: a path relative to the top, with `/` between its parts.
            folder: whether it is a folder.
        """
        patterns = (*self.all, *self.folders) if folder else self.all
        return any(pattern.fullmatch(path) for pattern in patterns)

    def cover(self, path: str) -> bool:
        """Whether a pattern means this file, or a folder that it lies in."""
        parts = path.split("/")
        return self.match(path) or any(
            self.match("/".join(parts[:count]), folder=True) for count in range(1, len(parts))
        )


def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = pattern.rstrip("/")
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    pattern = pattern.lstrip("/")
    try:
        return re.compile("".join(map(_translated, _SPECIAL.findall(pattern))), re.DOTALL)
    except re.error:
        raise PatternError(f"{pattern!r}: the characters in [] are no range.") from None


def _translated(token: str) -> str:
    if token.strip("/") == "**" and "/" in token:
        if token.startswith("/") and token.endswith("/"):
            return "/(?:.*/)?"
        return "(?:.*/)?" if token.endswith("/") else "/.+"
    if token.strip("*") == "":
        return "[^/]*"
    if token == "?":
        return "[^/]"
    if token.startswith("[") and len(token) > 1:
        negated = token[1] in "!^"
        characters = token[2 if negated else 1 : -1].replace("\\", "\\\\").replace("[", "\\[")
        characters = characters.replace("]", "\\]").replace("^", "\\^")
        return f"(?!/)[{'^' if negated else ''}{characters}]"
    return re.escape(token)
