"""Files to documents: which are found, how they are decoded, what they are called."""

from __future__ import annotations

import hashlib
import os

import pytest

from datasette_rag.documents.errors import UnreadableDocument
from datasette_rag.documents.read import read_document


def write(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_what_is_no_text_is_unreadable(tmp_path):
    write(tmp_path, a_md=b"\x89PNG\r\n\x1a\n\0\0\0")
    with pytest.raises(UnreadableDocument, match="not a text in a known encoding"):
        read_document(tmp_path, "a.md")


@pytest.mark.parametrize(
    "name, content",
    [
        ("a.html", b'<meta charset="undefined"><p>Caf\xe9 open</p>'),
        ("a.md", b"---\ndate: !!timestamp tomorrow\n---\nText"),
        ("a.md", b"---\ndraft: !!bool maybe\n---\nText"),
        ("a.md", b"---\norder: !!int ''\n---\nText"),
        ("a.md", b"---\ntitle: 0x" + b"f" * 5_000 + b"\n---\nText"),
    ],
)
def test_an_odd_file_is_read_or_refused_and_never_more(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    try:
        assert read_document(tmp_path, name).text
    except UnreadableDocument as error:
        assert "can't be read" in str(error)


def test_a_time_that_can_not_be(tmp_path, monkeypatch):
    write(tmp_path, a_md="text")
    stat = (tmp_path / "a.md").stat()
    odd = os.stat_result((*stat[:7], 10**12, 10**12, 10**12))
    monkeypatch.setattr("pathlib.Path.stat", lambda self, **_: odd)
    with pytest.raises(UnreadableDocument, match="time of its last change"):
        read_document(tmp_path, "a.md")


def test_line_ends_and_control_characters_are_cleaned(tmp_path):
    write(tmp_path, a_md="\ufeff# Größe\r\none\rstray \0 two\x1b".encode("utf-16"))
    assert read_document(tmp_path, "a.md").text == "# Größe\none\nstray   two "


def test_a_file_that_vanished_is_unreadable(tmp_path):
    with pytest.raises(UnreadableDocument, match="no such file"):
        read_document(tmp_path, "a.md")


@pytest.mark.parametrize(
    "path, content, title",
    [
        ("a.md", "# A *guide*\n\n## Part\n", "A guide"),
        ("a.markdown", "Text\n\n## Part\n", "Part"),
        ("a.md", "```\n# no\n```\n", "A"),
        ("shipping-and_pickup.md", "text", "Shipping and pickup"),
        ("a/2024-notes.TXT", "# Not Markdown", "2024 notes"),
        ("---.md", "text", "---"),
        ("a.md", "---\ntitle: From above\n---\n# Heading\n", "From above"),
        ("a.mdx", "import A from 'a'\n\n# A <Badge>new</Badge> thing\n", "A new thing"),
        ("a.html", "<title>A | Site</title><h1>A</h1>", "A"),
        ("a.htm", "<title>A | Site</title><p>text", "A | Site"),
        ("a.rst", "A thing\n=======\n", "A thing"),
    ],
)
def test_titles(tmp_path, path, content, title):
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(content)
    assert read_document(tmp_path, path).title == title


def test_time_and_hash(tmp_path):
    write(tmp_path, a_md="text")
    os.utime(tmp_path / "a.md", (0, 1_700_000_000))
    document = read_document(tmp_path, "a.md")
    assert document.modified == "2023-11-14T22:13:20+00:00"
    assert document.hash == hashlib.sha256(b"text").hexdigest()
    assert document.is_markdown
