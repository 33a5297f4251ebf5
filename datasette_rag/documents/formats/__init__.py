"""The formats that documents come in: each turns the bytes of a file into text to be cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from .content import Content

# By the end of a file's name, the module here that reads it. Each is imported with the first
# file that needs it, and has a function `read`.
FORMATS: Mapping[str, str] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "mdx",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".rst": "rst",
    ".txt": "plain",
    ".text": "plain",
    ".pdf": "pdf",
}


def reader(path: str) -> Callable[[bytes], Content]:
    """What reads a file of this name.

    Args:
        path: a path whose end is in `FORMATS`, in small or capital letters.
    """
    name = FORMATS["." + path.lower().rpartition(".")[2]]
    read: Callable[[bytes], Content] = import_module(f".{name}", __name__).read
    return read
