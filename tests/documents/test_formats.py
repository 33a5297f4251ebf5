"""All formats: whatever is in a file, it is read or refused, and never stops the others."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from datasette_rag.documents.errors import UnreadableDocument
from datasette_rag.documents.formats import FORMATS, reader
from datasette_rag.text.passages import cut

PIECES = [
    "---\n",
    "title: x\n",
    "# h\n",
    "==\n",
    ".. a:: b\n",
    "   :c: d\n",
    "\n",
    ":r:`x`",
    "`",
    "|",
    "*",
]
PIECES += [
    "<p>",
    "<table>",
    "</td>",
    "<!--",
    "<A b={",
    "}",
    "{",
    "%PDF-1.4\n",
    "\0",
    "é",
    "\ufeff",
    "word ",
]
PIECES += [
    ".. |s| replace:: |s|\n",
    "|s|",
    "_",
    "[1]_",
    "::\n\n  x\n",
    "import a from 'b'\n",
    "- ",
    "\r\n",
    "\t",
]
TEXT = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@pytest.mark.parametrize("ending", FORMATS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXT.map(str.encode) | st.binary(max_size=60))
def test_anything_is_read_or_refused(ending, content):
    try:
        found = reader(f"a{ending}")(content)
    except UnreadableDocument as error:
        assert str(error)
        return
    assert "\0" not in found.text and "\r" not in found.text and "\ufeff" not in found.text
    for passage in cut(found.text, markdown=found.format == "markdown"):
        assert passage.text.endswith(found.text[passage.start : passage.end])
