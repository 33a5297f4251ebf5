"""HTML to Markdown: the structure that passages are cut at, and not a word changed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_rag.text.headings import headings
from datasette_rag.text.html import html_to_markdown
from datasette_rag.text.passages import cut


@pytest.mark.parametrize(
    "html, expected",
    [
        # F8-11
        (
            "<style>p{}</style><h2>Fees</h2><table><tr><td>Basic</td><td>9&nbsp;&euro;</td></tr>"
            "</table><p>A&amp;B<br>C</p><script>var late=1</script><!-- # hidden -->"
            "<pre>  x\n y</pre>",
            "## Fees\n\nBasic | 9 €\n\nA&B\nC\n\n```\n  x\n y\n```",
        ),
        ("<h1>A</h1><h3>B  <i>c</i></h3>d", "# A\n\n### B c\n\nd"),
        ("<h2>Install<a class=headerlink href='#install'>¶</a></h2>", "## Install"),
        ("<h2><a id=x></a><code>__init__</code> &amp; *args</h2>", r"## \_\_init\_\_ \& \*args"),
        ("<h2>Use <code>a.b</code> in C #</h2>", r"## Use a.b in C \#"),
        ("<h2></h2><h3><img src=x></h3>text", "text"),
        ("<ul><li>a <code>b c</code><ul><li>d</ul><li><p>e</p><pre>f\ng</pre></ul>end",
         "- a `b c`\n  - d\n- e\n\n  ```\n  f\n  g\n  ```\n\nend"),
        ("<ol><li>a</li><li><p>b</p><p>c</p></li></ol>", "1. a\n2. b\n\n   c"),
        ("<li><h3>Not a section</h3></li>", "- Not a section"),
        ("<p><code>x`y</code> <code></code><kbd>Ctrl</kbd></p>", "x`y `Ctrl`"),
        ('<pre><code class="language-sh">a `b` ```c```\n</code></pre>',
         "````sh\na `b` ```c```\n````"),
        (
            "<table><caption>All fees</caption><thead><tr><th rowspan=2>Plan<th colspan=2>Price"
            "<tr><th>Month<th>Year</thead><tr><td rowspan=2>a|b<td>1<td>2<tr><td>3<td>4</table>",
            "All fees\n\n| Plan | Price / Month | Price / Year |\n| --- | --- | --- |\n"
            "| a\\|b | 1 | 2 |\n| a\\|b | 3 | 4 |",
        ),
        ("<table><tr><th>A<th>B<tr><td><p>x</p><ul><li>y</ul><td>z<br>w</table>",
         "| A | B |\n| --- | --- |\n| x y | z w |"),
        ("<table><tr><th>Name</th><td>x</td></tr></table>", "Name | x"),
        ("<table><tr><td>menu<td><table><tr><th>a<th>b<tr><td>1<td>2</table></table>",
         "menu | \n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
        # Words that would be something else in Markdown.
        ("<p># no heading</p><p>```</p><p>a<br>---</p><p>&lt;!-- x</p><p>#1 and #2</p>",
         "\\# no heading\n\n\\```\n\na\n\\---\n\n\\<!-- x\n\n#1 and #2"),
        ("<p hidden>no</p><div style='color:red; display: none'>no</div><i aria-hidden=true>x</i>y",
         "y"),
        ("", ""),
    ],
)  # fmt: skip
def test_html_to_markdown(html, expected):
    assert html_to_markdown(html) == expected


def test_absurdly_deep_html():
    assert html_to_markdown("<div>" * 100_000 + "deep") == "deep"


def test_a_page_is_cut_at_its_headings():
    html = "<h1>Guide</h1><p>Hello</p><h2>Install</h2><p># now</p><h4>Windows</h4><p>Run it</p>"
    passages = cut(html_to_markdown(html), markdown=True)
    assert [passage.heading for passage in passages] == [
        "Guide",
        "Guide > Install",
        "Guide > Install > Windows",
    ]


HEADING = st.text("aB1 #*_`<>&[]()!\\~-=|:.\n", min_size=1, max_size=12)


@settings(max_examples=2_000, deadline=None)
@given(HEADING, HEADING)
def test_headings_say_what_the_page_says(title, text):
    from html import escape

    markdown = html_to_markdown(f"<h2>{escape(title)}</h2><p>{escape(text)}</p><h3>end</h3>")
    expected = [words for words in (" ".join(title.split()), "end") if words]
    assert [heading.text for heading in headings(markdown)] == expected


PIECES = ["<table>", "<tr>", "<td>", "<th>", "</table>", "<ul>", "<ol>", "<li>", "</li>", "</ul>"]
PIECES += ["<pre>", "</pre>", "<code>", "</code>", "<h2>", "</h2>", "<p>", "<br>", "word ", "|"]
PIECES += ["<a href='#x'>", "</a>", "<th colspan=3 rowspan=2>", "<thead>", "`", "\n", "</tr>"]


@settings(max_examples=3_000, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_html_gives_all_its_words(pieces):
    html = "".join(pieces)
    found, written = html_to_markdown(html).count("word"), pieces.count("word ")
    # Cells that span others are repeated.
    assert found == written or (found > written and "<th colspan=3 rowspan=2>" in pieces)
