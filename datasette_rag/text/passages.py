"""Text to passages: small enough to give to a model, each a piece of the text as it stands."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .contexts import Contexts
from .headings import Heading
from .outline import Outline, markdown_outline, plain_outline
from .sentences import sentence_spans
from .words import WORD, hard_cut


@dataclass(frozen=True)
class Passage:
    """A piece of a text, `source[start:end]`, without white space at its ends.

    `text` is that piece, behind what has to be repeated to understand it: the header of the
    table that it is a part of, or the sentence that introduces its list. The piece is always
    the last `end - start` characters of `text`. `heading` is the trail of headings that it
    stands under (`Guide > Install`) as plain text, and `anchor` GitHub's anchor of the last
    of them; both are empty where there is none.
    """

    text: str
    start: int
    end: int
    heading: str
    anchor: str

    @property
    def context(self) -> str:
        """What `text` repeats from further up in front of the piece; mostly empty."""
        return self.text[: len(self.text) - (self.end - self.start)]


@dataclass(frozen=True)
class _Unit:
    """A piece that goes into a passage as a whole, or is cut further.

    `sentence` says that it has no border inside except those between words.
    """

    start: int
    end: int
    sentence: bool = False


def cut(
    text: str,
    *,
    markdown: bool,
    target_words: int = 150,
    max_chars: int = 2000,
    above: Sequence[Heading] = (),
) -> list[Passage]:
    """Cut a text into passages.

    A passage begins at each heading, and headings with nothing between them go with what
    follows, so that a passage ends in a heading only where the text itself does. Within a
    section, paragraphs are gathered up to the target; what is larger is cut between
    paragraphs, list items or rows, else between sentences, else between words, else anywhere.
    A table or a block of code that fits into `max_chars` is not cut, nor a sentence of up to
    twice the target, and a piece of less than a quarter of the target goes with its neighbour:
    so passages can exceed the target, most of them by no more than a quarter.

    A sentence that ends in a colon stays with the list, table or code that it introduces.
    Where such a list or table has to be cut, every part repeats the introduction and the
    table's header, unless they take more than a third of `max_chars`.

    Args:
        text: the text. The time taken grows linearly with its length.
        markdown: whether to look for Markdown's headings, lists, tables and blocks of code.
        target_words: the size to aim at. In scripts without spaces two characters count as
            a word (four in those of Southeast Asia).
        max_chars: the length that no passage exceeds, whatever the text, with all that it
            repeats.
        above: the headings that the text stands under, outermost first, where it is a part of
            a longer one.

    Returns:
        The passages in order. Each character that is not white space lies in exactly one of
        the pieces `text[start:end]`.

    Raises:
        ValueError: `target_words` or `max_chars` is less than 1.
    """
    if target_words < 1 or max_chars < 1:
        raise ValueError("target_words and max_chars must be at least 1")
    outline = markdown_outline(text) if markdown else plain_outline(text)
    cutter = _Cutter(text, outline, target_words, max_chars)
    return [
        Passage(
            cutter.contexts.at(start) + text[start:end], start, end, section.trail, section.anchor
        )
        for section in _sections(text, outline.headings, max_chars, above)
        for start, end in cutter.spans(section)
    ]


@dataclass(frozen=True)
class _Section:
    """`text[start:end]` under one heading; its heading lines end at `body`."""

    start: int
    body: int
    end: int
    trail: str
    anchor: str


def _sections(
    text: str, headings: Sequence[Heading], max_chars: int, outer: Sequence[Heading]
) -> Iterator[_Section]:
    above = list(outer)
    anchor = above[-1].anchor if above else ""
    if not headings:
        yield _Section(0, 0, len(text), _trail(above), anchor)
        return
    yield _Section(0, 0, headings[0].start, _trail(above), anchor)
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
        yield _Section(start, heading.end, end, _trail(above), heading.anchor)
        start = end


def _trail(above: Sequence[Heading]) -> str:
    return " > ".join(part.text for part in above if part.text)


class _Cutter:
    """Cuts the sections of one text."""

    def __init__(self, text: str, outline: Outline, target_words: int, max_chars: int) -> None:
        self.text = text
        self.target = target_words
        self.max_chars = max_chars
        self.offsets = sorted(outline.borders)
        self.depths = [outline.borders[offset] for offset in self.offsets]
        self.wholes = outline.wholes
        self.introductions = outline.introductions
        self.contexts = Contexts(text, outline.leads, max_chars // 3)
        self.word_starts = array("L", [word.start() for word in WORD.finditer(text)])

    def spans(self, section: _Section) -> list[tuple[int, int]]:
        """The pieces of a section, one for each passage."""
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
                    waiting.extend(reversed(self._finer(unit, self._room(unit.start))))
                continue
            room = self._room(current.start) - (unit.start - current.start)
            fits = unit.end - unit.start <= room
            leads_on = current.end <= section.body or current.end in self.introductions
            if fits and self._joins(current, unit):
                current = _Unit(current.start, unit.end)
                continue
            before = self._without_introduction(current, section)
            if before is not None:
                # The sentence that introduces the unit goes along with it.
                spans.append((before.start, before.end))
                current = self._trimmed(before.end, current.end)[0]
                waiting.append(unit)
                continue
            if fits and leads_on and self._fits(unit):
                current = _Unit(current.start, unit.end)
                continue
            too_large = not self._fits(unit) or (leads_on and not fits)
            if too_large and room > 0 and (leads_on or self._is_small(current)):
                waiting.extend(reversed(self._finer(unit, room)))
                continue
            spans.append((current.start, current.end))
            waiting.append(unit)
            current = None
        if current is not None:
            self._finish(spans, current)
        return spans

    def _finish(self, spans: list[tuple[int, int]], last: _Unit) -> None:
        """Add the last piece of a section, to the passage before it if it is small."""
        if spans and self._is_small(last):
            start = spans[-1][0]
            if last.end - start <= self._room(start):
                spans[-1] = (start, last.end)
                return
        spans.append((last.start, last.end))

    def _joins(self, current: _Unit, unit: _Unit) -> bool:
        return self._words(current.start, unit.end) <= self.target or (
            self._is_small(current) and self._fits(unit)
        )

    def _without_introduction(self, current: _Unit, section: _Section) -> _Unit | None:
        """What stands before the introduction that `current` ends in, if it can do without."""
        start = self.introductions.get(current.end, current.start)
        for before in self._trimmed(current.start, start):
            leads_on = before.end <= section.body or before.end in self.introductions
            if not leads_on and not self._is_small(before):
                return before
        return None

    def _room(self, start: int) -> int:
        """How long a piece that begins at `start` may be."""
        return self.max_chars - len(self.contexts.at(start))

    def _fits(self, unit: _Unit) -> bool:
        """Whether the piece can be a passage without being cut further."""
        return unit.end - unit.start <= self._room(unit.start) and (
            self._is_whole(unit)
            or self._words(unit.start, unit.end) <= self.target * (2 if unit.sentence else 1.25)
        )

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
