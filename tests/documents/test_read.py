"""Files to documents: which are found, how they are decoded, what they are called."""

from __future__ import annotations

import errno
import hashlib
import os

import pytest

from datasette_rag.documents.read import (
    DocumentsError,
    UnreadableDocument,
    find_documents,
    read_document,
)


def write(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_documents_are_found_in_order(tmp_path):
    write(tmp_path, b_md="b", a__z_txt="z", a__c_MARKDOWN="c", a__d_text="d", a_md="a")
    write(
        tmp_path, _hidden_md="h", _git__x_md="x", a___y_md="y", code_py="p", z_html="z", b_Pdf="p"
    )
    folder = find_documents(tmp_path)
    assert folder.paths == (
        "a.md",
        "a/c.MARKDOWN",
        "a/d.text",
        "a/z.txt",
        "b.Pdf",
        "b.md",
        "z.html",
    )
    assert folder.skipped == ()


def test_one_file(tmp_path):
    write(tmp_path, a_md="a", b_md="b", c_py="c")
    folder = find_documents(tmp_path / "a.md")
    assert (folder.root, folder.paths) == (tmp_path, ("a.md",))
    with pytest.raises(DocumentsError, match=r"c\.py is not a document"):
        find_documents(tmp_path / "c.py")


def test_a_folder_that_does_not_exist(tmp_path):
    with pytest.raises(DocumentsError, match="nowhere does not exist"):
        find_documents(tmp_path / "nowhere")


def test_links_are_followed_within_the_folder_only(tmp_path):
    docs = tmp_path / "docs"
    write(tmp_path, docs__a_md="a", secret_md="s", other__b_md="b")
    (docs / "in.md").symlink_to("a.md")
    (docs / "out.md").symlink_to(tmp_path / "secret.md")
    (docs / "gone.md").symlink_to("nothing.md")
    (docs / "folder").symlink_to(tmp_path / "other")
    (docs / "loop").symlink_to(docs)
    os.mkfifo(docs / "pipe.md")
    folder = find_documents(docs)
    assert folder.paths == ("a.md", "in.md")
    assert folder.skipped == (
        ("gone.md", "a link that leads nowhere"),
        ("out.md", "a link that leads out of the folder"),
        ("pipe.md", "not a regular file"),
    )


def test_a_name_that_is_not_utf_8_is_skipped(tmp_path):
    name = os.fsencode(tmp_path) + b"/caf\xe9.md"
    try:
        with open(name, "wb") as file:
            file.write(b"text")
    except OSError:
        pytest.skip("a file system on which every name is UTF-8")
    assert find_documents(tmp_path).skipped == (("caf\ufffd.md", "its name is not in UTF-8"),)


def test_a_folder_without_permission_is_reported(tmp_path, monkeypatch):
    write(tmp_path, a_md="a", shut__b_md="b")
    scandir = os.scandir

    def refusing(path):
        if str(path).endswith("shut"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)  # root may read everything
    folder = find_documents(tmp_path)
    assert (folder.paths, folder.unseen) == (("a.md",), ("shut",))
    assert folder.skipped == (("shut", "permission denied"),)
    with pytest.raises(DocumentsError, match="permission denied"):
        find_documents(tmp_path / "shut")


def test_what_is_no_text_is_unreadable(tmp_path):
    write(tmp_path, a_md=b"\x89PNG\r\n\x1a\n\0\0\0")
    with pytest.raises(UnreadableDocument, match="not a text in a known encoding"):
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


def test_a_link_to_itself_stops_nothing(tmp_path):
    (tmp_path / "a.md").write_text("# A")
    (tmp_path / "self.md").symlink_to("self.md")
    folder = find_documents(tmp_path)
    assert folder.paths == ("a.md",)
    assert folder.skipped == (("self.md", "a link that leads nowhere"),)
