"""Passages: cut at the right places, never too long, and together the whole text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_rag.text.outline import markdown_outline
from datasette_rag.text.passages import Passage, cut
from datasette_rag.text.words import hard_cut


def cut_markdown(text: str, **limits: int) -> list[tuple[str, str]]:
    return [(passage.heading, passage.text) for passage in cut(text, markdown=True, **limits)]


def pieces(text: str, passages: list[Passage]) -> list[str]:
    return [text[passage.start : passage.end] for passage in passages]


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


@pytest.mark.parametrize(
    "markdown, expected",
    [
        # F8-01
        ("# Setup\n\n```bash\n# install it\nrun x\n```\n\nDone.\n\n## Next\nb", [
            ("Setup", "# Setup\n\n```bash\n# install it\nrun x\n```\n\nDone."),
            ("Setup > Next", "## Next\nb"),
        ]),
        # F8-05
        ("## A\na\n#### B\nb\n#### C\nc\n## D\nd\n# E\ne", [
            ("A", "## A\na"),
            ("A > B", "#### B\nb"),
            ("A > C", "#### C\nc"),
            ("D", "## D\nd"),
            ("E", "# E\ne"),
        ]),
        # F8-07: a heading without text of its own goes with what follows.
        ("# Guide\n\n## Install\n\nRun it.\n\n## Empty\n\n## Use\n\nUse it.\n", [
            ("Guide > Install", "# Guide\n\n## Install\n\nRun it."),
            ("Guide > Use", "## Empty\n\n## Use\n\nUse it."),
        ]),
        # ... except where nothing follows.
        ("# Guide\n\nText.\n\n## End ##\n", [
            ("Guide", "# Guide\n\nText."),
            ("Guide > End", "## End ##"),
        ]),
        # F8-13
        ("# Setup\n<!--\n# old\n-->\na\n# Setup\nb", [
            ("Setup", "# Setup\n<!--\n# old\n-->\na"),
            ("Setup", "# Setup\nb"),
        ]),
        ("Intro.\n\nTitle\n=====\nText\n\nPart *one*\n---\nMore", [
            ("", "Intro."),
            ("Title", "Title\n=====\nText"),
            ("Title > Part one", "Part *one*\n---\nMore"),
        ]),
        ("#\n\ntext\n\n##\n\nmore", [("", "#\n\ntext"), ("", "##\n\nmore")]),
        ("one\n\ntwo\n\n\nthree", [("", "one\n\ntwo\n\n\nthree")]),
        ("", []),
        (" \n\n\t", []),
    ],
)  # fmt: skip
def test_sections(markdown, expected):
    assert cut_markdown(markdown) == expected


def test_without_markdown_no_heading_is_seen():
    assert [
        (passage.heading, passage.text) for passage in cut("# A\n\ntext\n\n# B\nb", markdown=False)
    ] == [("", "# A\n\ntext\n\n# B\nb")]


def test_paragraphs_are_gathered_up_to_the_target():
    paragraphs = [f"{number} {words(9)}" for number in range(10)]
    passages = cut("\n\n".join(paragraphs), markdown=False, target_words=30)
    assert [passage.text for passage in passages] == [
        "\n\n".join(paragraphs[0:3]),
        "\n\n".join(paragraphs[3:6]),
        "\n\n".join(paragraphs[6:9]),
        paragraphs[9],
    ]


def test_a_long_paragraph_is_cut_between_sentences():
    sentences = [f"Sentence {number} {words(8)}." for number in range(7)]
    assert cut_markdown("# T\n\n" + " ".join(sentences), target_words=32) == [
        ("T", "# T\n\n" + " ".join(sentences[0:3])),
        ("T", " ".join(sentences[3:6])),
        ("T", sentences[6]),
    ]


def test_a_long_list_is_cut_between_items():
    items = [f"- {words(9)}" for _ in range(6)]
    assert cut_markdown("\n".join(items), target_words=20) == [
        ("", "\n".join(items[0:2])),
        ("", "\n".join(items[2:4])),
        ("", "\n".join(items[4:6])),
    ]


def test_a_small_rest_goes_with_its_neighbours():
    lead, middle, rest = words(5, "lead"), words(38, "middle"), words(5, "rest")
    assert cut_markdown(f"{lead}\n\n{middle}\n\n{rest}", target_words=40) == [
        ("", f"{lead}\n\n{middle}\n\n{rest}")
    ]


TABLE = "| Plan | Fee |\n|---|---|\n" + "\n".join(f"| P{n} | {n * 3} |" for n in range(60))
CODE = "```sh\n" + "run this and that\n" * 60 + "```"


@pytest.mark.parametrize("block", [TABLE, CODE], ids=["table", "code"])
def test_tables_and_code_stay_whole_while_they_fit(block):
    before, after = words(50), words(60)
    text = f"# T\n\n{before}\n\n{block}\n\n{after}"
    assert cut_markdown(text, target_words=100) == [
        ("T", f"# T\n\n{before}"),
        ("T", block),
        ("T", after),
    ]
    assert max(len(passage) for _, passage in cut_markdown(text, max_chars=400)) <= 400
    assert all("\n" in passage for _, passage in cut_markdown(block, max_chars=400))


def test_code_is_cut_between_lines():
    code = "```\n" + "\n".join(f"line {number} of the code" for number in range(40)) + "\n```"
    passages = cut_markdown(code, max_chars=200)
    assert len(passages) > 3
    assert "\n".join(text for _, text in passages) == code


def test_a_heading_never_ends_a_passage_but_takes_a_part_of_what_is_too_long():
    code = "```\n" + "\n".join(f"line {number}" for number in range(40)) + "\n```"
    passages = cut_markdown(f"# A heading\n\n{code}", max_chars=len(code) + 5)
    assert passages[0][1].startswith("# A heading\n\n```\nline 0")
    base64 = "QUJD" * 200
    assert cut_markdown(f"# A\n\n{base64}", max_chars=105) == [
        ("A", f"# A\n\n{base64[:100]}"),
        *[("A", base64[at : at + 105]) for at in range(100, 800, 105)],
    ]


def test_many_empty_headings_keep_to_the_limit():
    passages = cut_markdown("## Section\n\n" * 100 + "text", max_chars=100)
    assert max(len(text) for _, text in passages) <= 100
    assert passages[-1][1].endswith("text")


FEES = [f"| P{number} | {number * 3} |" for number in range(400)] + [r"| a \| b |  |"]


def test_every_part_of_a_table_repeats_its_header():
    """F8-08: what is the fee of P377?"""
    header = "| Plan | Fee |\n|---|---|\n"
    text = header + "\n".join(FEES)
    passages = cut(text, markdown=True, max_chars=800)
    assert len(passages) > 5
    assert all(passage.text.startswith(header) for passage in passages)
    assert max(len(passage.text) for passage in passages) <= 800
    assert [passage.context for passage in passages] == ["", *[header] * (len(passages) - 1)]
    rows = [row for passage in passages for row in passage.text.removeprefix(header).split("\n")]
    assert rows == FEES
    [answer] = [passage.text for passage in passages if "| P377 |" in passage.text]
    assert "| Plan | Fee |" in answer and "| P377 | 1131 |" in answer


LONG = "long" * 10


@pytest.mark.parametrize(
    "markdown, max_chars, expected",
    [
        # A table with an introduction: both are repeated.
        (f"Fees in €:\n\n| A | B |\n|:-:|--:|\n| {LONG} | 1 |\n| {LONG} | 2 |\n\nThe end", 102, [
            f"Fees in €:\n\n| A | B |\n|:-:|--:|\n| {LONG} | 1 |",
            f"Fees in €:\n\n| A | B |\n|:-:|--:|\n| {LONG} | 2 |\n\nThe end",
        ]),
        # No room for both: the header is more important.
        (f"Fees in €:\n\n| A | B |\n|:-:|--:|\n| {LONG} | 1 |\n| {LONG} | 2 |", 90, [
            f"Fees in €:\n\n| A | B |\n|:-:|--:|\n| {LONG} | 1 |",
            f"| A | B |\n|:-:|--:|\n| {LONG} | 2 |",
        ]),
        # A header that is too long to be repeated.
        ("| Plan with a long name | Fee |\n|---|---|\n| a | 1 |\n| b | 2 |", 60, [
            "| Plan with a long name | Fee |\n|---|---|\n| a | 1 |",
            "| b | 2 |",
        ]),
        # In a list item, indented as it stands there.
        (f"- x\n\n  | A |\n  |---|\n  | {LONG} |\n  | {LONG} |", 70, [
            f"- x\n\n  | A |\n  |---|\n  | {LONG} |",
            f"  | A |\n  |---|\n  | {LONG} |",
        ]),
        # One row that is too long for any passage.
        (f"| A |\n|---|\n| {'word ' * 20}|\n| b |", 60, [
            "| A |\n|---|\n| word word word word word word word word",
            "| A |\n|---|\nword word word word word word word word word",
            "| A |\n|---|\nword word word |\n| b |",
        ]),
        # A table of a header only.
        ("| A |\n|---|\n\ntext", 60, ["| A |\n|---|\n\ntext"]),
        ("| A |\n|---|", 60, ["| A |\n|---|"]),
    ],
)  # fmt: skip
def test_tables_in_parts(markdown, max_chars, expected):
    passages = cut(markdown, markdown=True, target_words=9, max_chars=max_chars)
    assert [passage.text for passage in passages] == expected


@pytest.mark.parametrize(
    "markdown, expected",
    [
        ("To install:\n\n1. get the file\n2. unpack it here\n3. run the script", [
            "To install:\n\n1. get the file",
            "To install:\n\n2. unpack it here",
            "To install:\n\n3. run the script",
        ]),
        # Only the sentence that introduces it, and in any script.
        ("The shop is open to all. We sell（见下）：\n- umbrellas of every kind\n- sticks and all that", [
            "The shop is open to all.",
            "We sell（见下）：\n- umbrellas of every kind",
            "We sell（见下）：\n- sticks and all that",
        ]),
        # Lists in lists: every level's introduction.
        ("Do this:\n\n- **Windows:**\n  - get the file\n  - run the file\n- anything else: nothing", [
            "Do this:\n\n- **Windows:**\n  - get the file",
            "Do this:\n\n- **Windows:**\n  - run the file",
            "Do this:\n\n- anything else: nothing",
        ]),
        # No colon: nothing is repeated.
        ("Some of these:\n\nText here.\n\n- the first one here\n- the second one here", [
            "Some of these:\n\nText here.",
            "- the first one here",
            "- the second one here",
        ]),
        # The heading stays with what it is over.
        ("# Setup\n\nRun this:\n\n```\nrun it all again and again\n```\n\nThen wait for it.", [
            "# Setup\n\nRun this:\n\n```\nrun it all again and again\n```",
            "Then wait for it.",
        ]),
        ("This is some text here. Run this:\n\n```\nrun it all again and again\n```", [
            "This is some text here.",
            "Run this:\n\n```\nrun it all again and again\n```",
        ]),
    ],
)  # fmt: skip
def test_introductions_stay_with_what_they_introduce(markdown, expected):
    passages = cut(markdown, markdown=True, target_words=5)
    assert [passage.text for passage in passages] == expected


def test_a_long_introduction_is_not_repeated():
    text = f"{words(40)}:\n\n" + "\n".join(f"- {words(20)}" for _ in range(4))
    passages = cut(text, markdown=True, target_words=20, max_chars=300)
    assert [passage.context for passage in passages] == [""] * len(passages)


@pytest.mark.parametrize(
    "markdown, expected",
    [
        ("Intro\n\n# Setup\na\n\n## On *Windows*\nb\n\n# Setup\n\n## On Windows\nc", [
            ("", ""),
            ("Setup", "setup"),
            ("Setup > On Windows", "on-windows"),
            ("Setup > On Windows", "on-windows-1"),
        ]),
        # F8-13: the source link of b opens the second.
        ("# Setup\n<!--\n# old\n-->\na\n# Setup\nb", [("Setup", "setup"), ("Setup", "setup-1")]),
    ],
)  # fmt: skip
def test_passages_know_the_anchor_of_their_section(markdown, expected):
    passages = cut(markdown, markdown=True)
    assert [(passage.heading, passage.anchor) for passage in passages] == expected


@pytest.mark.parametrize(
    "text",
    [
        words(8_000, "line"),
        "> - " + words(8_000, "line"),  # F8-10
        "QUJD" * 10_000,
        "退货政策三十天内可以退款" * 1_700,
        "Zeile\n" * 6_000,
    ],
    ids=["line", "nested line", "base64", "chinese", "lines"],
)
def test_one_long_line(text):
    for markdown in (True, False):
        passages = cut(text, markdown=markdown)
        assert max(len(passage.text) for passage in passages) <= 2000
        assert "".join("".join(pieces(text, passages)).split()) == "".join(text.split())
        for passage in passages:  # cut between words where there are any
            assert set(passage.text.split()) <= set(text.split()) or " " not in text[:100]


def test_chinese_passages_are_of_a_comparable_size():
    text = "退货政策：三十天内可以退款。" * 200
    sizes = [len(passage.text) for passage in cut(text, markdown=False)]
    assert all(250 <= size <= 300 for size in sizes[:-1])
    assert len(sizes) == 10


@pytest.mark.parametrize(
    "text, room, expected",
    [
        ("one two three", 9, "one two"),
        ("one two three", 7, "one two"),
        ("one two three", 2, "on"),
        ("one", 10, "one"),
        ("one two\nthree four", 12, "one two"),
        ("abe\u0301", 3, "ab"),
        ("ab👩\u200d🚀c", 4, "ab"),
        ("ab👍🏽", 3, "ab"),
        ("e" + "\u0301" * 200, 50, "e" + "\u0301" * 49),
    ],
)
def test_hard_cut(text, room, expected):
    assert text[: hard_cut(text, 0, len(text), room)].rstrip() == expected


def test_limits_are_checked():
    with pytest.raises(ValueError):
        cut("text", markdown=False, max_chars=0)
    with pytest.raises(ValueError):
        cut("text", markdown=False, target_words=0)


PIECES = [
    *"aB1 \n\n\t#`~|-=>*_.!?<[]()。的।\u0301\u200d\x00\r\u3000😀",
    *["\n\n", "# h\n", "## b\n\n", "```", "~~~", "word ", "| a |", "|---|", "- ", "1. "],
    *["a:\n\n", "- b c\n", "| a | b |\n|---|---|\n", "| c | d |\n", "  - e\n", "**x**:\n"],
    *["<!--", "-->", "<p>", "   ", "a. B", "e.g. ", "==="],
]
MARKDOWN = st.binary(max_size=80).map(
    lambda draws: "".join(PIECES[draw % len(PIECES)] for draw in draws)
)


@settings(max_examples=10_000, deadline=None)
@given(MARKDOWN | st.text(), st.booleans(), st.integers(1, 40), st.integers(1, 80))
def test_no_text_is_lost(text, markdown, target_words, max_chars):
    position = 0
    for passage in cut(text, markdown=markdown, target_words=target_words, max_chars=max_chars):
        assert position <= passage.start < passage.end
        assert not text[position : passage.start].strip()
        piece = text[passage.start : passage.end]
        assert passage.text == passage.context + piece
        assert piece == piece.strip()
        assert passage.context in text or len(passage.context.splitlines()) > 1
        assert len(passage.text) <= max_chars
        position = passage.end
    assert not text[position:].strip()


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "# a\n",
                "## b\n\n",
                "```\n",
                "````\n",
                "~~~\n",
                "text\n",
                "\n",
                "<!--\n",
                "-->\n",
                "<div>\n",
                "- x\n",
                "  y\n",
                "    # c\n",
                "> # d\n",
                "x:\n\n- y\n",
                "| a |\n|--|\n| b |\n",
            ]
        ),
        max_size=40,
    )
)
def test_a_long_text_is_parsed_in_parts_to_the_same_outline(pieces):
    text = "".join(pieces)
    whole = markdown_outline(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("datasette_rag.text.outline._PART", 3)
        assert markdown_outline(text) == whole
