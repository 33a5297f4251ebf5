"""Values to plain text: what is HTML, what Markdown, and what comes out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_rag.text.clean import clean
from datasette_rag.text.html import html_to_text
from datasette_rag.text.plain import is_html, is_markdown, to_text


@pytest.mark.parametrize(
    "value, expected",
    [
        (None, ""),
        (b"readable bytes", ""),
        (b"\xff\xfe\x00", ""),
        (7, "7"),
        (2.5, "2.5"),
        ("", ""),
        ('["a", "b"]', '["a", "b"]'),
        ("a < b & c &amp; d", "a < b & c &amp; d"),
        ("before\x00after \x1b[1mx\x7f", "before after  [1mx "),
        ("\ufeffone\r\ntwo\rthree\x0cfour\tfive", "one\ntwo\nthree\nfour\tfive"),
        ("half \ud83d pair", "half  pair"),
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
    ],
)
def test_to_text(value, expected):
    assert to_text(value) == expected


@pytest.mark.parametrize(
    "html, expected",
    [
        # F8-11
        (
            "<style>p{}</style><h2>Fees</h2><table><tr><td>Basic</td><td>9&nbsp;&euro;</td></tr>"
            "</table><p>A&amp;B<br>C</p><script>var late=1</script><!-- # hidden -->"
            "<pre>  x\n y</pre>",
            "Fees\n\nBasic | 9 €\n\nA&B\nC\n\n  x\n y",
        ),
        ("Hello<br>World<br><br>New &lt;b&gt;&#1;&shy;", "Hello\nWorld\n\nNew <b>"),
        ("x <b>bold</b>er\n  <i> wide </i> end", "x bolder wide end"),
        ("<div>a</div><div>b<div>c</div></div>d", "a\nb\nc\nd"),
        ("<ul><li>a<li><p>b</p></ul><ol><li>x</li><li>y</ol>", "- a\n- b\n\n1. x\n2. y"),
        ("<ul><li>a<ul><li>b</ul></ul>", "- a\n- b"),
        (
            "<table><tr><th></th><th>A</th></tr>"
            "<tr><td>r</td><td><p>x</p><p>y<br>z</p></td></tr></table>end",
            "| A\nr | x y z\n\nend",
        ),
        # Tables for layout: one cell a row, or a table in a cell.
        ("<table><tr><td><p>One</p><p>Two</p></td></tr></table>", "One\n\nTwo"),
        (
            "<table><tr><td>menu</td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr>"
            "</table>",
            "menu | \na | b",
        ),
        ("<pre>\n  a\n<br>b <i>c</i>\n\n\n\nd\n</pre>e", "  a\n\nb c\n\n\n\nd\n\ne"),
        ("<pre>a <pre> <ul><li>b</ul></pre> c</pre>d", "a  b c\n\nd"),
        ("<html><head><title>T</title></head><body>b</body></html>", "T\n\nb"),
        ("<template>no</template><svg><text>no</text></svg><b>yes</b>", "yes"),
        ("<p></p>", ""),
        ("", ""),
    ],
)
def test_html_to_text(html, expected):
    assert html_to_text(html) == expected


@pytest.mark.parametrize("html", ["<div>" * 100_000 + "deep", "<p><font size=1>" * 30_000 + "deep"])
def test_absurdly_deep_html_is_read_without_the_parser(html):
    assert html_to_text(html) == "deep"


@pytest.mark.parametrize(
    "text",
    [
        "<p>One</p>",
        "Hello<br>World",
        "Some <b>bold</b> words",
        '<a href="https://example.com">x</a>',
        "<div class=x>open",
        "<ul>\n<li>one\n<li>two\n</ul>",
        "<!DOCTYPE html><title>x</title>",
        "<pre># c\n- a\n- b</pre><p>x</p>",
        "<p>See <code>](x)</code></p>",
        "Fees <img src=x onerror=boom()> & 2 < 3 fees",
    ],
)
def test_is_html(text):
    assert is_html(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a < b and c > d",
        "List<String> and Map<String, List<p>> and Vec<T>",
        "DELETE FROM <table> WHERE <name> = 1",
        "Use `<b>bold</b>` or ``<p>`` here",
        "```\n<root><p>x</p></root>\n```\n",
        "```html\n<p>x</p>",
        "# Title\n\nwith <b>one</b> tag",
        "<p align=center>Logo</p>\n\n## Install\n",
        "**a** <br> b",
        "[link](https://example.com) <br>",
        "- one<br>\n- two<br>",
        "| a | b |\n|---|---|\n| x<br>y | z |",
        "<?xml version='1.0'?><a href='x'>y</a>",
        "<https://example.com> and <me@example.com>",
    ],
)
def test_is_not_html(text):
    assert not is_html(text)
    assert to_text(text) == text


@pytest.mark.parametrize(
    "text, expected",
    [
        ("# A", True),
        ("text\n\n  ## A\n", True),
        ("Title\n=====\n", True),
        ("Title\n---", True),
        ("```\nx\n```", True),
        ("a | b\n--- | ---\n", True),
        ("> # quoted", True),
        ("", False),
        ("#hashtag and C#", False),
        ("a - b\nc = d == e\nx | y", False),
    ],
)
def test_is_markdown(text, expected):
    assert is_markdown(text) is expected


TAGS = ["<p>", "</p>", "<b>", "</b>", "<table>", "<tr>", "<td>", "</td>", "</table>", "<ul>"]
TAGS += ["<ol>", "<li>", "</ul>", "<pre>", "</pre>", "<br>", "<!--", "-->", "<script>", "&lt;"]
PIECES = [*TAGS, *"ab \n<>&`", "&#0;", "\x00", "# a\n", "</ol>", "</tr>", "&nbsp;", "<div x=1>"]
HTML = st.binary(max_size=60).map(
    lambda draws: "".join(PIECES[draw % len(PIECES)] for draw in draws)
)


@settings(max_examples=2_000, deadline=None)
@given(HTML | st.text())
def test_any_text_gives_clean_text(text):
    for result in (to_text(text), html_to_text(text)):
        assert result == clean(result)
        result.encode("utf-8")


@pytest.mark.parametrize("piece", ["`", "<", "<a ", "</b", "<pre>", "<!--", "<td>", "](", "**a"])
def test_no_input_takes_long(piece):
    assert isinstance(to_text("</b>" + (piece * 200_000)[:200_000]), str)
