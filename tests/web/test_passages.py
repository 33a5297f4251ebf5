"""Where a passage is marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_rag.events import Quote
from datasette_rag.web.passages import segments

PASSAGE = "abcdefghij"


def quote(start: int, end: int) -> Quote:
    return Quote(PASSAGE[max(start, 0) : max(end, 0)], start, end)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], "abcdefghij"),
        ([(2, 4)], "ab<cd>efghij"),
        ([(0, 10)], "<abcdefghij>"),
        ([(0, 2), (8, 10)], "<ab>cdefgh<ij>"),
        ([(5, 8), (2, 6)], "ab<cdefgh>ij"),
        ([(2, 4), (4, 6)], "ab<cdef>ghij"),
        ([(1, 9), (3, 4)], "a<bcdefghi>j"),
        ([(3, 4), (3, 4)], "abc<d>efghij"),
        ([(-1, 3), (5, 5), (6, 4), (8, 11)], "abcdefghij"),
    ],
)
def test_segments(spans: list[tuple[int, int]], expected: str) -> None:
    pieces = segments(PASSAGE, [quote(*span) for span in spans])
    assert "".join(f"<{text}>" if marked else text for text, marked in pieces) == expected


@given(st.lists(st.tuples(st.integers(-2, 12), st.integers(-2, 12)), max_size=8))
def test_segments_join_to_the_passage(spans: list[tuple[int, int]]) -> None:
    pieces = segments(PASSAGE, [quote(*span) for span in spans])
    assert "".join(piece.text for piece in pieces) == PASSAGE
    assert all(piece.text for piece in pieces)
    # Marked and unmarked pieces alternate: nothing is cut that need not be.
    assert all(one.marked != two.marked for one, two in zip(pieces, pieces[1:], strict=False))


def test_an_empty_passage_has_no_segments() -> None:
    assert segments("", [quote(0, 3)]) == []
