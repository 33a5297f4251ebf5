"""Long texts in blocks: which are worth a closer look, and the headings above them."""

from __future__ import annotations

import pytest

from datasette_rag.text.above import headings_above
from datasette_rag.text.blocks import coarse_blocks, html_blocks, promising


def test_blocks_are_all_of_the_text():
    text = "one two\n\nthree four five\n" * 20 + "x" * 100
    blocks = coarse_blocks(text, 40)
    assert "".join(block.text for block in blocks) == text
    assert all(text[block.start :].startswith(block.text) for block in blocks)
    assert max(len(block.text) for block in blocks) <= 40
    assert coarse_blocks("", 40)[0].text == ""


def test_blocks_of_html_begin_with_elements_and_hold_no_scripts():
    html = "<h2>Part</h2><p>Some words here.</p><script>let a = '<p>'</script><!-- <p> -->" * 20
    blocks = html_blocks(html, 100)
    assert len(blocks) > 5 and max(len(block.text) for block in blocks) <= 100
    assert all(block.text.startswith(("<h2>", "<p>", "<")) and block.is_html for block in blocks)
    assert "let a" not in "".join(block.text for block in blocks)


@pytest.mark.parametrize(
    "keywords, found",
    [
        (["umbrellas", "repaired"], [3]),
        (["umbrella", "unknown"], [1, 3]),  # a word that is rarer counts more
        (["red umbrellas"], [1]),
        (["café"], [4]),
        (["CAFE"], [4]),
        (["修理"], [5]),
    ],
)
def test_promising_blocks_hold_the_keywords(keywords, found):
    parts = ["nothing", "a red umbrella", "no", "Umbrella repairs", "Cafe\u0301", "雨伞修理", "end"]
    blocks = [block for part in parts for block in coarse_blocks(part, 100)]
    chosen = promising(blocks, keywords, len(found))
    assert [parts.index(block.text) for block in chosen] == found


def test_few_blocks_are_all_promising():
    blocks = coarse_blocks("a b c", 2)
    assert promising(blocks, ["nothing"], 3) == blocks
    assert len(promising(blocks, [], 2)) == 2


@pytest.mark.parametrize(
    "source, is_html, trail",
    [
        ("# A\n## B *c*\n### D\n## E ##\ntext |", False, ["A", "E"]),
        ("# A\n```\n# no\n```\n~~~\n# no\n``` |", False, ["A"]),
        ("#no\n    # no\n\\# no\n ## Yes\n |", False, ["Yes"]),
        ("#### D\n## B\n### C\n|\n# After", False, ["B", "C"]),
        ("|# A", False, []),
        ("<h1>A <b>&amp;</b> B</h1><h3 class=x>C\n D</h3><p>text |</p><h2>no</h2>", True, ["A & B", "C D"]),
        ("<h1>never closed " + "x" * 2000 + "|", True, []),
    ],
)  # fmt: skip
def test_headings_above(source, is_html, trail):
    [found] = headings_above(source.replace("|", ""), [source.index("|")], is_html=is_html)
    assert [heading.text for heading in found] == trail


def test_headings_above_several_places():
    source = "# A\na\n## B\nb\n# C\nc"
    places = [source.index(letter) for letter in "abc"]
    found = headings_above(source, places, is_html=False)
    assert [[heading.text for heading in above] for above in found] == [["A"], ["A", "B"], ["C"]]
