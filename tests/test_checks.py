"""The checks of a finished answer: which citations it makes, and where its numbers stand."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_rag.checks import run_checks
from datasette_rag.checks.figures import figures
from datasette_rag.checks.statements import statements
from datasette_rag.events import Check, Source

ALL_STAND = "Every number in the answer stands in the sources cited for it."
ALL_EXIST = "Every source that the answer cites exists."
NO_NUMBERS = "The answer has no numbers that need checking."


def sources(*passages, date=None):
    return [
        Source(number, "db", "docs", (), "", "", date, passage, 1.0, None, None)
        for number, passage in enumerate(passages, 1)
    ]


def numbers(answer, *passages):
    """The check of the numbers."""
    _, check = run_checks(answer, sources(*passages), says_unknown=False)
    assert check.name == "numbers"
    return check


def cited(answer):
    return [statement.own for statement in statements(answer)]


@pytest.mark.parametrize(
    "answer, expected",
    [
        pytest.param(
            "A [1, 3]. B [2][4]. C [1-3]. D [1,2;4]. E [ 2 ]. F [1][1]. G 【2】.",
            [(1, 3), (2, 4), (1, 2, 3), (1, 2, 4), (2,), (1,), (2,)],
            id="F7-01",
        ),
        pytest.param(
            "Use `row[1]` and\n```py\nx = [2]\nprint(x[0], m[1][2])\n```\nas in [1]. "
            "Unclosed: ```\ny[3]",
            [(), (), (1,), ()],
            id="F7-02",
        ),
        pytest.param("Look:\n\n    y[3]\n\nAs in [1].", [(), (), (1,)], id="F7-02-indented"),
        pytest.param("As in [1].\n\n```\ny[3]", [(1,), ()], id="F7-02-unclosed"),
        pytest.param("- one `a[1]` [2]\n- two", [(2,), ()], id="F7-02-list"),
        pytest.param("a [5] b [2]", [(5, 2)], id="F7-04"),
        pytest.param("fee [[1]] and [2],then [10] end\n[3", [(1, 2, 10)], id="F7-05"),
        ("It costs 10. [1] It is red. [2]", [(1,), (2,)]),
        ("It costs 10.[1] It is red.[2]", [(1,), (2,)]),
        ("It costs 10 [1]. It is red [2].", [(1,), (2,)]),
        ("It costs 10 ([1]).", [(1,)]),
        ("\\[1\\] is not cited, \\[2] neither.", [()]),
        ("See [1](https://example.com) and [two](https://example.com).", [(1,)]),
        ("See [0], [x] and [3-1].", [()]),
        ("C [1–3]", [(1, 2, 3)]),
        ("D [1-999]", [()]),
        ("| a | b |\n|---|---|\n| 5 [1] | 6 [2] |", [(), (), (1,), (2,)]),
        ("", []),
    ],
)
def test_which_sources_are_cited(answer, expected):
    assert cited(answer) == expected


@pytest.mark.parametrize(
    "answer, expected",
    [
        ("One. Two [1].", [(1,), (1,)]),
        ("One [1]. Two.", [(1,), (1,)]),
        ("One. Two [1]. Three [2]. Four.", [(1,), (1,), (2,), (2,)]),
        ("- one\n- two [2]\n- three [3]", [(2,), (2,), (3,)]),
        ("One.\n\nTwo [1].", [(), (1,)]),
        ("The prices:\n\n- one [1]\n- two [2]", [(1,), (1,), (2,)]),
        ("# Prices\n\nOne [1].", [(1,), (1,)]),
        ("One [1].\n\n```\ncode\n```", [(1,), (1,)]),
        ("```\ncode\n```\n\nOne [1].", [(1,), (1,)]),
        ("One.\n\nTwo.", [(), ()]),
    ],
)
def test_a_statement_without_a_mark_takes_its_neighbours(answer, expected):
    assert [statement.cites for statement in statements(answer)] == expected


@pytest.mark.parametrize(
    "answer, says_unknown, ok, message",
    [
        ("Yes [1].", False, True, ALL_EXIST),
        ("Yes [1][2].", False, True, ALL_EXIST),
        ("Yes [7].", False, False, "The answer cites [7], but there are only 2 sources."),
        (
            "Yes [1]. No [3]. Or [3-5].", False, False,
            "The answer cites [3], [4] and [5], but there are only 2 sources.",
        ),
        pytest.param("Long right answer.", False, False, "The answer cites no source.", id="F7-13"),
        ("Use `a[1]`.", False, False, "The answer cites no source."),
        (
            "I do not know.", True, True,
            "The answer says that it does not know, and cites nothing.",
        ),
        ("Not in [9].", True, False, "The answer cites [9], but there are only 2 sources."),
    ],
)  # fmt: skip
def test_citations(answer, says_unknown, ok, message):
    check, _ = run_checks(answer, sources("a", "b"), says_unknown=says_unknown)
    assert check == Check("citations", ok, message)


def test_a_single_source_is_not_plural():
    check, _ = run_checks("No [2].", sources("a"), says_unknown=False)
    assert check.message == "The answer cites [2], but there is only 1 source."


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_has_nothing_to_check(answer):
    assert run_checks(answer, sources("a"), says_unknown=False) == []


@pytest.mark.parametrize(
    "answer, source",
    [
        pytest.param("The budget is 48500 EUR [1].", "Budget: 48,500.00 EUR", id="F7-07"),
        pytest.param("48 500 EUR [1]", "Budget: 48,500.00 EUR", id="F7-07-space"),
        pytest.param("48.5k [1]", "Budget: 48,500.00 EUR", id="F7-07-k"),
        pytest.param("48.500,00 [1]", "Budget: 48,500.00 EUR", id="F7-07-german"),
        pytest.param("48'500 [1]", "Budget: 48,500.00 EUR", id="F7-07-swiss"),
        pytest.param("48\u202f500 [1]", "Budget: EUR48500", id="F7-07-glued"),
        pytest.param("1,250,000 [1]", "1.250.000 Euro", id="F7-08"),
        pytest.param("1.25 million [1]", "1.250.000 Euro", id="F7-08-million"),
        pytest.param("1.25M [1]", "1.250.000 Euro", id="F7-08-M"),
        pytest.param("1 250 000 [1]", "1.250.000 Euro", id="F7-08-spaces"),
        pytest.param("1.250 [1]", "1250 Euro", id="F7-08-ambiguous-thousands"),
        pytest.param("1.250 [1]", "1.25 Euro", id="F7-08-ambiguous-decimal"),
        pytest.param("2,5 Mio. [1]", "2500000", id="F7-08-mio"),
        pytest.param(
            "1. Install v2.001 (RFC-9110, ISO 8601).\n2. On 2026-09-04 open issue #1684 [1].\n"
            "3. Two of three steps are done.",
            "Install v2.001 ... 4 September 2026 ...",
            id="F7-11",
        ),
        ("5 days [1]", "five days"),
        ("25 days [1]", "twenty-five days"),
        ("a 30-day limit, 30days [1]", "30 days"),
        ("on the 19th [1]", "19 December"),
        ("12 500 [1]", "rooms 12 and 500"),
        ("3,5,7 [1]", "3, 5 and 7"),
        ("1,25,000 [1]", "125000"),
        ("1,234.5 [1]", "1.234,5"),
        (".5 [1]", "0.5"),
        ("€7.90 and $5 [1]", "7,90 €, 5 dollars"),
        ("72 % [1]", "72%"),
        ("10 m wide [1]", "10 metres"),
        ("on 4 September 2026 [1]", "04.09.2026"),
        ("on September 4, 2026 [1]", "4.9.2026"),
        ("on 4. September 2026 [1]", "2026-09-04"),
        ("on 2026/09/04 [1]", "am 4. September 2026"),
        ("on 4 September [1]", "4 September 2026"),
        ("in September 2026 [1]", "2026-09-04"),
        ("in 2026 [1]", "4 September 2026"),
        ("from 4 to 6 September 2026 [1]", "4-6 September 2026"),
        ("am 3. März [1]", "3 March"),
        ("15/2/2024 [1]", "February 15, 2024"),
        ("99/99/2024 [1]", "99 and 99 of 2024"),
        ("at 8:30 [1]", "08:30"),
        ("at 4:45 pm [1]", "16:45"),
        ("at 12:05 am [1]", "00:05"),
        ("order MZ-2044-B [1]", "MZ-2044-B"),
        ("order KM-7 [1]", "no such thing"),
        ("version 3.11 [1]", "v3.11"),
        ("Python v3.11 [1]", "Python 3.11"),
        ("version 1.2.3 [1]", "1.2.3"),
        ("H2O and COVID-19 [1]", "water"),
        ("see https://example.com/2024/17 or a1@example.org [1]", "nothing"),
        ("于2023年9月4日 [1]", "在2023年9月4日发生"),
        ("2023 [1]", "在2023年"),
        ("```\nport = 8001\n```\nas in [1]", "port 8001"),
        ("## 2. Prices\n\nIt is 5 [1].", "5"),
        ("# 2.1 Prices in 2026\n\nIt is 5 [1].", "5 in 2026"),
        ("the array `x[7]` has 5 [1]", "x[7] 5"),
        ("١٢ [1]", "12"),
    ],
)
def test_numbers_that_stand_in_the_source(answer, source):
    check = numbers(answer, source)
    assert check.ok, check.message
    assert check.message in (ALL_STAND, NO_NUMBERS)


@pytest.mark.parametrize(
    "answer, source, missing",
    [
        pytest.param("12.5 million [1]", "1.250.000 Euro", "12.5 million is", id="F7-08"),
        pytest.param("1.250 [1]", "1.250.000 Euro", "1.250 is", id="F7-08-neighbour"),
        pytest.param(
            "Open 08:30-17:45, 75% in 2022 [1].",
            "Open 08:30-16:45, 72% in 2023",
            "17:45, 75% and 2022 are",
            id="F7-10",
        ),
        pytest.param("485000 [1]", "48,500.00 EUR", "485000 is", id="F7-07-neighbour"),
        ("on 5 September 2026 [1]", "4 September 2026", "5 September 2026 is"),
        ("on 4 October 2026 [1]", "4 September 2026", "4 October 2026 is"),
        ("on 4 September 2025 [1]", "4 September 2026", "4 September 2025 is"),
        ("on 2026-09-05 [1]", "2026-09-04", "2026-09-05 is"),
        ("at 5:45 pm [1]", "16:45", "5:45 pm is"),
        ("order MZ-2045-B [1]", "MZ-2044-B", "MZ-2045-B is"),
        ("issue #1685 [1]", "issue #1684", "#1685 is"),
        ("version 1.2.4 [1]", "1.2.3", "1.2.4 is"),
        ("version 3.11 [1]", "3.9: 11 fixes", "3.11 is"),
        ("5 [1]", "15", "5 is"),
        ("50 [1]", "500", "50 is"),
        ("1\\. It is [1]", "none", "1 is"),
        ("`5` [1]", "none", "5 is"),
        ("```\nport = 8002\n```\nas in [1]", "port 8001", "8002 is"),
        ("9" * 60 + " [1]", "none", "9" * 39 + "… is"),
    ],
)
def test_numbers_that_do_not(answer, source, missing):
    assert numbers(answer, source) == Check(
        "numbers", False, f"{missing} not in the cited source [1]."
    )


def test_f7_14_the_right_number_from_the_wrong_source():
    check = numbers("Plan B costs 20 [1].", "Plan A costs 10", "Plan B costs 20")
    assert check == Check("numbers", False, "20 is not in the cited source [1], but in source [2].")


def test_each_sentence_is_held_against_its_own_sources():
    passages = ("A costs 10", "B costs 20", "C costs 30")
    assert numbers("A costs 10 [1]. B costs 20 [2]. C and A cost 30 and 10 [1][3].", *passages).ok
    check = numbers("A costs 20 [1]. B costs 10 [2]. C costs 40 [1, 3].", *passages)
    assert check.message == (
        "20 is not in the cited source [1], but in source [2]. "
        "10 is not in the cited source [2], but in source [1]. "
        "40 is not in the cited sources [1] and [3]."
    )


def test_without_citations_all_sources_count():
    assert numbers("It costs 20.", "10", "20").ok
    assert numbers("It costs 30.", "10", "20").message == "30 is not in any of the sources."


def test_title_heading_and_date_count_as_the_source():
    source = Source(1, "db", "t", (), "Plan 7", "Part 8", "2026-09-04", "Text", 1.0, None, None)
    answer = "Plan 7, part 8, of 4 September 2026 [1]."
    assert run_checks(answer, [source], says_unknown=False)[1] == Check("numbers", True, ALL_STAND)


def test_many_missing_numbers_are_counted():
    message = numbers(" ".join(str(number) for number in range(11, 20)) + " [1]", "none").message
    assert message == (
        "11, 12, 13, 14, 15 and 16 are not in the cited source [1]. "
        "The same is true of 3 more numbers."
    )


def test_no_sources():
    citations, numbers_check = run_checks("It is 5 [1].", [], says_unknown=False)
    assert citations.message == "The answer cites [1], but there are only 0 sources."
    assert not numbers_check.ok


@pytest.mark.parametrize(
    "text, kinds",
    [
        ("48,500.00", ["number"]),
        ("1.2.3", ["name"]),
        ("1.250.000", ["number"]),
        ("2026-09-04", ["date"]),
        ("08:30", ["time"]),
        ("KM-2044-B", ["name"]),
        ("three", []),
    ],
)
def test_kinds(text, kinds):
    assert [figure.kind for figure in figures(text)] == kinds


def test_readings():
    (figure,) = figures("1.250")
    assert figure.values == {Decimal("1.25"), Decimal(1250)}
    (figure,) = figures("three", words=True)
    assert figure.values == {Decimal(3)}


@pytest.mark.parametrize(
    "piece",
    ["1.", "1,", "1 ", "a-", "a1-", "1/", "[1", "[1]", "111 ", "may ", "9", "1:", "12 ", "a.", "`",
     "- ", "> ", "1. ", "a@", "# ", "|"],
)  # fmt: skip
def test_time_grows_with_the_length_only(piece):
    started = time.perf_counter()
    run_checks(piece * (10_000 // len(piece)), sources(piece * 1000), says_unknown=False)
    # Below 0.5 s when measured; what grows with the square would take far longer.
    assert time.perf_counter() - started < 5


@given(st.text(alphabet="a1 .,[]`-:/\n|#*5年%km", max_size=200), st.text(max_size=50))
def test_any_answer(answer, passage):
    found = run_checks(answer, sources(passage), says_unknown=False)
    assert [check.name for check in found] == (["citations", "numbers"] if answer.strip() else [])
    assert all(check.message.endswith(".") for check in found)


@given(st.decimals(min_value=0, max_value=10**9, places=2))
def test_a_number_is_found_however_it_is_grouped(value):
    written = f"{value:,.2f}"
    german = written.translate(str.maketrans(",.", ".,"))
    plain = str(value)
    for one in (written, german, plain):
        for other in (written, german, plain):
            assert numbers(f"It is {one} EUR [1].", f"EUR: {other}").ok
