"""A file of each format, in the style of real ones, and the passages that it gives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from datasette_rag.documents.errors import UnreadableDocument
from datasette_rag.documents.folder import find_documents
from datasette_rag.documents.read import read_document
from datasette_rag.text.passages import cut

SAMPLES = Path(__file__).with_name("samples")


def read(name):
    return read_document(SAMPLES, name)


def passages(document):
    return [
        (passage.heading, passage.anchor, passage.text)
        for passage in cut(document.text, markdown=document.is_markdown)
    ]


def test_every_sample_is_found():
    folder = find_documents(SAMPLES)
    assert folder.paths == (
        "guide.md", "install.mdx", "leaflet.pdf", "letter.txt", "page.html", "reference.rst",
    )  # fmt: skip
    assert folder.skipped == ()


def test_markdown_with_front_matter():
    document = read("guide.md")
    assert document.title == "Putting up the Noon Parasol: a guide"
    assert document.date == "2024-03-09T10:00:00"
    assert (document.url, document.language) == ("/guides/noon-parasol/", "en")
    assert (document.format, document.is_markdown) == ("markdown", True)
    found = passages(document)
    assert [(heading, anchor) for heading, anchor, _ in found] == [
        ("", ""),
        ("Before you start", "before-you-start"),
        ("Before you start > The base", "the-base"),
        ("Before you start", "before-you-start-1"),
    ]
    assert found[0][2].startswith("The parasol comes in two boxes.")
    assert found[1][2].endswith(
        "You need:\n\n- an Allen key (5 mm)\n- somebody to hold the pole\n- twenty minutes"
    )
    assert "tags:" not in document.text


def test_mdx():
    document = read("install.mdx")
    assert document.title == "Install the till"
    assert passages(document) == [
        ("", "", "The till is a program for two systems."),
        (
            "On Linux",
            "on-linux",
            "## On Linux\n\n```bash\n# needs root\nsudo till install --port {8001}\n```",
        ),
        (
            "On Windows",
            "on-windows",
            "## On Windows\n\nRun the file `<TillSetup>.exe` as *administrator*.",
        ),
        ("After that", "after-that", "## After that\n\nOpen the first page."),
    ]


def test_html_in_an_old_encoding():
    document = read("page.html")
    assert document.title == "Schirm reparieren"
    assert (document.date, document.language) == ("2023-11-02", "de-AT")
    assert document.url == "https://werkstatt.example/reparieren"
    assert passages(document) == [
        (
            "Schirm reparieren",
            "schirm-reparieren",
            "# Schirm reparieren\n\nBringen Sie den Schirm trocken vorbei.\n"
            "Sie bekommen einen Zettel & eine Nummer.",
        ),
        (
            "Schirm reparieren > Stange tauschen",
            "stange-tauschen",
            "### Stange tauschen\n\n1. Spitze abschrauben\n2. Stange herausziehen:\n"
            "   - dick: links herum\n   - dünn: rechts herum\n\n"
            "```text\nStange 12 mm\n  Spitze  M4\n```",
        ),
        (
            "Schirm reparieren > Preise",
            "preise",
            "## Preise\n\n| Arbeit | Preis |\n| --- | --- |\n| Stange | 18€ |\n"
            "| Bezug (Baumwolle) | 35€ |",
        ),
    ]


def test_restructuredtext_of_sphinx(capfd):
    document = read("reference.rst")
    assert document.title == "Reference"
    assert passages(document) == [
        (
            "Reference",
            "reference",
            "# Reference\n\nWhat `Till` can do; see the guide and /start.\n\n"
            "Note:\n\nA till has one drawer.",
        ),
        (
            "Reference > Opening",
            "opening",
            "## Opening\n\n`Till.open(drawer, *, key=None)`\n\nOpens the `drawer`.\n\n"
            "New in version 1.2\n\n```python\n# opens the first one\nawait till.open(1)\n```",
        ),
        (
            "Reference > Opening > Errors",
            "errors",
            "### Errors\n\nBy number\n\n| Number | Meaning |\n| --- | --- |\n"
            "| E1 | drawer is open |\n| E2 | no key |",
        ),
    ]
    assert capfd.readouterr() == ("", "")


def test_plain_text():
    document = read("letter.txt")
    assert (document.title, document.format, document.language) == ("Letter", "plain", None)
    assert passages(document) == [("", "", document.text.strip())]


def test_pdf(tmp_path):
    document = read("leaflet.pdf")
    assert document.title == "Care of your umbrella"
    assert document.date == "2024-06-12T08:30:00+00:00"
    assert document.text == (
        "Care of your umbrella\nLet it dry open. Never iron the canopy,\n"
        "e.g. after washing it at 30 degrees.\n\nSpare ribs are sold at the workshop."
    )
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\n% damaged")
    with pytest.raises(UnreadableDocument, match="not a PDF that can be read"):
        read_document(tmp_path, "a.pdf")
    scanned = (SAMPLES / "leaflet.pdf").read_bytes().replace(b" Tj", b"   ")
    (tmp_path / "b.pdf").write_bytes(scanned)
    with pytest.raises(UnreadableDocument, match="no text in it"):
        read_document(tmp_path, "b.pdf")


@pytest.mark.parametrize("name, library", [("reference.rst", "docutils"), ("leaflet.pdf", "pypdf")])
def test_what_is_not_installed_is_named(monkeypatch, name, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UnreadableDocument, match=f"needs {library}: datasette install"):
        read(name)


@pytest.mark.parametrize(
    "source, kept",
    [
        (".. unknown:: An *argument*\n   :option: x\n\n   Held text.\n", ["An argument", "Held text."]),
        (":unknown:`Some text`, :a:b:`Title <target>` and `x`:kbd:", ["Some text, Title and `x`"]),
        (".. note:: On the line\n   and below.\n\n.. tip::\n\n   In it.\n", ["On the line and below.", "In it."]),
        ("A\n==\n\nB\n-\n\ntext `broken and |unknown| too_\n", ["broken and |unknown| too_"]),
        ("=====\nTitle\n===\n", ["Title"]),
        (".. list-table::\n   :bad: option\n\n   * - Cell\n", ["* - Cell"]),
        (".. code-block:: c++\n   :caption: How\n\n   int x;\n", ["How", "```c++\nint x;\n```"]),
        (".. py:class:: A(x)\n\n   .. py:method:: b(*c)\n\n      Does it.\n", ["`A(x)`", "`b(*c)`", "Does it."]),
        ("Text [1]_\n\n.. [1] The footnote.\n\n.. |v| replace:: 2.0\n\nIn |v|.\n", ["The footnote.", "In 2.0."]),
        ("Windows::\n\n  # code\n\nx\n", ["Windows:", "```\n# code\n```"]),
    ],
)  # fmt: skip
def test_no_text_of_restructuredtext_is_lost(tmp_path, capfd, source, kept):
    (tmp_path / "a.rst").write_text(source)
    text = read_document(tmp_path, "a.rst").text
    assert [piece for piece in kept if piece not in text] == [], text
    assert capfd.readouterr() == ("", "")


def test_no_other_file_is_read(tmp_path):
    (tmp_path / "secret.txt").write_text("secret words")
    names = ["include", "literalinclude", "csv-table", "raw"]
    source = "".join(
        f".. {name}:: {tmp_path}/secret.txt\n   :file: {tmp_path}/secret.txt\n\n" for name in names
    )
    (tmp_path / "a.rst").write_text(source + "Text.\n")
    assert "secret words" not in read_document(tmp_path, "a.rst").text
