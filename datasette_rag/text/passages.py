"""Text to passages: small enough to give to a model, each a piece of the text as it stands."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .headings import Heading, Outline, markdown_outline, plain_outline
from .sentences import sentence_spans

# Scripts that put no spaces between words: about two characters a word in Chinese and
# Japanese, about four in Thai, Lao, Khmer and Burmese.
_WORD = re.compile(
    r"[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff65\U00020000-\U0003ffff]{1,2}"
    r"|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{1,4}"
    r"|[^\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff"
    r"\uff01-\uff65\U00020000-\U0003ffff]+"
)
_JOINER = "\u200d"
_VARIATION_SELECTORS = "\ufe0e\ufe0f"


@dataclass(frozen=True)
class Passage:
    """A piece of a text: `text == source[start:end]`, without white space at its ends.

    `heading` is the trail of headings that it stands under (`Guide > Install`) as plain
    text, `anchor` the fragment of an address that leads to its section; both are empty where
    there is none.
    """

    text: str
    start: int
    end: int
    heading: str
    anchor: str = ""


@dataclass(frozen=True)
class _Unit:
    """A piece that goes into a passage as a whole, or is cut further.

    `sentence` says that it has no border inside except those between words.
    """

    start: int
    end: int
    sentence: bool = False


def cut(
    text: str, *, markdown: bool, target_words: int = 150, max_chars: int = 2000
) -> list[Passage]:
    """Cut a text into passages.

    A passage begins at each heading, and headings with nothing between them go with what
    follows, so that a passage ends in a heading only where the text itself does. Within a
    section, paragraphs are gathered up to the target; what is larger is cut between
    paragraphs, list items or rows, else between sentences, else between words, else anywhere.
    A table or a block of code that fits into `max_chars` is not cut, nor a sentence of up to
    twice the target, and a piece of less than a quarter of the target goes with its neighbour:
    so passages can exceed the target, most of them by no more than a quarter.

    Args:
        text: the text. The time taken grows linearly with its length.
        markdown: whether to look for Markdown's headings, tables and blocks of code.
        target_words: the size to aim at. In scripts without spaces two characters count as
            a word (four in those of Southeast Asia).
        max_chars: the length that no passage exceeds, whatever the text.

    Returns:
        The passages in order. Each character that is not white space lies in exactly one.

    Raises:
        ValueError: `target_words` or `max_chars` is less than 1.
    """
    if target_words < 1 or max_chars < 1:
        raise ValueError("target_words and max_chars must be at least 1")
    outline = markdown_outline(text) if markdown else plain_outline(text)
    cutter = _Cutter(text, outline, target_words, max_chars)
    return [
        Passage(text[start:end], start, end, trail)
        for section in _sections(text, outline.headings, max_chars)
        for start, end, trail in cutter.passages(section)
    ]


@dataclass(frozen=True)
class _Section:
    """`text[start:end]` under one heading; its heading lines end at `body`."""

    start: int
    body: int
    end: int
    trail: str


def _sections(text: str, headings: Sequence[Heading], max_chars: int) -> Iterator[_Section]:
    if not headings:
        yield _Section(0, 0, len(text), "")
        return
    yield _Section(0, 0, headings[0].start, "")
    above: list[Heading] = []
    start = headings[0].start
    for index, heading in enumerate(headings):
        last = index + 1 == len(headings)
        end = len(text) if last else headings[index + 1].start
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        bare = not text[heading.end : end].strip()
        # Heading after heading, for pages: they cannot all stay with what follows.
        too_long = not last and headings[index + 1].end - start > max_chars // 2
        if bare and not last and not too_long:
            continue
        trail = " > ".join(part.text for part in above if part.text)
        yield _Section(start, heading.end, end, trail)
        start = end


class _Cutter:
    """Cuts the sections of one text."""

    def __init__(self, text: str, outline: Outline, target_words: int, max_chars: int) -> None:
        self.text = text
        self.target = target_words
        self.max_chars = max_chars
        self.offsets = sorted(outline.borders)
        self.depths = [outline.borders[offset] for offset in self.offsets]
        self.wholes = outline.wholes
        self.word_starts = array("L", [word.start() for word in _WORD.finditer(text)])

    def passages(self, section: _Section) -> list[tuple[int, int, str]]:
        """The passages of a section as (start, end, trail)."""
        spans: list[tuple[int, int]] = []
        current: _Unit | None = None
        waiting = [
            *self._trimmed(section.body, section.end),
            *self._trimmed(section.start, section.body),
        ]
        while waiting:
            unit = waiting.pop()
            if current is None:
                if self._fits(unit):
                    current = unit
                else:
                    waiting.extend(reversed(self._finer(unit, self.max_chars)))
                continue
            heading_only = current.end <= section.body
            together = _Unit(current.start, unit.end)
            if self._joins(current, unit, heading_only):
                current = together
                continue
            room = self.max_chars - (unit.start - current.start)
            too_large = not self._fits(unit) or (heading_only and not self._fits_in(unit, room))
            if too_large and room > 0 and (heading_only or self._is_small(current)):
                waiting.extend(reversed(self._finer(unit, room)))
                continue
            spans.append((current.start, current.end))
            waiting.append(unit)
            current = None
        if current is not None:
            self._finish(spans, current)
        return [(start, end, section.trail) for start, end in spans]

    def _finish(self, spans: list[tuple[int, int]], last: _Unit) -> None:
        """Add the last piece of a section, to the passage before it if it is small."""
        if spans and self._is_small(last):
            start = spans[-1][0]
            if last.end - start <= self.max_chars:
                spans[-1] = (start, last.end)
                return
        spans.append((last.start, last.end))

    def _joins(self, current: _Unit, unit: _Unit, heading_only: bool) -> bool:
        if unit.end - current.start > self.max_chars:
            return False
        if self._words(current.start, unit.end) <= self.target:
            return True
        return (heading_only or self._is_small(current)) and self._fits(unit)

    def _fits(self, unit: _Unit) -> bool:
        """Whether the piece can be a passage without being cut further."""
        return self._fits_in(unit, self.max_chars) and (
            self._is_whole(unit)
            or self._words(unit.start, unit.end) <= self.target * (2 if unit.sentence else 1.25)
        )

    def _fits_in(self, unit: _Unit, room: int) -> bool:
        return unit.end - unit.start <= room

    def _is_whole(self, unit: _Unit) -> bool:
        # The offset of a block is that of its line, which may begin with spaces.
        line = bisect_right(self.offsets, unit.start) - 1
        return line >= 0 and unit.end <= self.wholes.get(self.offsets[line], -1)

    def _is_small(self, unit: _Unit) -> bool:
        return self._words(unit.start, unit.end) * 4 < self.target

    def _words(self, start: int, end: int) -> int:
        return bisect_left(self.word_starts, end) - bisect_left(self.word_starts, start)

    def _trimmed(self, start: int, end: int, sentence: bool = False) -> list[_Unit]:
        """The piece without white space at its ends, or nothing."""
        # Character by character: a slice of the rest for every piece would be quadratic.
        while start < end and self.text[start].isspace():
            start += 1
        while start < end and self.text[end - 1].isspace():
            end -= 1
        return [_Unit(start, end, sentence)] if start < end else []

    def _finer(self, unit: _Unit, room: int) -> list[_Unit]:
        """The piece cut at its best borders; if it is a sentence, the first part fits `room`."""
        if unit.sentence:
            beyond = bisect_left(self.word_starts, unit.start) + self.target
            if beyond < len(self.word_starts):
                room = min(room, self.word_starts[beyond] - unit.start)
            middle = hard_cut(self.text, unit.start, unit.end, room)
            return [
                *self._trimmed(unit.start, middle, sentence=True),
                *self._trimmed(middle, unit.end, sentence=True),
            ]
        first = bisect_right(self.offsets, unit.start)
        last = bisect_left(self.offsets, unit.end)
        if first == last:
            return [
                _Unit(unit.start + start, unit.start + end, sentence=True)
                for start, end in sentence_spans(self.text[unit.start : unit.end])
            ]
        best = min(self.depths[first:last])
        cuts = [self.offsets[index] for index in range(first, last) if self.depths[index] == best]
        return [
            piece
            for start, end in zip([unit.start, *cuts], [*cuts, unit.end], strict=True)
            for piece in self._trimmed(start, end)
        ]


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
