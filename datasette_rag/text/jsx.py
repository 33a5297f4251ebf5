"""JSX: where a tag or an expression ends, and what a tag says."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`", re.S)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_NAME = re.compile(r"[A-Za-z_$][\w$.:-]*")
_ATTRIBUTE = re.compile(r"\s*([A-Za-z_$][\w$:.-]*)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|(?=\{)))?", re.S)
_SPACE = re.compile(r"\s*")
_IN_STATEMENT = re.compile(r"[({\[\"'`/]|\n[ \t]*(?:\n|\Z)")
_BRACKETS = {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}
# An expression that goes on for longer is a brace that was never closed.
_MAX_EXPRESSION = 10_000


class Brackets:
    """Finds the brackets that close others in one text, read from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._unclosed_until = 0

    def end(self, start: int) -> int | None:
        """The offset behind the bracket that closes the one at `start`, None if none does.

        After one that is never closed, others near it are not looked for: the time taken
        stays linear.
        """
        if start < self._unclosed_until:
            return None
        depth = 0
        position = start
        limit = min(len(self._text), start + _MAX_EXPRESSION)
        while position < limit:
            character = self._text[position]
            skipped = None
            if character in "\"'`":
                skipped = _STRING.match(self._text, position, limit)
            elif character == "/":
                skipped = _COMMENT.match(self._text, position, limit)
            depth += _BRACKETS.get(character, 0)
            position = skipped.end() if skipped else position + 1
            if depth == 0:
                return position
        self._unclosed_until = start + _MAX_EXPRESSION
        return None


@dataclass(frozen=True)
class Tag:
    """A tag of JSX that ends at `end`.

    `kind` is `open`, `close` or `whole` (`<br />`); `name` is empty for a fragment (`<>`).
    `attributes` are those whose value is a string.
    """

    name: str
    kind: str
    end: int
    attributes: dict[str, str]


def tag_at(text: str, start: int, brackets: Brackets) -> Tag | None:
    """The tag that begins with the `<` at `start`, None if it begins none.

    Args:
        text: MDX.
        start: the offset of a `<`.
        brackets: those of the text.
    """
    closing = text.startswith("/", start + 1)
    position = start + 1 + closing
    found = _NAME.match(text, position)
    name = found[0] if found else ""
    position = found.end() if found else position
    attributes: dict[str, str] = {}
    limit = position + _MAX_EXPRESSION
    while position < limit:
        space = _SPACE.match(text, position)
        position = space.end() if space else position
        if text.startswith(">", position):
            return Tag(name, "close" if closing else "open", position + 1, attributes)
        if text.startswith("/>", position) and name:
            return Tag(name, "whole", position + 2, attributes)
        if text.startswith("{", position):  # {...rest}
            end = brackets.end(position)
        else:
            attribute = _ATTRIBUTE.match(text, position)
            if attribute is None or not name or closing:
                return None
            end = attribute.end()
            if attribute[2]:
                attributes[attribute[1]] = attribute[2][1:-1]
            elif attribute[2] is not None:
                end = brackets.end(end) or 0
        if not end:
            return None
        position = end
    return None


def statement_end(text: str, start: int, brackets: Brackets) -> int:
    """The offset behind an import or an export: of the blank line outside of all brackets.

    Args:
        text: MDX.
        start: where the statement begins.
        brackets: those of the text.
    """
    position = start
    while found := _IN_STATEMENT.search(text, position):
        if found[0].startswith("\n"):
            return found.start() + 1
        skipped: int | None = None
        if found[0] in "([{":
            skipped = brackets.end(found.start())
        else:
            matched = _STRING.match(text, found.start()) or _COMMENT.match(text, found.start())
            skipped = matched.end() if matched else None
        position = skipped or found.end()
    return len(text)


def string_of(expression: str) -> str:
    """What an expression that is only a string says, as `{" "}` does; empty for all others.

    Args:
        expression: the expression with its braces.
    """
    inner = expression[1:-1].strip()
    found = _STRING.fullmatch(inner)
    return inner[1:-1] if found and "${" not in inner and "\\" not in inner else ""
