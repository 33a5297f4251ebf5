"""Sentences: where they end, where they do not, and that no text is lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_rag.text.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


# Sentences that stand behind each other with a space must come apart just there.
@pytest.mark.parametrize(
    "expected",
    [
        ["One.", "Two!", "Three?", "Four…", "Five"],
        ["Really?!", "Yes..."],
        ["Use e.g. Python 3.11 or v1.2.", "It works, i.e. it runs."],
        ["Dr. Smith and Mrs. O'Brien met Prof. Lee.", "They talked."],
        ["J. R. R. Tolkien wrote it.", "He was born in 1892."],
        ["The U.S. Army came.", "He left the U.S.", "The end."],
        ["It opens at 9 a.m. on weekdays.", "Come early."],
        ["Acme Inc. was founded in 1999.", "Later it grew, etc.", "Nobody knew."],
        ["See Fig. 3 and No. 5 on p. 12.", "He said no.", "Then he left."],
        ["Open README.md or https://example.com/a.b?c=1.", "Then node.js starts!"],
        ["Run `a. B. C! D` first.", "Then ``x ` y. Z`` too."],
        ['He said "Go!" and left.', "“Why?” she asked.", '"Go."', "(So it was.)", "End"],
        ["It rained in Berlin.[1]", "It was **cold.**", "*Nobody* came."],
        ["1. Take the key.", "2. Open the door."],
        ["¿Qué tal?", "¡Bien!", "El Sr. Pérez vive en EE. UU. desde 2010.", "¿Y tú?"],
        ["А. С. Пушкин родился в 1799 г. в Москве.", "Он жил на ул. Мира.", "Да!"],
        ["Am 3. Oktober kam Fr. Klein, z.B. zu Besuch.", "Danach ging sie."],
        ["هل هذا صحيح؟", "نعم.", "هذا هو۔", "تم"],
        ["यह है।", "डॉ. राम वहाँ थे।", "ठीक है॥"],
        ["जॉन एफ. केनेडी और रदरफोर्ड बी. हेस आए।", "वे गए।"],
        ["It ended in 2020.", "5 years passed."],
        ["Wait... then it came.", "Well… so it was."],
    ],
    ids=lambda expected: expected[0],
)
def test_sentences_come_apart(expected):
    assert sentences(" ".join(expected)) == expected


def test_chinese_and_japanese_need_no_spaces():
    expected = [
        "退货政策：三十天内可以退款。",
        "可以吗？",
        "「好。」",
        "真的吗?",
        "好的！",
        "はい。",
    ]
    assert sentences("".join(expected)) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("A line\nthat goes on.\n\nNext", ["A line\nthat goes on.", "Next"]),
        ("No mark\n \nNext", ["No mark", "Next"]),
        ("Items:\n- one\n  goes on\n* two. Three\n3. four", [
            "Items:", "- one\n  goes on", "* two.", "Three", "3. four",
        ]),
        ("# Title\nText", ["# Title", "Text"]),
        ("Title\n=====\nText", ["Title\n=====", "Text"]),
        ("| a | b |\n|---|---|\n| 1. X | 2 |\nText", [
            "| a | b |", "|---|---|", "| 1. X | 2 |", "Text",
        ]),
        ("Basic | 9 €\nPro | 10 €\nText", ["Basic | 9 €", "Pro | 10 €", "Text"]),
        ("Run:\n```py\na = 1. B\n\n# no\n```\nDone. Bye", [
            "Run:", "```py\na = 1. B\n\n# no\n```", "Done.", "Bye",
        ]),
        ("- ~~~\n  a. B\n  ~~~\n- c", ["- ~~~\n  a. B\n  ~~~", "- c"]),
        # A passage that begins inside a block of code.
        ("code\n```\nText. More\n```py\nx. Y\n```\nEnd", [
            "code", "```", "Text.", "More", "```py\nx. Y\n```", "End",
        ]),
        ("", []),
        (" \n\t\n", []),
        ("??? -- !!!", ["???", "-- !!!"]),
    ],
)  # fmt: skip
def test_lines(text, expected):
    assert sentences(text) == expected


PIECES = [*'aB1 \n\n.!?…。।؟"”)]*`~|#>-=', ". ", "e.g. ", "U.S. ", "\n\n", "```", "- ", "1. ", "| "]
TEXTS = st.binary(max_size=60).map(
    lambda draws: "".join(PIECES[draw % len(PIECES)] for draw in draws)
)


@settings(max_examples=2_000, deadline=None)
@given(TEXTS | st.text())
def test_no_text_is_lost(text):
    position = 0
    for start, end in sentence_spans(text):
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


@pytest.mark.parametrize("piece", ["```\n", "~~~a\n", ". ", "`a", "- - -  ", '."', "U.S. ", "\n"])
def test_no_input_takes_long(piece):
    text = (piece * 200_000)[:200_000]
    assert sum(end - start for start, end in sentence_spans(text)) <= len(text)


@pytest.mark.parametrize("language", ["es", "ru", "ar", "hi", "zh"])
def test_a_translation_has_about_as_many_sentences(shared, language):
    """240 paragraphs in six languages: translators keep sentences apart, by and large."""

    def counts(name):
        with (shared / "data" / name / "corpus.jsonl").open(encoding="utf-8") as lines:
            return [len(sentence_spans(json.loads(line)["text"])) for line in lines]

    pairs = list(zip(counts("xquad"), counts(f"xquad_{language}")))
    assert len(pairs) == 240
    assert sum(abs(english - other) <= 1 for english, other in pairs) >= 0.92 * 240
    english, other = (sum(column) for column in zip(*pairs))
    assert 0.97 <= other / english <= 1.06
