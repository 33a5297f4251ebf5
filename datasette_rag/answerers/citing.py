"""What Claude says, and what it cites, as Markdown with `[n]` marks behind what they support."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .. import claude
from ..events import AnswerDelta, AnswerEvent, Citation, Source

# How the model begins a reply that is no answer.
NO_ANSWER = "NO_ANSWER"
_IS_NO_ANSWER = re.compile(rf"{NO_ANSWER}(?!\w)", re.IGNORECASE)
# What models put around a word that they were told to say.
_AROUND = "*_`\"'#> \u200b\u2060\ufeff"
# Held back until more comes: white space and the end of a table's row, so that a mark stands
# behind the last word, and a bracket that may become a number in brackets.
_HELD = re.compile(r"[\s|]*(?:[\[\u3010][ \t0-9,;\-\u2013]*)?\Z")
_NUMBERS = re.compile(
    r"([\[\u3010])([ \t]*[1-9][0-9]{0,3}(?:[ \t]*[,;\-\u2013][ \t]*[1-9][0-9]{0,3})*)[ \t]*[\]\u3011]"
)
_JOINER = "\u2060"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# A line that a mark would make into another one: the end of a fence, a rule, an underline.
_RULE = re.compile(r" {0,3}(?:`{3,}|~{3,}|[-=]+|(?:[-*_][ \t]*){3,})\s*\Z")


@dataclass
class CitingWriter:
    """Parts of a message → deltas of the answer with `[n]` behind what is cited, and citations.

    `spans` are the sentences of each source, as the model was given them. A number of a
    source in brackets that the model writes itself cites nothing: an invisible character
    keeps it from being taken for a mark. However the text is cut into parts, the answer is the same.
    """

    spans: Sequence[Sequence[tuple[int, int]]]
    sources: Sequence[Source]
    no_answer: bool = False

    def __post_init__(self) -> None:
        self._written = ""
        self._held = ""
        self._closing = ""
        self._begun = False
        self._marks: dict[int, None] = {}

    def take(self, part: claude.Part) -> list[AnswerEvent]:
        """The events of one part."""
        if isinstance(part, claude.Text):
            return self._text(part.text)
        if isinstance(part, claude.Cited):
            return self._cited(part)
        return self._block_end()

    def finish(self) -> list[AnswerEvent]:
        """What is left when nothing more comes."""
        events: list[AnswerEvent] = []
        if not self._begun:
            word = self._held.strip(_AROUND)
            self.no_answer = self.no_answer or word.upper() == NO_ANSWER
            if self.no_answer or not word.strip():
                return []
            self._begun = True
        events += self._block_end(at_the_end=True)
        if self._held.strip():
            events += self._said(self._held.rstrip())
        return events

    def _text(self, text: str) -> list[AnswerEvent]:
        text = self._held + text
        self._held = ""
        if not self._begun:
            text = self._beginning(text.lstrip())
            if not text:
                return []
            self._begun = True
        held = _HELD.search(text)
        end = held.start() if held else len(text)
        self._held = text[end:]
        return self._said(text[:end])

    def _said(self, text: str) -> list[AnswerEvent]:
        if not text:
            return []
        pieces = []
        start = 0
        for match in _NUMBERS.finditer(text):
            numbers = {int(number) for number in re.findall("[0-9]+", match[2])}
            if numbers.isdisjoint(source.number for source in self.sources):
                # No mark to be taken for one; the checks tell that there is no such source.
                continue
            if not _in_code(self._written + text[: match.start()]):
                pieces.append(text[start : match.end(1)])
                start = match.end(1)
        self._written += text
        return [AnswerDelta(_JOINER.join([*pieces, text[start:]]))]

    def _beginning(self, text: str) -> str:
        """What is to be said of the first text: nothing while it may be a start of NO_ANSWER."""
        if not self.no_answer:
            word = text.lstrip(_AROUND)
            if NO_ANSWER.startswith(word.upper()):
                self._held = text
                return ""
            if not _IS_NO_ANSWER.match(word):
                return text
            self.no_answer = True
            self._closing = text[: len(text) - len(word)][::-1]
            text = word[len(NO_ANSWER) :]
        if len(text) < len(self._closing) and self._closing.startswith(text):
            self._held = text
            return ""
        text, self._closing = text.removeprefix(self._closing), ""
        return text.lstrip(" :.,–—\n")

    def _cited(self, part: claude.Cited) -> list[AnswerEvent]:
        if not 0 <= part.result < len(self.sources):
            return []
        spans = self.spans[part.result][max(0, part.start) : part.end]
        if not spans:
            return []
        source = self.sources[part.result]
        start, end = spans[0][0], spans[-1][1]
        self._marks[source.number] = None
        return [Citation(source.number, source.passage[start:end], start, end)]

    def _block_end(self, at_the_end: bool = False) -> list[AnswerEvent]:
        """The marks of what was cited, unless they would fall into code: then they wait."""
        if not self._marks or not self._begun:
            self._marks = {}
            return []
        events: list[AnswerEvent] = []
        if not self._held.isspace() and "|" not in self._held:
            # An open bracket is text of this block.
            events, self._held = self._said(self._held), ""
        if _in_code(self._written) and not at_the_end:
            return events
        marks = "".join(f"[{number}]" for number in self._marks)
        self._marks = {}
        apart = "\n\n" if _RULE.match(self._written.rpartition("\n")[2]) else " "
        self._written += f"{apart}{marks}"
        return [*events, AnswerDelta(f"{apart}{marks}")]


def _in_code(markdown: str) -> bool:
    """Whether what would come next stands in a code block or a code span."""
    fence = ""
    begin = place = 0
    for line in markdown.split("\n"):
        marker = _FENCE.match(line)
        if marker and not fence:
            fence = marker[1]
        elif marker and marker[1].startswith(fence) and not line.strip(" `~\t"):
            fence = ""
            begin = place + len(line)
        elif not line.strip():
            begin = place
        place += len(line) + 1
    # Spans end with their paragraph.
    return bool(fence) or len(re.findall("`+", markdown[begin:])) % 2 == 1
