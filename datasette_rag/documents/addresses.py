"""Where a document lives on the web: its address, and that of a section in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from .errors import DocumentsError

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_WHOLE_PART = re.compile(r"\{page\}(?:/|$|(?=[?#]))")
_PLACEHOLDERS = ("path", "page")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_WEB = re.compile(r"https?://[^\s/]+", re.IGNORECASE)
_PAGES_OF_A_FOLDER = ("index", "readme")


@dataclass(frozen=True)
class Addresses:
    """How addresses are made; `template` has placeholders in it, or is empty."""

    template: str = ""

    @classmethod
    def parsed(cls, text: str | None) -> Addresses:
        """Read what `--url` was given.

        Args:
            text: an address that documents' paths are put behind, or one with `{path}` or
                `{page}` in it: the path, and the path without its ending. Where `{page}` ends
                a part of the address, it is without `index` and `README` as well, which
                are the page of their folder.

        Raises:
            DocumentsError: it is no address, or has another placeholder.
        """
        if not text:
            return cls()
        if not _WEB.match(text):
            raise DocumentsError(f"--url {text}: an address begins with https:// or http://.")
        names = _PLACEHOLDER.findall(text)
        for name in names:
            if name not in _PLACEHOLDERS:
                raise DocumentsError(
                    f"--url {text}: there is no {{{name}}}. {{path}} stands for the path of a "
                    "document in the folder, {page} for the same without its ending."
                )
        if names:
            return cls(text)
        return cls(f"{text}{{path}}" if text.endswith(("/", "=")) else f"{text}/{{path}}")

    def of(self, path: str, own: str | None) -> str | None:
        """The address of a document, None if it has none.

        Args:
            path: its path in the folder.
            own: what the document itself says, such as `/guide/` in its front matter. If that
                is no whole address, it counts from the template's fixed part.
        """
        own = (own or "").strip()
        if _WEB.match(own):
            return own
        if not self.template:
            return None
        if own and not _SCHEME.match(own):
            base = self.template.partition("{")[0]
            return f"{base.rstrip('/')}/{own.lstrip('/')}"
        page = path.rpartition(".")[0]
        above, _, last = page.rpartition("/")
        filled = self.template
        if last.casefold() in _PAGES_OF_A_FOLDER:
            folder = f"{above}/".lstrip("/")
            filled = _WHOLE_PART.sub(lambda found: quote(folder), filled)
        values = {"path": path, "page": page}
        return _PLACEHOLDER.sub(lambda found: quote(values[found[1]]), filled)


def section(url: str | None, anchor: str) -> str | None:
    """The address of a section: that of its document, and the section's anchor."""
    if url is None or not anchor or "#" in url:
        return url
    return f"{url}#{quote(anchor)}"
