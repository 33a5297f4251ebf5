"""A web page: what it says of itself, and its main content as Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .clean import clean
from .html import hidden, parsed, without_tags
from .html_markdown import MarkdownWriter

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_AROUND_THE_CONTENT = (
    "nav, footer, button, [role=navigation], [role=banner], [role=contentinfo], [role=search], "
    "[role=complementary], .linenos, .sphinxsidebar, .skip-link"
)
# Where nothing says which part is the content, these are not, either.
_AROUND_THE_BODY = "aside, [class~=sidebar], [id=sidebar], [class~=breadcrumbs], [class~=toc]"
_DATES = ("article:modified_time", "article:published_time", "date")


@dataclass(frozen=True)
class Page:
    """A page of HTML.

    `markdown` is its main content. `title` is what its `<title>` says, `language`, `url` (the
    canonical one) and `date` what it says of itself; each is None where it says nothing.
    """

    markdown: str
    title: str | None = None
    language: str | None = None
    url: str | None = None
    date: str | None = None


def read_page(source: str) -> Page:
    """Read a web page.

    Its content is `<main>`, or its only `<article>`, or the whole body without what is around
    the content: navigation, header, footer, sidebars, buttons.

    Args:
        source: the HTML of the page.
    """
    tree = parsed(source)
    if tree is None:
        return Page(without_tags(source))
    title = tree.css_first("head > title")
    named = {
        node.attributes.get("property") or node.attributes.get("name"): node.attributes.get(
            "content"
        )
        for node in tree.css("meta[property], meta[name]")
    }
    return Page(
        markdown=_content(tree),
        title=" ".join(title.text().split()) or None if title is not None else None,
        language=_attribute(tree.css_first("html[lang]"), "lang"),
        url=_attribute(tree.css_first('link[rel="canonical"]'), "href"),
        date=next((named[name] for name in _DATES if named.get(name)), None),
    )


def declared_charset(head: str) -> str | None:
    """The encoding that a page names in a `<meta>`.

    Args:
        head: the beginning of the page, read with any encoding that has ASCII in it.
    """
    from selectolax.lexbor import LexborHTMLParser

    for node in LexborHTMLParser(head).css("meta"):
        charset = node.attributes.get("charset")
        if not charset and (node.attributes.get("http-equiv") or "").lower() == "content-type":
            charset = (node.attributes.get("content") or "").lower().rpartition("charset=")[2]
        if charset:
            return charset.strip()
    return None


def _content(tree: LexborHTMLParser) -> str:
    mains = tree.css("main, [role=main]")
    articles = tree.css("article")
    left_out = hidden(tree) | _ids(tree.css(_AROUND_THE_CONTENT))
    for root in mains[:1] or (articles if len(articles) == 1 else []):
        markdown = clean(MarkdownWriter(left_out).written(root)).rstrip()
        if markdown:
            return markdown
    # A header without a heading of its own is the site's.
    headers = [node for node in tree.css("header") if node.css_first("h1") is None]
    left_out |= _ids(tree.css(_AROUND_THE_BODY)) | _ids(headers)
    return clean(MarkdownWriter(left_out).written(tree.body)).rstrip()


def _ids(nodes: Iterable[LexborNode]) -> frozenset[int]:
    return frozenset(node.mem_id for node in nodes)


def _attribute(node: LexborNode | None, name: str) -> str | None:
    return (node.attributes.get(name) or "").strip() or None if node is not None else None
