"""MDX to Markdown: the JSX gone, every word kept."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasette_rag.text.mdx import mdx_to_markdown
from datasette_rag.text.passages import cut


@pytest.mark.parametrize(
    "mdx, markdown",
    [
        ("import A from 'a'\nimport {B, C} from \"b\"\n\n# T\n", "\n# T\n"),
        ("export const a = {\n  b: [1,\n\n  2], c: '}'\n}\n\ntext", "\ntext"),
        ("export default ({children}) => <div>{children}</div>\n\ntext", "\ntext"),
        ("import taxes are high.\n", "import taxes are high.\n"),
        ("a <Note>b</Note> c", "a b c"),
        ("<Card>a</Card><Card>b</Card>", "a b"),
        ("<b>a</b>b<br/>c <Icon name='x' /> d", "ab\nc  d"),
        ("a < b and c > d, 1<2", "a < b and c > d, 1<2"),
        (r"\<Note> and \{x}", r"\<Note> and \{x}"),
        ("`<Note>{x}</Note>` ``{`}``", "`<Note>{x}</Note>` ``{`}``"),
        ("```jsx\n<Note a={b}>\n```\n", "```jsx\n<Note a={b}>\n```\n"),
        ("{/* a\n\n# b */}c{' '}d{\"e\"}{props.f}", "c de"),
        ("a {not closed", "a {not closed"),
        ("<!-- # x -->a", "a"),
        ('<Tabs items={["a", \'}\', `{`]} {...rest} on={() => {a > b}}>\ntext\n</Tabs>', "\ntext\n"),
        ('<Tab title="On Windows">\nRun it.\n</Tab>', "On Windows\n\nRun it.\n"),
        ("<Tab label='Linux'>\n\n## On Linux\n</Tab>", "\n\n## On Linux\n"),
        ("<Card title='A' />\n<Card title='B'></Card>\n## C", "A\nB\n\n## C"),
        ("See <Link label='this' to='x'/>.", "See this."),
        ("<></>a", "a"),
        # Indented content is no code, and keeps what is indented within it.
        (
            "<Steps>\n    <Step>\n        ## One\n\n        - a\n          - b\n\n"
            "        ```\n        x\n          y\n        ```\n    </Step>\n</Steps>\n\n    z",
            "\n\n## One\n\n- a\n  - b\n\n```\nx\n  y\n```\n\n\n\n    z",
        ),
    ],
)  # fmt: skip
def test_mdx_to_markdown(mdx, markdown):
    assert "\n".join(map(str.rstrip, mdx_to_markdown(mdx).split("\n"))) == markdown


def test_headings_within_tags_are_headings():
    mdx = "# Guide\n\n<Tabs>\n  <Tab>\n    ## Install\n    Run `x`.\n  </Tab>\n</Tabs>\n\n## End\nx"
    headings = [passage.heading for passage in cut(mdx_to_markdown(mdx), markdown=True)]
    assert headings == ["Guide > Install", "Guide > End"]


PIECES = [
    "<A>",
    "</A>",
    "<B x='y'>",
    "{",
    "}",
    "{a}",
    "`",
    "```\n",
    "\n",
    "\n\n",
    "  ",
    "word ",
    "<",
]
PIECES += [
    "import x from 'y'\n",
    "export const a = {",
    "\\",
    "'",
    '"',
    "<!--",
    "-->",
    "<br/>",
    "- ",
]


@settings(max_examples=3_000, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_any_mdx_is_read(pieces):
    mdx = "".join(pieces)
    markdown = mdx_to_markdown(mdx)
    assert len(markdown) <= 2 * len(mdx)
    if not set("{<`") & set(mdx) and "port " not in mdx:
        assert markdown == mdx


@pytest.mark.parametrize("piece", ["{", "<A ", "<A b={", "`", "{a", "<", "import a from 'b'\n{(\n"])
def test_time_grows_linearly(piece):
    start = time.process_time()
    mdx_to_markdown((piece * 200_000)[:200_000])
    assert time.process_time() - start < 4
