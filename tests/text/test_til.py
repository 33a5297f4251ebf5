"""Notes that somebody wrote for himself: headings compared by hand, and sizes."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
import yaml

from datasette_rag.text.passages import cut

HEADINGS = yaml.safe_load((Path(__file__).parents[1] / "data/til_headings.yml").read_text("utf-8"))


def expected_trails(headings):
    above = []
    for marks, words, anchor, *bare in headings:
        above = [(level, text) for level, text in above if level < len(marks)]
        above.append((len(marks), words))
        if not bare:
            yield " > ".join(text for _, text in above), anchor


def test_there_are_thirty():
    assert len(HEADINGS) == 30
    assert sum(map(len, HEADINGS.values())) > 100


@pytest.mark.parametrize("note", HEADINGS)
def test_every_trail_is_right(shared, note):
    text = (shared / "data/til" / note).read_text("utf-8")
    passages = cut(text, markdown=True)
    found = dict.fromkeys((passage.heading, passage.anchor) for passage in passages)
    assert list(found) == list(expected_trails(HEADINGS[note]))
    for passage in passages:
        piece = text[passage.start : passage.end]
        assert passage.text.endswith(piece)
        assert not piece.splitlines()[-1].startswith("## ") or "```" in piece


def test_no_passage_is_over_the_cap(shared):
    sizes = []
    for path in sorted((shared / "data/til").rglob("*.md")):
        text = path.read_text("utf-8")
        passages = cut(text, markdown=True)
        pieces = "".join(text[passage.start : passage.end] for passage in passages)
        assert "".join(pieces.split()) == "".join(text.split())
        sizes += [len(passage.text) for passage in passages]
    assert len(sizes) > 2_000
    assert max(sizes) <= 2_000
    assert 300 < statistics.median(sizes) < 1_000
