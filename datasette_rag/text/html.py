"""HTML to plain text and to Markdown, through an HTML parser."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import TYPE_CHECKING

from .clean import clean
from .html_markdown import MarkdownWriter
from .html_writer import Writer, names

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

# The parser's time grows with the square of the depth, and every paragraph repeats the styles
# that were left open before it. No page that anyone wrote comes near these numbers; HTML that
# goes beyond them is made to exhaust us.
_MAX_DEPTH = 1000
_MAX_STYLES = 10
_STYLES = names("a b big code em font i nobr s small strike strong tt u")
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)[^<>]*>", re.IGNORECASE)
_NEVER_DEEPER = names(
    "area base br col embed hr img input link meta param source track wbr "
    "p li td th tr dt dd option"
)
_HIDDEN = (
    '[hidden], [aria-hidden="true"], [style*="display:none"], [style*="display: none"], '
    '[style*="visibility:hidden"], [style*="visibility: hidden"]'
)


def html_to_text(source: str) -> str:
    """The text of HTML as a browser would show it.

    Blocks stand on lines of their own, paragraphs between blank lines, list items behind
    `- ` or their number, the cells of a row with ` | ` between them; `<pre>` keeps its white
    space, entities are decoded; scripts, styles, templates, comments and hidden parts are left
    out. Of HTML nested absurdly deep only the tags are removed.

    Args:
        source: HTML, a whole page or a fragment, well-formed or not.
    """
    tree = parsed(source)
    if tree is None:
        return without_tags(source)
    return clean(Writer(hidden(tree)).written(tree.root)).rstrip()


def html_to_markdown(source: str) -> str:
    """HTML as Markdown: the same text, with its headings, tables, lists and code marked.

    Args:
        source: HTML, a whole page or a fragment, well-formed or not.
    """
    tree = parsed(source)
    if tree is None:
        return without_tags(source)
    return clean(MarkdownWriter(hidden(tree)).written(tree.root)).rstrip()


def parsed(source: str) -> LexborHTMLParser | None:
    """The tree of HTML; None where it is nested absurdly deep."""
    if _too_deep(source):
        return None
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(source)


def hidden(tree: LexborHTMLParser) -> frozenset[int]:
    """The parts of a page that a browser does not show, by their `mem_id`."""
    # A whole page is often hidden until its script has run.
    return frozenset(
        node.mem_id for node in tree.css(_HIDDEN) if node.tag not in ("html", "body", "main")
    )


def without_tags(source: str) -> str:
    """The text between the tags of HTML that cannot be parsed in reasonable time."""
    return clean(html.unescape(_TAG.sub(" ", source))).strip()


def _too_deep(source: str) -> bool:
    open_elements: Counter[str] = Counter()
    depth = styles = 0
    for closing, name in _TAG.findall(source):
        name = name.lower()
        if name in _NEVER_DEEPER or (closing and not open_elements[name]):
            continue
        step = -1 if closing else 1
        open_elements[name] += step
        depth += step
        styles += step if name in _STYLES else 0
        if depth > _MAX_DEPTH or styles > _MAX_STYLES:
            return True
    return False
