"""The renderer of answers: what it lets through, what it links, and that chunks do not matter."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_rag.web.markdown import ATTRIBUTES, TAGS, GrowingAnswer, blocks, render

SOURCES = (1, 2, 3, 4)
VOID = {"br", "hr"}

# Pieces that mean something to a Markdown parser, a browser or the citation rule, so that
# arbitrary texts made of them are nastier than arbitrary characters.
PIECES = st.one_of(
    st.sampled_from(
        [
            *("[1]", "[2, 3]", "[1-3]", "【2】", "[9]", "[", "]", "(", ")", "![", "]("),
            *("`", "```", "```js\n", '```x" onclick="a\n', "~~~\n", "\n", "\n\n", "    ", "\t"),
            *("- ", "1. ", "> ", "# ", "---\n", "|a|b|\n|-|-|\n", "|1|2|\n", "*", "**", "_"),
            *("<b>", "</a>", "<script>", "<img src=x onerror=a()>", "<!--", "&lt;", "&#106;"),
            *("javascript:", "java\tscript:a", "data:text/html,x", "https://a.example/", "//b"),
            *("[1]: https://evil.example\n", "[x]: javascript:a\n", "<https://a.example>"),
            *('"', "'", "\\", "\x00", "\ud800", "\r", "\r\n", "\u202e", "\u2028", "<", ">", "&"),
        ]
    ),
    st.text(max_size=5),
)
ANSWERS = st.lists(PIECES, max_size=40).map("".join)


class Outline(HTMLParser):
    """Checks every tag and attribute, and notes the elements at the top level."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.top: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        for name, value in attrs:
            assert name in ATTRIBUTES.get(tag, ())
            if name == "href":
                assert_safe(value or "")
            if name == "class":
                assert re.fullmatch(r"rag-citation|language-[A-Za-z0-9+#.\-]+", value or "")
        if not self.open:
            self.top.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert self.open or not data.strip()

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def assert_safe(url: str) -> None:
    """The address is one of those that links may have, as a browser reads it."""
    read = re.sub(r"[\x00-\x20]", "", url).lower()
    scheme = re.match(r"[a-z][a-z0-9+.\-]*:", read)
    assert scheme is None or scheme.group() in ("http:", "https:", "mailto:")


def cited(html: str) -> list[int]:
    """The numbers of the citations in the HTML, in order."""
    found = re.findall(
        r'<a class="rag-citation" href="#source-(\d+)" aria-label="Source (\d+)">\[(\d+)\]</a>',
        html,
    )
    assert len(found) == html.count("rag-citation")
    assert all(len(set(numbers)) == 1 for numbers in found)
    return [int(numbers[0]) for numbers in found]


@pytest.mark.parametrize(
    ("markdown", "numbers"),
    [
        ("Yes [1].", [1]),
        ("A [1, 3]. B [2][4]. C [1-3]. D [1,2;4].", [1, 3, 2, 4, 1, 2, 3, 1, 2, 4]),
        ("E [ 2 ]. F [1][1]. G 【2】.", [2, 1, 1, 2]),
        ("fee [[1]] and [2],then [3] end", [1, 2, 3]),
        ("**[1]** and *text [2]*", [1, 2]),
        ("| a |\n|---|\n| b [1] |", [1]),
        ("- one [1]\n- two [2]", [1, 2]),
        ("no such source: [9], [1234], [0], [01], [1.5], [12", []),
        ("half of it exists: [1, 9]", [1]),
        ("too wide: [1-999]; backwards: [3-1]", []),
        (r"as typed: \[1\] and [x1] and [1x] and [^1]", []),
        ("`row[1]` and ``[2]``", []),
        ("```py\nx = [2]\nprint(m[1][2])\n```\nas in [1].", [1]),
        ("```\nunclosed [1]", []),
        ("    indented [1]", []),
        ("Unclosed in a line: ```\ny[3]", []),
        ("[see [1] there](https://a.example)", [1]),
        ("[see \\[1\\] there](https://a.example)", []),
        ("![a chart [1]](https://a.example/x.png)", []),
    ],
)
def test_which_numbers_become_citations(markdown: str, numbers: list[int]) -> None:
    assert cited(render(markdown, SOURCES)) == numbers


def test_a_number_without_a_source_stays_text() -> None:
    assert render("half: [1, 9]", SOURCES).endswith("[1]</a>[9]</p>\n")
    assert render("none: [7, 9]", SOURCES) == "<p>none: [7, 9]</p>\n"
    assert render("none: [1]", ()) == "<p>none: [1]</p>\n"


def test_code_that_was_opened_in_a_line_is_left_as_it_is() -> None:
    assert render("So: ```\nx[1, 2][3]", SOURCES) == "<p>So: ```\nx[1, 2][3]</p>\n"


@pytest.mark.parametrize(
    "markdown",
    [
        "True [1].\n\n[1]: https://evil.example",
        "[1]: https://evil.example 'title'\n\nTrue [1].",
        "True [text][1].\n\n[1]: https://evil.example",
        "True [1](https://evil.example).",
        "True [1][evil].\n\n[evil]: https://evil.example",
        "True [1](javascript:boom()).",
    ],
)
def test_nothing_in_an_answer_gives_a_citation_another_target(markdown: str) -> None:
    html = render(markdown, SOURCES)
    assert 1 in cited(html)
    assert "href=" not in html.replace('href="#source-1"', "")


