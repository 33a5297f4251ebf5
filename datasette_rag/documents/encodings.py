"""Bytes to text: which encoding a file has, by its marks, by what it says, by how it looks."""

from __future__ import annotations

import codecs
import re

from .errors import UnreadableDocument

_NO_TEXT = "not a text in a known encoding"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_IN_A_LATIN_WORD = re.compile(r"[A-Za-z][^\x00-\x7f]|[^\x00-\x7f][A-Za-z]")
# For Latin letters what the detection says is little more than a guess; of these, one that it
# has made is believed where Windows-1252 is impossible.
_LATIN = ("cp1250", "iso8859_2", "cp1254", "iso8859_9", "cp1257", "iso8859_4", "mac_roman")


def decoded(content: bytes, declared: str | None = None) -> str:
    """The text of a file.

    A byte order mark decides, else UTF-8 if the bytes are that, else what the file declares,
    else the encoding that fits best. Text in Latin letters is then taken for Windows-1252.

    Args:
        content: the bytes of the file.
        declared: the encoding that the file says it has.

    Returns:
        The text without its byte order mark, line ends and control characters as they were.

    Raises:
        UnreadableDocument: these bytes are no text.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _tried(content, encoding, "not the text that its first bytes announce")
    utf_16 = _unmarked_utf_16(content)
    if utf_16:
        return _tried(content, utf_16, _NO_TEXT)
    try:
        return _without_nuls(content.decode())
    except UnicodeDecodeError:
        pass
    if b"\0" in content:
        raise UnreadableDocument(_NO_TEXT)
    if declared:
        try:
            return content.decode(declared)
        except (LookupError, UnicodeError):
            pass
    return _tried(content, _likely(content), _NO_TEXT)


def _tried(content: bytes, encoding: str, reason: str) -> str:
    try:
        return _without_nuls(content.decode(encoding))
    except UnicodeDecodeError:
        raise UnreadableDocument(reason) from None


def _without_nuls(text: str) -> str:
    # A single stray NUL makes no file binary.
    if text.count("\0") * 10 > len(text):
        raise UnreadableDocument(_NO_TEXT)
    return text


def _unmarked_utf_16(content: bytes) -> str | None:
    """UTF-16 without a mark: of most texts every other byte of the line ends and spaces is NUL."""
    head = content[:4096]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if len(content) % 2 or (even + odd) * 10 < len(head):
        return None
    for zeros, others, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > 20 * others:
            return encoding
    return None


def _likely(content: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(content, cp_exclusion=["cp037", "cp273", "cp500", "cp1140"]).best()
    if best is None:
        return "cp1252"
    runs = len(_FOREIGN.findall(str(best)))
    if len(_IN_A_LATIN_WORD.findall(str(best))) * 2 < runs:
        return best.encoding
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:
        if best.encoding in _LATIN:
            return best.encoding
    return "cp1252"
