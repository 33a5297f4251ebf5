"""What a passage from inside a table or a list repeats, so that it can be read alone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from .outline import Lead

_NESTED = 4  # leads that apply at once; more of them would say little


class Contexts:
    """The leads of a text, to be asked for those that a piece of it stands under."""

    def __init__(self, text: str, leads: Sequence[Lead], max_chars: int) -> None:
        self._text = text
        self._max_chars = max_chars
        # From each of the offsets on, up to the next one, the same leads apply.
        self._offsets = [0]
        self._leads: list[tuple[Lead, ...]] = [()]
        around: list[Lead] = []
        for lead in leads:
            self._leave(around, lead.body)
            around.append(lead)
            self._change(lead.body, around)
        self._leave(around, len(text) + 1)

    def _leave(self, around: list[Lead], offset: int) -> None:
        """Leave the parts that end at or before the offset."""
        while around and around[-1].end <= offset:
            end = around.pop().end
            self._change(end, around)

    def _change(self, offset: int, around: Sequence[Lead]) -> None:
        self._offsets.append(offset)
        self._leads.append(tuple(around[-_NESTED:]))

    def at(self, start: int) -> str:
        """What a piece that begins at `start` has to repeat in front of it; mostly nothing.

        Inner leads come before outer ones when not all fit into the limit.

        Args:
            start: an offset of the text.
        """
        leads = self._leads[bisect_right(self._offsets, start) - 1]
        if not leads:
            return ""
        context = self._indent(start)
        for lead in reversed(leads):
            if len(context) + lead.body - lead.start > self._max_chars:
                break
            context = self._text[lead.start : lead.body] + context
        return context if context.strip() else ""

    def _indent(self, start: int) -> str:
        """The white space before `start`, if nothing else stands before it in its line."""
        line = start
        while line and self._text[line - 1] in " \t":
            line -= 1
        return self._text[line:start] if line and self._text[line - 1] == "\n" else ""
