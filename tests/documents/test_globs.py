"""Patterns mean what they mean in a .gitignore file; git itself is asked where it is there."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from datasette_rag.documents.globs import Globs, PatternError

PATHS = [
    "a.md",
    "b.txt",
    "drafts/a.md",
    "drafts/deep/c.md",
    "guide/drafts/d.md",
    "guide/a.md",
    "guide/intro/a.md",
    "guide/intro/b.txt",
    "drafts.md",
    "note [1].md",
    "x-1.md",
    "x-a.md",
    "été/uu.md",
]

CASES = [
    ("a.md", ["a.md", "drafts/a.md", "guide/a.md", "guide/intro/a.md"]),
    ("/a.md", ["a.md"]),
    ("*.txt", ["b.txt", "guide/intro/b.txt"]),
    ("drafts", ["drafts/a.md", "drafts/deep/c.md", "guide/drafts/d.md"]),
    ("drafts/", ["drafts/a.md", "drafts/deep/c.md", "guide/drafts/d.md"]),
    ("/drafts/", ["drafts/a.md", "drafts/deep/c.md"]),
    ("a.md/", []),
    ("guide/*.md", ["guide/a.md"]),
    ("guide/*", ["guide/a.md", "guide/drafts/d.md", "guide/intro/a.md", "guide/intro/b.txt"]),
    ("guide/**", ["guide/a.md", "guide/drafts/d.md", "guide/intro/a.md", "guide/intro/b.txt"]),
    ("guide/**/a.md", ["guide/a.md", "guide/intro/a.md"]),
    ("**/intro/*.md", ["guide/intro/a.md"]),
    ("**/a.md", ["a.md", "drafts/a.md", "guide/a.md", "guide/intro/a.md"]),
    ("intro/a.md", []),
    ("?.md", ["a.md", "drafts/a.md", "drafts/deep/c.md", "guide/a.md", "guide/drafts/d.md"]
     + ["guide/intro/a.md"]),
    ("x-[0-9].md", ["x-1.md"]),
    ("x-[!0-9].md", ["x-a.md"]),
    ("note [[]1].md", ["note [1].md"]),
    ("été", ["été/uu.md"]),
    ("A.md", []),
]  # fmt: skip


@pytest.mark.parametrize("pattern, expected", CASES)
def test_what_a_pattern_means(pattern, expected):
    globs = Globs.parsed([pattern])
    assert sorted(path for path in PATHS if globs.cover(path)) == sorted(expected)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
@pytest.mark.parametrize("pattern, expected", CASES)
def test_git_says_the_same(tmp_path, pattern, expected):
    def git(*arguments, **options):
        return subprocess.run(["git", *arguments], cwd=tmp_path, capture_output=True, **options)

    assert git("init", "-q").returncode == 0
    for path in PATHS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / ".gitignore").write_text(pattern, "utf-8")
    ignored = git("check-ignore", "-z", "--stdin", input="\0".join(PATHS).encode()).stdout
    assert sorted(filter(None, ignored.decode().split("\0"))) == sorted(expected)


def test_folders_are_matched_as_folders():
    globs = Globs.parsed(["drafts/", "*.md"])
    assert globs.match("guide/drafts", folder=True) and not globs.match("drafts")
    assert globs.match("odd.md", folder=True)
    assert Globs.parsed(["./a/b"]).match("a/b")
    assert not Globs.parsed([]) and Globs.parsed(["x"])


@pytest.mark.parametrize("pattern", ["", "/", "./", "!a.md", "../a", "a/../b", "[z-a].md"])
def test_what_is_no_pattern(pattern):
    with pytest.raises(PatternError):
        Globs.parsed([pattern])
