"""Which files of a folder are found, and what is said of the others."""

from __future__ import annotations

import errno
import os

import pytest

from datasette_rag.documents.errors import DocumentsError
from datasette_rag.documents.folder import find_documents


def write(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_documents_are_found_in_order(tmp_path):
    write(tmp_path, b_md="b", a__z_txt="z", a__c_MARKDOWN="c", a__d_text="d", a_md="a")
    write(tmp_path, _hidden_md="h", _git__x_md="x", a___y_md="y", code_py="p", z_doc="z")
    folder = find_documents(tmp_path)
    assert folder.paths == ("a.md", "a/c.MARKDOWN", "a/d.text", "a/z.txt", "b.md")
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


def test_a_link_to_itself_stops_nothing(tmp_path):
    (tmp_path / "a.md").write_text("# A")
    (tmp_path / "self.md").symlink_to("self.md")
    folder = find_documents(tmp_path)
    assert folder.paths == ("a.md",)
    assert folder.skipped == (("self.md", "a link that leads nowhere"),)


@pytest.mark.parametrize(
    "include, exclude, paths",
    [
        ([], ["b.md"], ["a.md", "drafts/c.txt", "drafts/deep/d.md"]),
        ([], ["drafts/"], ["a.md", "b.md"]),
        (["*.txt"], [], ["drafts/c.txt"]),
        (["drafts/", "a.md"], ["deep"], ["a.md", "drafts/c.txt"]),
        (["*.png"], [], []),
    ],
)
def test_patterns(tmp_path, include, exclude, paths):
    write(tmp_path, a_md="a", b_md="b", drafts__c_txt="c", drafts__deep__d_md="d", x_png="x")
    folder = find_documents(tmp_path, include=include, exclude=exclude)
    assert list(folder.paths) == paths and folder.skipped == ()


def test_what_is_excluded_is_not_reported_nor_looked_into(tmp_path, monkeypatch):
    write(tmp_path, a_md="a", shut__b_md="b")
    (tmp_path / "gone.md").symlink_to("nothing.md")
    scandir = os.scandir
    seen = []
    monkeypatch.setattr(os, "scandir", lambda path: seen.append(str(path)) or scandir(path))
    folder = find_documents(tmp_path, exclude=["gone.md", "shut/"])
    assert (folder.paths, folder.skipped) == (("a.md",), ())
    assert not [path for path in seen if path.endswith("shut")]


def test_what_is_no_pattern_is_told(tmp_path):
    with pytest.raises(DocumentsError, match="leads out of the folder"):
        find_documents(tmp_path, exclude=["../x"])
