"""Files to documents: how they are decoded, what they are called."""

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


@pytest.mark.parametrize(
    "content, text",
    [
        ("# Größe\n".encode(), "# Größe\n"),
        ("\ufeff# Größe\r\nx".encode(), "# Größe\nx"),
        ("# Größe “8”\n".encode("cp1252"), "# Größe “8”\n"),
        (b"one stray \0 in a long text", "one stray   in a long text"),
        (b"", ""),
    ],
)
def test_decoding(tmp_path, content, text):
    write(tmp_path, a_md=content)
    assert read_document(tmp_path, "a.md").text == text


@pytest.mark.parametrize(
    "content",
    [
        "text".encode("utf-16"),
        "text".encode("utf-16-le"),
        b"\x89PNG\r\n\x1a\n\0\0\0",
        b"caf\x81\xe9",
    ],
)
def test_what_is_no_text_is_unreadable(tmp_path, content):
    write(tmp_path, a_md=content)
    with pytest.raises(UnreadableDocument, match="not a text in UTF-8"):
        read_document(tmp_path, "a.md")


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
    assert document.format == "markdown"
