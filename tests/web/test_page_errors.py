"""Errors on the page: in words, with their status, and with the form to ask again."""

from __future__ import annotations

from typing import Any

import pytest
from datasette import hookimpl
from datasette.plugins import pm
from datasette.utils.asgi import Response

from datasette_rag.events import Failed, Keywords

ASKED = "/-/ask?question=What+are+late+fees%3F"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("failed", "title"),
    [
        (Failed(400, "Too <long>"), "This question can't be taken"),
        (Failed(404, "There is no such table"), "Not found"),
        (Failed(500, "The index is broken"), "The search did not work"),
    ],
)
async def test_errors(
    site: Any, core: Any, open_page: Any, samples: Any, failed: Failed, title: str
) -> None:
    core.events = [Keywords(("a",), "question", '"a"'), failed]
    page = await open_page(site(), "/docs/-/ask?question=a%3C&table=docs/pages", failed.status)
    assert page.says(title)
    assert page.says(failed.message)
    assert page.one("input", name="question")["value"] == "a<"
    assert page.all("section") == []
    unseen = failed.status == 404
    assert page.one("form")["action"] == ("/-/ask" if unseen else "/docs/-/ask")
    assert len(page.all("input", name="table")) == (0 if unseen else 1)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/-/ask?question=%FF", 400, "UTF-8"),
        ("/-/ask?question=a&table=docs", 400, "database/table"),
    ],
)
async def test_requests_that_are_refused(
    site: Any, core: Any, open_page: Any, path: str, status: int, words: str
) -> None:
    page = await open_page(site(), path, status)
    assert words in page.text
    assert page.one("form")
    assert core.calls == []


@pytest.mark.asyncio
async def test_who_may_not_ask_gets_datasettes_own_page(site: Any, core: Any) -> None:
    core.events = [Failed(403, "You may not ask here")]
    response = await site().client.get(ASKED)
    assert response.status_code == 403
    assert "You may not ask here" in response.text


@pytest.mark.asyncio
async def test_a_plugin_may_show_a_sign_in_page_instead(site: Any, core: Any) -> None:
    class SignIn:
        __name__ = "SignIn"

        @hookimpl
        def forbidden(self) -> Response:
            return Response.redirect("/-/sign-in")

    core.events = [Failed(403, "You may not ask here")]
    pm.register(SignIn(), name="sign-in")
    try:
        response = await site().client.get(ASKED)
    finally:
        pm.unregister(name="sign-in")
    assert (response.status_code, response.headers["location"]) == (302, "/-/sign-in")
