"""Text without the characters that are no text."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_NO_CHARACTERS = re.compile(r"[\ufeff\ud800-\udfff]")
_NOT_IN_A_PIECE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ud800-\udfff]")
_LINE_ENDS = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
# The same for UTF-8: one pass for what is one byte, and a search for each longer sign.
_UNCLEAN_BYTES = bytes([*range(9), *range(11, 32), 127])
_UNCLEAN_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_UNCLEAN_SIGNS = tuple(sign.encode() for sign in "\u2028\u2029\ufeff")


def clean(text: str) -> str:
    """The text with `\\n` as its only line end, and without characters that are no text.

    Control characters (NUL among them) except line ends and tabs become spaces: to a
    tokenizer they are the end of a word. Byte order marks and lone surrogates are removed.

    Args:
        text: any text.
    """
    text = text.replace("\r\n", "\n")
    if _is_clean(text):
        return text
    return _NO_CHARACTERS.sub("", _CONTROL.sub(" ", _LINE_ENDS.sub("\n", text)))


def _is_clean(text: str) -> bool:
    # Most texts are, and long ones are to be told so while a question waits.
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return False  # lone surrogates
    if len(encoded.translate(None, _UNCLEAN_BYTES)) < len(encoded):
        return False
    return text.isascii() or not (
        _UNCLEAN_C1.search(encoded) or any(sign in encoded for sign in _UNCLEAN_SIGNS)
    )


def clean_piece(text: str) -> str:
    """The same for text that comes piece by piece: each piece alone, to the same whole.

    Control characters, carriage returns among them, are left out.
    """
    return _NOT_IN_A_PIECE.sub("", text)