def test_raw_html_is_shown_as_text() -> None:
    html = render("5 < 6 <sub>b</sub> <img src=x onerror=boom()>\n\n<script>boom()</script>", ())
    assert "&lt;sub&gt;b&lt;/sub&gt;" in html
    assert "&lt;img src=x onerror=boom()&gt;" in html
    assert "&lt;script&gt;boom()&lt;/script&gt;" in html


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("![a chart](https://a.example/x.png)", "<p>a chart</p>\n"),
        ("![](https://a.example/x.png)", "<p></p>\n"),
        ("![a [1] `b` *c* ![d](e)](x)", "<p>a [1] b c d</p>\n"),
        ('![<b>"](x)', '<p>&lt;b&gt;"</p>\n'),
    ],
)
def test_an_image_is_its_description(markdown: str, html: str) -> None:
    assert render(markdown, ()) == html


@pytest.mark.parametrize(
    "url", ["https://a.example/b?c=d", "http://a.example", "mailto:a@b.example", "/docs/faq", "#x"]
)
def test_links_that_are_kept(url: str) -> None:
    assert (
        render(f"[text]({url})", ())
        == f'<p><a href="{url}" rel="nofollow noopener noreferrer">text</a></p>\n'
    )


@pytest.mark.parametrize(
    "url",
    [
        "javascript:boom()",
        "JaVaScRiPt:boom()",
        "&#106;avascript:boom()",
        "vbscript:x",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://a.example",
    ],
)
def test_links_that_are_shown_as_text(url: str) -> None:
    assert "<a" not in render(f"[text]({url}) <{url}>", ())


@pytest.mark.parametrize("language", ["py", "C#", "c++", "asp.net", "objective-c"])
def test_code_languages(language: str) -> None:
    assert (
        render(f"```{language} more\nx\n```", ())
        == f'<pre><code class="language-{language}">x\n</code></pre>\n'
    )


@pytest.mark.parametrize("language", ['js" onmouseover="boom()', "a&b", "<b>", "é", "x" * 41])
def test_a_strange_code_language_is_left_out(language: str) -> None:
    assert render(f"```{language}\nx\n```", ()) == "<pre><code>x\n</code></pre>\n"


def test_headings_fit_below_those_of_the_page() -> None:
    html = render("# A\n\n## B\n\n###### C\n\nD\n===", ())
    assert re.findall(r"<(h\d)>", html) == ["h3", "h4", "h6", "h3"]


def test_text_that_no_encoding_can_carry() -> None:
    assert render("a\x00b\ud800c", ()) == "<p>a\ufffdb\ufffdc</p>\n"


@settings(max_examples=400)
@given(ANSWERS)
def test_no_text_yields_a_tag_or_attribute_outside_the_list(markdown: str) -> None:
    pieces = blocks(markdown, SOURCES)
    assert "".join(pieces) == render(markdown, SOURCES)
    for piece in pieces:
        assert len(Outline(piece).top) == 1


@settings(max_examples=300)
@given(ANSWERS, st.lists(st.integers(0, 200), max_size=30))
def test_any_chunks_end_in_the_same_html(markdown: str, cuts: list[int]) -> None:
    ends = sorted({min(cut, len(markdown)) for cut in cuts} | {len(markdown)})
    growing = GrowingAnswer(SOURCES)
    shown: list[str] = []
    start = 0
    for end in ends:
        block, html = growing.add(markdown[start:end])
        assert block <= len(shown)
        shown = shown[:block] + elements(html)
        start = end
    assert "".join(shown) == render(markdown, SOURCES)


@settings(max_examples=100)
@given(ANSWERS)
def test_one_character_at_a_time_ends_in_the_same_html(markdown: str) -> None:
    growing = GrowingAnswer(SOURCES)
    shown: list[str] = []
    for character in markdown[:80]:
        block, html = growing.add(character)
        shown = shown[:block] + elements(html)
    assert "".join(shown) == render(markdown[:80], SOURCES)


def test_only_what_changed_is_sent_again() -> None:
    growing = GrowingAnswer(SOURCES)
    assert growing.add("First.\n\nSec") == (0, "<p>First.</p>\n<p>Sec</p>\n")
    assert growing.add("ond.") == (1, "<p>Second.</p>\n")
    assert growing.add("\n\n") == (2, "")
    assert growing.add("Third [") == (2, "<p>Third [</p>\n")
    assert growing.add("1")[1] == "<p>Third [1</p>\n"
    assert cited(growing.add("]")[1]) == [1]


def elements(html: str) -> list[str]:
    """Split HTML into its top-level elements, as a page that replaces them would."""

    class Splitter(HTMLParser):
        def __init__(self) -> None:
            super().__init__(convert_charrefs=False)
            self.depth = 0
            self.starts: list[tuple[int, int]] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if self.depth == 0:
                self.starts.append(self.getpos())
            self.depth += tag not in VOID

        def handle_endtag(self, tag: str) -> None:
            self.depth -= 1

    splitter = Splitter()
    splitter.feed(html)
    lines = html.split("\n")
    offsets = [
        sum(len(line) + 1 for line in lines[: row - 1]) + column for row, column in splitter.starts
    ]
    ends = [*offsets, len(html)][1:]
    return [html[start:end] for start, end in zip(offsets, ends, strict=False)]
