"""The page as a whole: its addresses, style, templates and headers."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from datasette import hookimpl
from datasette.plugins import pm

import datasette_rag

ASKED = "/-/ask?question=What+are+late+fees%3F"
CLAUDE = {"answerer": "claude"}
STYLESHEET = Path(datasette_rag.__file__).parent / "static" / "ask.css"


@pytest.mark.asyncio
@pytest.mark.parametrize("base_url", ["/", "/data/"])
@pytest.mark.parametrize("plugin", [{}, CLAUDE])
async def test_addresses(
    site: Any, core: Any, open_page: Any, samples: Any, base_url: str, plugin: Any
) -> None:
    # Case F4-01.
    core.events = samples.events(samples.reply(tables=(), sources=(samples.second,)))
    datasette = site(plugin, settings={"base_url": base_url})
    for path in ("/-/ask", ASKED, "/docs/pages/-/ask?question=a&table=docs/pages"):
        page = await open_page(datasette, path)
        addresses = re.findall(r'\b(?:href|src|action)="([^"]*)"', page.main)
        addresses += re.findall(r'<link rel="stylesheet" href="([^"]*ask.css[^"]*)"', page.html)
        assert len(addresses) >= 2
        for address in addresses:
            assert address.startswith((base_url, "#"))
            assert not address.startswith(("//", "/data/data/"))
            assert "localhost" not in address


@pytest.mark.asyncio
async def test_nothing_inline_and_nothing_from_elsewhere(
    site: Any, core: Any, open_page: Any
) -> None:
    page = await open_page(site(CLAUDE))
    assert not {"script", "style", "img", "iframe", "object", "embed"} & {
        tag for tag, _ in page.tags
    }
    for _, attributes in page.tags:
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.asyncio
async def test_the_style_sheet(site: Any, core: Any, open_page: Any) -> None:
    page = await open_page(site())
    (address,) = re.findall(r'<link rel="stylesheet" href="([^"]*ask.css[^"]*)"', page.html)
    digest = hashlib.sha256(STYLESHEET.read_bytes()).hexdigest()
    assert address == f"/-/static-plugins/datasette_rag/ask.css?_hash={digest[:12]}"
    text = STYLESHEET.read_text("utf-8")
    assert "url(" not in text
    assert "@import" not in text


@pytest.mark.asyncio
async def test_a_sites_own_style_sheet_settles_the_colours(
    site: Any, core: Any, open_page: Any
) -> None:
    class Style:
        __name__ = "Style"

        @hookimpl
        def extra_css_urls(self) -> list[str]:
            return ["/site.css"]

    assert "rag-own-colours" in (await open_page(site())).html
    pm.register(Style(), name="site-style")
    try:
        page = await open_page(site())
    finally:
        pm.unregister(name="site-style")
    assert 'class="rag-page"' in page.html


@pytest.mark.asyncio
async def test_a_site_overrides_one_block(
    site: Any, core: Any, open_page: Any, tmp_path: Path
) -> None:
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "datasette_rag_ask.html").write_text(
        '{% extends "datasette_rag_page.html" %}'
        "{% block rag_heading %}<h1>Ask the librarian</h1>{% endblock %}"
    )
    page = await open_page(site(template_dir=str(templates)))
    assert "<h1>Ask the librarian</h1>" in page.main
    assert page.says("Sources")


@pytest.mark.asyncio
async def test_responses_are_not_for_shared_caches(site: Any, core: Any) -> None:
    for path in ("/-/ask", ASKED):
        response = await site().client.get(path)
        assert response.headers["cache-control"].startswith("private")
        assert "cookie" in response.headers["vary"].lower()
        assert ("x-robots-tag" in response.headers) == (path == ASKED)


@pytest.mark.asyncio
async def test_a_head_has_no_body(site: Any, core: Any) -> None:
    response = await site().client.request("HEAD", ASKED)
    assert (response.status_code, response.content) == (200, b"")
