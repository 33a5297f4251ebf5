"""A value out of a column, or the content of a file, to plain text."""

from __future__ import annotations

import re

from .clean import clean

# Of a longer text the beginning says what it is.
_SAMPLE = 20_000  # characters

_MARKDOWN_BLOCK = re.compile(
    r"^[ >]*(?:#{1,6}(?:[ \t]|$)|`{3}|~{3}|\|?[ \t]*:?-+:?[ \t]*\|)"  # heading, fence, table
    r"|^ {0,3}(?:=+|-+)[ \t]*$",  # the line under a heading
    re.MULTILINE,
)

# What a tag has to be to count as HTML: a known element's end tag, an element that has none
# and hardly any other meaning, or a start tag with an attribute. A bare start tag counts for
# elements that are often left open; `List<p>` and `<table>` as a placeholder do not.
_ELEMENTS = (
    "a|abbr|address|article|aside|b|big|blockquote|body|button|caption|center|cite|code|"
    "dd|del|details|div|dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|head|header|html|"
    "i|iframe|img|ins|kbd|li|main|mark|nav|ol|option|p|picture|pre|q|s|samp|script|section|"
    "select|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|tfoot|"
    "th|thead|tr|tt|u|ul|var|video"
)
_HTML = re.compile(
    rf"</(?:{_ELEMENTS})\s*>"
    r"|<(?:br|hr|wbr)\s*/?>"
    rf"|<(?:{_ELEMENTS}|br|hr|link|meta)\s+[a-z][\w:-]*\s*=[^<>]*>"
    r"|(?<!\w)<(?:p|li|div|html|!doctype html)\s*>",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(
    r"^ {0,3}#{1,6}[ \t]+\S"  # heading
    r"|^ {0,3}(?:`{3}|~{3})"  # fence
    r"|^ {0,3}\|?[ \t]*:?-{3,}:?[ \t]*\|"  # table
    r"|\]\([^()\s]+\)"  # link
    r"|\*\*[^\s*][^*\n]*\*\*"  # strong
    r"|^ {0,3}[-*+][ \t]+\S[^\n]*\n(?:[^\n]*\n)?^ {0,3}[-*+][ \t]+\S",  # list
    re.MULTILINE,
)
_OPENS_VERBATIM = re.compile(r"<(pre|code|script|style|textarea)\b[^<>]*>|<!--", re.I)
_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})", re.MULTILINE)
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)[^`\n]+\1(?!`)")


def to_text(value: object) -> str:
    """The plain text of a value out of a column.

    HTML (see `is_html`) becomes the text that a browser would show. All other text stays as
    it is, cleaned as `clean` does. Bytes are never decoded: what a BLOB holds is no text.

    Args:
        value: None, a number, text or bytes.

    Returns:
        The text; empty for None and for bytes.
    """
    text = _cleaned(value)
    if is_html(text):
        from .html import html_to_text

        return html_to_text(text)
    return text


def to_markdown(value: object) -> str:
    """The text of a value out of a column as `to_text` gives it, but HTML as Markdown.

    Args:
        value: None, a number, text or bytes.
    """
    text = _cleaned(value)
    if is_html(text):
        from .html import html_to_markdown

        return html_to_markdown(text)
    return text


def _cleaned(value: object) -> str:
    """The value as text, HTML as it is."""
    if value is None or isinstance(value, (bytes, bytearray, memoryview)):
        return ""
    return clean(value) if isinstance(value, str) else str(value)


def is_html(text: str) -> bool:
    """Whether a text is HTML, rather than plain text or Markdown that holds some.

    It is, if outside of code it has a tag that is hardly anything else (an end tag or a start
    tag with an attribute of an element that HTML knows, `<br>`, `<p>`, `<li>`, `<div>`) and no
    sign of Markdown (a heading, fence, table, list, link or strong text). Markdown may hold
    HTML, and to read it as HTML would run its lines together; the other mistake leaves a few
    tags standing. XML is not HTML.

    Args:
        text: any text; its first 20,000 characters are looked at.
    """
    if "<" not in text or ">" not in text:
        return False
    text = text[:_SAMPLE]
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype html", "<html")):
        return True
    if start.startswith(("<?xml", "<rss", "<svg")) and "<html" not in start:
        return False
    if not _HTML.search(text):
        return False
    prose = _INLINE_CODE.sub("", _without_fences(text))
    return bool(_HTML.search(prose)) and not _MARKDOWN.search(_without_verbatim(text))


def is_markdown(text: str) -> bool:
    """Whether Markdown's block structure may matter in a text; False is certain, True is not.

    Args:
        text: any text.

    Returns:
        True if a line looks like a heading, a code fence or the rule of a table: then it is
        worth having the text parsed as Markdown.
    """
    return _MARKDOWN_BLOCK.search(text) is not None


def _without_fences(text: str) -> str:
    """The text without its fenced blocks of code; one never closed goes to the end."""
    kept = []
    position = 0
    fence = ""
    for found in _FENCE.finditer(text):
        mark = found[1]
        if not fence:
            kept.append(text[position : found.start()])
            fence = mark
        elif mark.startswith(fence):
            fence = ""
            position = found.end()
    if not fence:
        kept.append(text[position:])
    return "".join(kept)


def _without_verbatim(text: str) -> str:
    """The text without HTML's code, scripts, styles and comments."""
    lowered = text.lower()
    kept = []
    position = 0
    while True:
        found = _OPENS_VERBATIM.search(text, position)
        if found is None:
            break
        kept.append(text[position : found.start()])
        ending = f"</{found[1].lower()}" if found[1] else "-->"
        position = lowered.find(ending, found.end())
        if position < 0:
            return "".join(kept)
        position += len(ending)
    kept.append(text[position:])
    return "".join(kept)
