"""The one renderer of answers: Markdown with `[n]` becomes safe HTML."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererProtocol
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

# `[1]`, and what models write as well: `[1, 3]`, `[1-3]`, `[1,2;4]`, `[ 2 ]`, `【2】`.
_CITATION = re.compile(
    r"(?:\[|【)[ \t]*"
    r"([1-9][0-9]{0,3}(?:[ \t]*[,;\-\u2013][ \t]*[1-9][0-9]{0,3})*)"
    r"[ \t]*(?:\]|】)"
)
_NUMBERS = re.compile(r"([0-9]+)(?:[ \t]*[-\u2013][ \t]*([0-9]+))?")
_LONGEST_RANGE = 50
# Where the text rule stops, so that another rule can look: CommonMark's own characters and `【`.
_TEXT = re.compile(r"[^\n!#$%&*+\-:<=>@\[\]\\^_`{}~【]+")
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.\-]*):", re.IGNORECASE)
_LINK_SCHEMES = {"http", "https", "mailto"}
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.\-]{1,40}")
_SURROGATES = re.compile("[\ud800-\udfff]")
_CITATION_CLASS = "rag-citation"
_CITATION_TOKEN = "rag_citation"
_OUTSIDE_LINK = "nofollow noopener noreferrer"
# The page's own headings are h1 and h2, so the answer's begin below them.
_HEADING_SHIFT = 2

TAGS = {
    *("a", "br", "code", "em", "strong"),
    *("blockquote", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"),
    *("table", "tbody", "td", "th", "thead", "tr"),
}
ATTRIBUTES = {
    "a": {"href", "class", "aria-label", "rel", "title"},
    "code": {"class"},
    "ol": {"start"},
}


def render(markdown: str, source_numbers: Collection[int]) -> str:
    """Render an answer as HTML that is safe to put into a page.

    `source_numbers` are the numbers of the sources that exist: `[n]` becomes a link to the
    source's card for these, and stays text for others, in code and in link texts.
    """
    return "".join(blocks(markdown, source_numbers))


def blocks(markdown: str, source_numbers: Collection[int]) -> list[str]:
    """Render an answer as one piece of HTML per top-level block, each a single element."""
    import nh3

    parser = _parser()
    env: dict[str, Any] = {"source_numbers": frozenset(source_numbers)}
    tokens = parser.parse(_SURROGATES.sub("\ufffd", markdown), env)
    rendered = []
    start = depth = 0
    for index, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            html = parser.renderer.render(tokens[start : index + 1], parser.options, env)
            rendered.append(
                # The parser lets nothing through as it is; this is the second lock.
                nh3.clean(
                    html,
                    tags=TAGS,
                    attributes=ATTRIBUTES,
                    attribute_filter=_attribute,
                    link_rel=None,
                    url_schemes=_LINK_SCHEMES,
                )
            )
            start = index + 1
    return rendered


class GrowingAnswer:
    """An answer that arrives piece by piece, and what each piece changes in its HTML.

    `text` is its Markdown so far.
    """

    def __init__(self, source_numbers: Collection[int]) -> None:
        self._source_numbers = frozenset(source_numbers)
        self.text = ""
        self._blocks: list[str] = []

    def add(self, text: str) -> tuple[int, str]:
        """Add Markdown at the end.

        Returns the number of the first block that changed, counted from 0, and the HTML that
        replaces this block and all after it.
        """
        self.text += text
        before, self._blocks = self._blocks, blocks(self.text, self._source_numbers)
        first = _first_difference(before, self._blocks)
        return first, "".join(self._blocks[first:])


def _first_difference(before: Sequence[str], after: Sequence[str]) -> int:
    for index, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return index
    return min(len(before), len(after))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    parser.enable("table")
    # Without definitions nothing in an answer can give `[1]` another target.
    parser.disable("reference")
    parser.inline.ruler.at("text", _text_rule)
    parser.inline.ruler.before("link", _CITATION_TOKEN, _citation_rule)
    parser.core.ruler.push("rag_blocks", _blocks_rule)
    parser.add_render_rule(_CITATION_TOKEN, _render_citation)
    parser.add_render_rule("image", _render_image)
    parser.add_render_rule("link_open", _render_link_open)
    parser.validateLink = _link_allowed  # type: ignore[method-assign]
    return parser


def _text_rule(state: StateInline, silent: bool) -> bool:
    match = _TEXT.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.pending += match.group()
    state.pos = match.end()
    return True


def _citation_rule(state: StateInline, silent: bool) -> bool:
    """`[n]` before links get to see it, so that `[1](https://…)` is a citation, too."""
    if state.src[state.pos] not in "[【":
        return False
    match = _CITATION.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    numbers = _cited(match.group(1))
    if not state.env["source_numbers"].intersection(numbers):
        return False
    if not silent:
        if state.linkLevel > 0:
            state.pending += match.group()
        else:
            token = state.push(_CITATION_TOKEN, "", 0)
            token.content = match.group()
            token.meta["numbers"] = numbers
    state.pos = match.end()
    return True


def _cited(inside: str) -> list[int]:
    numbers: dict[int, None] = {}
    for match in _NUMBERS.finditer(inside):
        first = int(match.group(1))
        last = int(match.group(2) or first)
        if not first <= last < first + _LONGEST_RANGE:
            return []
        numbers.update(dict.fromkeys(range(first, last + 1)))
    return list(numbers)


def _blocks_rule(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + _HEADING_SHIFT, 6)}"
        elif token.type == "fence":
            words = token.info.split(maxsplit=1)
            known = words and _LANGUAGE.fullmatch(words[0])
            token.info = words[0] if known else ""
        elif token.type == "inline":
            _keep_open_code(token.children or [])


def _keep_open_code(tokens: Sequence[Token]) -> None:
    """No citations behind a fence that was opened in the middle of a line: it is meant as code."""
    in_code = False
    for token in tokens:
        if token.type == "text" and "```" in token.content:
            in_code = True
        elif token.type == _CITATION_TOKEN and in_code:
            token.type = "text"


def _render_citation(
    self: RendererProtocol, tokens: Sequence[Token], idx: int, options: Any, env: Any
) -> str:
    return "".join(
        f'<a class="{_CITATION_CLASS}" href="#source-{number}" aria-label="Source {number}">'
        f"[{number}]</a>"
        if number in env["source_numbers"]
        else f"[{number}]"
        for number in tokens[idx].meta["numbers"]
    )


def _render_image(
    self: RendererProtocol, tokens: Sequence[Token], idx: int, options: Any, env: Any
) -> str:
    """An image is never loaded: its description stands in its place."""
    from markdown_it.common.utils import escapeHtml

    return escapeHtml("".join(token.content for token in tokens[idx].children or []))


def _render_link_open(
    self: RendererProtocol, tokens: Sequence[Token], idx: int, options: Any, env: Any
) -> str:
    tokens[idx].attrSet("rel", _OUTSIDE_LINK)
    renderer: Any = self
    return str(renderer.renderToken(tokens, idx, options, env))


def _link_allowed(url: str) -> bool:
    scheme = _SCHEME.match(url)
    return scheme is None or scheme.group(1).lower() in _LINK_SCHEMES


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name != "class":
        return value
    if tag == "a":
        return value if value == _CITATION_CLASS else None
    language = value.removeprefix("language-")
    return value if language != value and _LANGUAGE.fullmatch(language) else None
