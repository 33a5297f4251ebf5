"""The "Ask" links in Datasette's menus, and for whom they are there."""

from __future__ import annotations

import pytest

from ..site import cookies, fts_table, get, make_database, make_datasette


@pytest.fixture
def path(tmp_path):
    return make_database(
        tmp_path / "my site.db",
        fts_table("notes", "umbrella"),
        "create table plain (x)",
    )


def links(html):
    return [part.split('"')[0] for part in html.split('href="') if "/-/ask" in part.split('"')[0]]


@pytest.mark.asyncio
@pytest.mark.parametrize("base", ["/", "/data/"])
async def test_links_lead_where_they_say(path, base):
    datasette = await make_datasette([path], settings={"base_url": base})

    async def shown(address):
        return set(links((await datasette.client.get(address)).text))

    everywhere = f"{base}-/ask"
    assert everywhere in await shown("/")
    assert await shown("/my+site") == {everywhere, f"{base}my+site/-/ask"}
    assert await shown("/my+site/notes") == {everywhere, f"{base}my+site/notes/-/ask"}
    assert await shown("/my+site/plain") == {everywhere}
    for link in await shown("/my+site/notes"):
        response = await datasette.client.get(link.removeprefix(base.rstrip("/")))
        assert response.status_code == 200


@pytest.mark.asyncio
@pytest.mark.datasette_1_0
async def test_the_homepage_has_an_action(path):
    html = (await get(await make_datasette([path]), "/")).text
    assert "Ask a question" in html and "with citations" in html


@pytest.mark.asyncio
async def test_no_link_to_what_is_closed(path):
    tree = {
        "databases": {"my site": {"tables": {"notes": {"allow": {"id": "ann"}}}}},
    }
    datasette = await make_datasette([path], tree)
    assert links((await datasette.client.get("/my+site")).text) == ["/-/ask"]
    signed_in = await datasette.client.get("/my+site", cookies=cookies(datasette, {"id": "ann"}))
    assert "/my+site/-/ask" in links(signed_in.text)
    tree = {"plugins": {"datasette-rag": {"allow": {"id": "ann"}}}}
    datasette = await make_datasette([path], tree)
    for address in ("/", "/my+site", "/my+site/notes"):
        assert links((await datasette.client.get(address)).text) == []
