"""From the parts of a message to marks and quotes, however the parts are cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_rag.answerers.citing import CitingWriter
from datasette_rag.answerers.claude import _search_result, _spans
from datasette_rag.claude import BlockEnd, Cited, Text, least_thinking
from datasette_rag.events import AnswerDelta, Citation, Source
from datasette_rag.web.markdown import GrowingAnswer, render
from datasette_rag.web.markdown import blocks as markdown_blocks


def source(number, passage, **fields):
    values = {
        "database": "db",
        "table": "t",
        "pks": (str(number),),
        "title": f"Title {number}",
        "heading": "",
        "date": None,
        "score": 1.0,
        "url": None,
        "row_url": f"/db/t/{number}",
        **fields,
    }
    return Source(number=number, passage=passage, **values)


SOURCES = [
    source(1, "The harbour closes at nine. In winter it closes at five."),
    source(2, "Boats are for hire."),
]


def written(parts, sources=SOURCES):
    writer = CitingWriter([_spans(one) for one in sources], sources)
    events = [event for part in parts for event in writer.take(part)] + writer.finish()
    text = "".join(event.text for event in events if isinstance(event, AnswerDelta))
    return (
        text,
        [event for event in events if isinstance(event, Citation)],
        writer.no_answer,
        events,
    )


@pytest.mark.parametrize(
    "parts, text",
    [
        ([Text("a"), BlockEnd()], "a"),
        ([Cited(0, 0, 1), Text("a"), BlockEnd()], "a [1]"),
        ([Text("a\n\n"), Cited(0, 0, 1), BlockEnd(), Text("b"), BlockEnd()], "a [1]\n\nb"),
        ([Text("a"), Cited(0, 0, 1), Cited(1, 0, 1), Cited(0, 1, 2), BlockEnd()], "a [1][2]"),
        ([Cited(7, 0, 1), Cited(0, 5, 9), Cited(-1, 0, 1), Text("a"), BlockEnd()], "a"),
        ([Text("  \n"), BlockEnd()], ""),
        ([Text("NO"), BlockEnd()], "NO"),
        ([Text("NOTHING"), BlockEnd()], "NOTHING"),
        ([Text("a ["), Cited(0, 0, 1)], "a [ [1]"),
    ],
)
def test_marks(parts, text):
    assert written(parts)[0] == text


CITE = Cited(0, 0, 1)


@pytest.mark.parametrize(
    "parts, text",
    [
        ([Text("```\nx\n```"), CITE, BlockEnd(), Text("\nMore.")], "```\nx\n```\n\n[1]\nMore."),
        (
            [Text("```\nx = "), CITE, BlockEnd(), Text("1\n```"), BlockEnd(), Text("\nMore.")],
            "```\nx = 1\n```\n\n[1]\nMore.",
        ),
        ([Text("Use `a"), CITE, BlockEnd(), Text("b` here."), BlockEnd()], "Use `ab` here. [1]"),
        (
            [Text("| a | b |\n|--|--|\n| x | five |"), CITE, BlockEnd(), Text("\n| y | 6 |")],
            "| a | b |\n|--|--|\n| x | five [1] |\n| y | 6 |",
        ),
        ([Text("One.\n\n---"), CITE, BlockEnd(), Text("\nTwo.")], "One.\n\n---\n\n[1]\nTwo."),
        ([Text("Title\n==="), CITE, BlockEnd()], "Title\n===\n\n[1]"),
        ([Text("a |"), CITE, BlockEnd()], "a [1] |"),
        ([Text("Cut ```\nx"), CITE, BlockEnd()], "Cut ```\nx [1]"),
    ],
)
def test_marks_leave_the_markdown_whole(parts, text):
    for size in (1, 2, 100):
        cut = []
        for part in parts:
            whole = part.text if isinstance(part, Text) else None
            cut += (
                [part]
                if whole is None
                else [Text(whole[at : at + size]) for at in range(0, len(whole), size)]
            )
        assert written(cut)[0] == text


@pytest.mark.parametrize(
    "said, text",
    [
        ("It is 9 EUR [2].", "It is 9 EUR [\u20602]."),
        ("[1, 2] and 【2】 and [ 1 ]", "[\u20601, 2] and 【\u20602】 and [\u2060 1 ]"),
        ("[1](https://x.example)", "[\u20601](https://x.example)"),
        ("`a[1]` and a[1]", "`a[1]` and a[\u20601]"),
        ("```\na[1]\n```\n[1]", "```\na[1]\n```\n[\u20601]"),
        ("[a] [] [x1]", "[a] [] [x1]"),
        ("[9] [10] [1m [" + "1" * 5000 + "]", "[9] [10] [1m [" + "1" * 5000 + "]"),
        ("[9, 2] [1-9]", "[\u20609, 2] [\u20601-9]"),
    ],
)
def test_numbers_that_the_model_writes_cite_nothing(said, text):
    for size in (1, 2, 100):
        parts = [Text(said[start : start + size]) for start in range(0, len(said), size)]
        answer = written([*parts, BlockEnd()])[0]
        assert answer == text
        assert "rag-citation" not in render(answer, [1, 2])


def test_quotes_are_exact_pieces():
    _, citations, _, _ = written([Text("a"), Cited(0, 0, 2), Cited(0, 1, 2), BlockEnd()])
    assert [(one.number, one.text) for one in citations] == [
        (1, "The harbour closes at nine. In winter it closes at five."),
        (1, "In winter it closes at five."),
    ]
    for one in citations:
        assert SOURCES[one.number - 1].passage[one.start : one.end] == one.text


@pytest.mark.parametrize(
    "reply, text",
    [
        ("NO_ANSWER: It is not there.", "It is not there."),
        ("NO_ANSWER", ""),
        ("**NO_ANSWER** It is not there.", "It is not there."),
        ("**NO_ANSWER**: **It** is not there.", "**It** is not there."),
        ("NO_ANSWER **It** is not there.", "**It** is not there."),
        ("`no_answer`", ""),
        ('"No_Answer." It is not there.', '" It is not there.'),
        ("NO_ANSWER\n\nIt is not there.", "It is not there."),
    ],
)
def test_no_answer(reply, text):
    for size in (1, 3, 100):
        parts = [Text(reply[start : start + size]) for start in range(0, len(reply), size)]
        assert written([*parts, BlockEnd()])[0::2][:1] == (text,)
        assert written([*parts, BlockEnd()])[2]


@pytest.mark.parametrize(
    "reply",
    [
        "NO_ANSWERABLE is a constant.",
        "No answer is given.",
        "**No** and no.",
        "N",
        "*",
        "NO_ANSWER_2",
    ],
)
def test_what_only_looks_like_no_answer(reply):
    for size in (1, 3, 100):
        parts = [Text(reply[start : start + size]) for start in range(0, len(reply), size)]
        text, _, no_answer, _ = written([*parts, BlockEnd()])
        assert not no_answer and text == (reply if reply != "*" else "")


def test_a_source_becomes_a_search_result():
    block = _search_result(
        source(
            3, "One. Two.", heading="Guide > Install", date="2026-01-02", url="https://x.example/"
        )
    )
    assert block == {
        "type": "search_result",
        "source": "https://x.example/",
        "title": "Title 3 · Guide > Install · 2026-01-02",
        "content": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}],
        "citations": {"enabled": True},
    }


@pytest.mark.parametrize(
    "model, arguments",
    [
        (
            "claude-haiku-5-5",
            {"thinking": {"type": "disabled"}, "output_config": {"effort": "low"}},
        ),
        (
            "claude-sonnet-5-5",
            {"thinking": {"type": "between_tools"}, "output_config": {"effort": "low"}},
        ),
        ("claude-opus-5-5", {"output_config": {"effort": "low"}}),
        ("claude-haiku-4-5-20251001", {}),
        ("some-other-model", {}),
    ],
)
def test_as_little_thinking_as_the_model_can(model, arguments):
    assert least_thinking(model) == arguments


BLOCKS = st.lists(
    st.tuples(
        st.text(alphabet="aß中 \n`[]1.*-#|NO_ANSWER", max_size=12),
        st.lists(
            st.builds(Cited, st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), max_size=2
        ),
    ),
    max_size=4,
)


@settings(max_examples=1_500)
@given(BLOCKS, st.data())
def test_any_chunking_gives_the_same_answer_citations_and_html(blocks, data):
    whole, cut = [], []
    for text, cites in blocks:
        whole += [*cites, Text(text), BlockEnd()] if text else [*cites, BlockEnd()]
        pieces = []
        rest = text
        while rest:
            size = data.draw(st.integers(1, len(rest)))
            pieces.append(Text(rest[:size]))
            rest = rest[size:]
        # The API sends citations before or among the text of their block.
        for cite in reversed(cites):
            pieces.insert(0, cite)
        cut += [*pieces, BlockEnd()]
    text, citations, no_answer, _ = written(whole)
    text_cut, citations_cut, no_answer_cut, events = written(cut)
    assert (text_cut, citations_cut, no_answer_cut) == (text, citations, no_answer)
    numbers = [one.number for one in SOURCES]
    growing = GrowingAnswer(numbers)
    shown = ""
    lengths = [0]
    for event in events:
        if isinstance(event, AnswerDelta):
            # What a client has after it replaced the blocks that it was told to.
            block, html = growing.add(event.text)
            shown = shown[: lengths[block]] + html
            lengths = [0]
            for one in markdown_blocks(growing.text, numbers):
                lengths.append(lengths[-1] + len(one))
    assert shown == render(text, numbers)
