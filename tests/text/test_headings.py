"""Headings of Markdown: the real ones, and nothing that only looks like one."""

from __future__ import annotations

import pytest

from datasette_rag.text.headings import document_title, headings


@pytest.mark.parametrize(
    "markdown, expected",
    [
        ("# A\n\n## B ##\ntext\n\nC\n===\n\nD\ne\n---\n", [(1, "A"), (2, "B"), (1, "C"), (2, "D e")]),
        ("   ### A\n    # code\n#no\n\\# no\n", [(3, "A")]),
        ("```bash\n# no\n```\n# Yes\n", [(1, "Yes")]),
        ("~~~py\n# a\n~~~", []),
        ("```\n# a\n`````\n# Real", [(1, "Real")]),
        ("   ```\n   # a\n   ```", []),
        ("````\n```\n# a\n```\n````", []),
        ("```\n# never closed", []),
        ("# Setup\n<!--\n# old\n-->\na\n# Setup\nb", [(1, "Setup"), (1, "Setup")]),
        ("<div>\n# no\n</div>\n", []),
        ("> # quoted\n\n- # listed\n", []),
        ("# The *new* `code` [link](https://x.y) ![icon](i.png) &amp; <b>c</b>\\_d", [
            (1, "The new code link icon & c_d"),
        ]),
        ("# A_b_c & __d__\n#\n", [(1, "A_b_c & d"), (1, "")]),
        ("# A\r\n\r## B\rtext", [(1, "A"), (2, "B")]),
        ("plain text", []),
    ],
)  # fmt: skip
def test_headings(markdown, expected):
    assert [(heading.level, heading.text) for heading in headings(markdown)] == expected


def test_heading_knows_its_lines():
    markdown = "text\r\n\r\n# A\r\nB\n===\nend"
    assert [markdown[heading.start : heading.end] for heading in headings(markdown)] == [
        "# A\r\n",
        "B\n===\n",
    ]


@pytest.mark.parametrize(
    "markdown, expected",
    [
        ("text\n\n## B\n\n# A\n", "A"),
        ("## B\n\n### C\n", "B"),
        ("#\n\n## B\n", "B"),
        ("no heading", None),
        ("", None),
        ("text\n\n" * 2_000 + "# Late\n" + "more\n\n" * 2_000, "Late"),
        ("```\n" + "# code\n" * 500 + "```\n\nTitle\n=====\n", "Title"),
    ],
)
def test_document_title(markdown, expected):
    assert document_title(markdown) == expected
