"""Anchors: the same ones that GitHub makes."""

from __future__ import annotations

import pytest

from datasette_rag.text.headings import headings


@pytest.mark.parametrize(
    "markdown, expected",
    [
        # F8-13
        ("# Setup\n<!--\n# old\n-->\na\n# Setup\nb", ["setup", "setup-1"]),
        ("# A\n# A\n# A-1\n# A\n", ["a", "a-1", "a-1-1", "a-2"]),
        ("# A-1\n# A\n# A\n", ["a-1", "a", "a-2"]),
        ("## What's *new* in `v3.11_rc`?\n", ["whats-new-in-v311_rc"]),
        ("## A & B -- c  d\n", ["a--b----c--d"]),
        ("## Größe & Überblick ##\n", ["größe--überblick"]),
        ("## Привет 你好 हिन्दी\n", ["привет-你好-हिन्दी"]),
        ("## 🚀 Quick start\n## :rocket: Go\n", ["-quick-start", "rocket-go"]),
        ("## ![logo](l.png) [Home](x) <b>now</b>\n", ["-home-now"]),
        ("Two\nlines\n---\n", ["twolines"]),
        ("#\n# ?\n# A\n", ["", "", "a"]),
        # A heading in a quotation is none of ours, but takes its anchor away.
        ("> # A\n\n# A\n", ["a-1"]),
    ],
)  # fmt: skip
def test_anchors(markdown, expected):
    assert [heading.anchor for heading in headings(markdown)] == expected
