"""The JSON API over HTTP: what reaches the core, and what status and headers come back."""

from __future__ import annotations

from typing import Any

import pytest

from datasette_rag.events import Failed, ModelError

ERROR_KEYS = {"ok", "error", "errors", "status"}
CORS = "access-control-allow-origin"
CLAUDE = {"answerer": "claude"}


def assert_error(response: Any, status: int) -> str:
    """The response is an error of this status in Datasette 1.0's form; returns its message."""
    assert response.status_code == status
    assert response.headers["content-type"].startswith("application/json")
    data = response.json()
    assert data.keys() == ERROR_KEYS
    assert data["ok"] is False
    assert data["status"] == status
    assert data["errors"] == [data["error"]]
    return str(data["error"])


@pytest.mark.asyncio
async def test_a_get(site: Any, core: Any) -> None:
    response = await site().client.get("/-/ask.json?question=What+are+late+fees%3F")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.headers["cache-control"].startswith("private")
    assert response.headers["x-robots-tag"] == "noindex"
    assert "cookie" in response.headers["vary"].lower()
    assert CORS not in response.headers
    assert response.json()["answer"] == "Late fees are **5 EUR** [1]."
    assert core.call == {
        "question": "What are late fees?",
        "actor": None,
        "keywords": None,
        "database": None,
        "table": None,
        "tables": None,
        "answer": True,
        "answerer": "extractive",
        "log": True,
    }


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "database", "table"),
    [
        ("/docs/-/ask.json", "docs", None),
        ("/docs/pages/-/ask.json", "docs", "pages"),
        ("/kb~2Ev2~20final/-/ask.json", "kb.v2 final", None),
        ("/kb~2Ev2+final/faq~2Fa~25b/-/ask.json", "kb.v2 final", "faq/a%b"),
    ],
)
@pytest.mark.parametrize("base_url", ["/", "/data/"])
async def test_where_to_search(
    site: Any, core: Any, base_url: str, path: str, database: str, table: str | None
) -> None:
    datasette = site(settings={"base_url": base_url})
    # The client puts base_url in front.
    response = await datasette.client.get(f"{path}?question=a")
    assert response.status_code == 200
    assert (core.call["database"], core.call["table"]) == (database, table)


@pytest.mark.asyncio
async def test_a_percent_encoded_address_leads_to_the_tilde_encoded_one(
    site: Any, core: Any
) -> None:
    response = await site().client.get("/kb~2Ev2%20final/-/ask?question=a")
    assert response.status_code == 302
    assert "%20" not in response.headers["location"].partition("?")[0]


@pytest.mark.asyncio
async def test_all_parameters_reach_the_core(site: Any, core: Any) -> None:
    await site().client.get(
        "/-/ask.json?question=a&keyword=b&keyword=c&table=docs/pages&answer=off"
    )
    assert core.call["keywords"] == ("b", "c")
    assert core.call["tables"] == (("docs", "pages"),)
    assert core.call["answer"] is False


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "plugin", "headers", "answerer"),
    [
        ("GET", {}, {}, "extractive"),
        ("GET", CLAUDE, {}, "extractive"),
        ("HEAD", CLAUDE, {}, "extractive"),
        ("POST", CLAUDE, {}, None),
        ("POST", {}, {}, None),
        ("GET", {**CLAUDE, "answer_on_get": True}, {}, None),
        ("HEAD", {**CLAUDE, "answer_on_get": True}, {}, "extractive"),
        ("GET", {**CLAUDE, "answer_on_get": True}, {"sec-purpose": "prefetch"}, "extractive"),
        ("GET", {**CLAUDE, "answer_on_get": True}, {"purpose": "prefetch"}, "extractive"),
    ],
)
async def test_who_answers(
    site: Any, core: Any, method: str, plugin: Any, headers: Any, answerer: str | None
) -> None:
    client = site(plugin).client
    if method == "POST":
        response = await client.post("/-/ask.json", json={"question": "a"}, headers=headers)
    else:
        response = await client.request(method, "/-/ask.json?question=a", headers=headers)
    assert response.status_code == 200
    assert core.call["answerer"] == answerer


@pytest.mark.asyncio
async def test_a_form_and_json_are_taken_alike(site: Any, core: Any) -> None:
    client = site().client
    form = await client.post("/docs/-/ask.json", data={"question": "a", "keyword": ["b", "c"]})
    data = {"question": "a", "keywords": ["b", "c"]}
    as_json = await client.post("/docs/-/ask.json", json=data)
    assert form.status_code == as_json.status_code == 200
    assert core.calls[0] == core.calls[1]
    assert core.calls[0]["keywords"] == ("b", "c")


@pytest.mark.asyncio
async def test_the_actor_reaches_the_core(site: Any, core: Any) -> None:
    datasette = site()
    cookie = datasette.sign({"a": {"id": "root"}}, "actor")
    response = await datasette.client.get(
        "/-/ask.json?question=a", headers={"cookie": f"ds_actor={cookie}"}
    )
    assert core.call["actor"] == {"id": "root"}
    assert response.headers["cache-control"].startswith("private")


@pytest.mark.asyncio
async def test_a_head_has_no_body(site: Any, core: Any) -> None:
    response = await site().client.request("HEAD", "/-/ask.json?question=a")
    assert response.status_code == 200
    assert response.content == b""


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "failed",
    [
        Failed(400, "Ask a question"),
        Failed(403, "Not for you"),
        Failed(404, "There is no such table"),
        Failed(500, "The search failed"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
async def test_failures(site: Any, core: Any, samples: Any, failed: Failed, first: bool) -> None:
    core.events = [failed] if first else [samples.events(samples.reply())[0], failed]
    response = await site().client.get("/-/ask.json?question=a")
    assert assert_error(response, failed.status) == failed.message


@pytest.mark.asyncio
async def test_no_question_is_for_the_core_to_refuse(site: Any, core: Any) -> None:
    # It looks at permissions first.
    core.events = [Failed(400, "Ask a question")]
    assert_error(await site().client.get("/-/ask.json"), 400)
    assert core.call["question"] == ""


@pytest.mark.asyncio
async def test_an_unknown_route_is_an_unknown_database(site: Any, core: Any) -> None:
    datasette = site()
    await datasette.client.get("/nowhere/-/ask.json?question=a")
    assert core.call["database"] is not None
    assert core.call["database"] not in datasette.databases


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [RuntimeError("secret of /etc/passwd"), RecursionError()])
async def test_an_error_inside_is_a_plain_500(site: Any, core: Any, error: Exception) -> None:
    core.events = [error]
    response = await site().client.get("/-/ask.json?question=a")
    assert "secret" not in assert_error(response, 500)


@pytest.mark.asyncio
async def test_events_that_stop_too_early_are_a_plain_500(site: Any, core: Any) -> None:
    core.events = []
    assert_error(await site().client.get("/-/ask.json?question=a"), 500)


@pytest.mark.asyncio
async def test_limited(site: Any, core: Any, samples: Any) -> None:
    error = ModelError("limited", "Too many questions", 12.5)
    core.events = samples.events(samples.reply(outcome="limited", answer="", error=error))
    response = await site().client.get("/-/ask.json?question=a")
    assert response.status_code == 429
    assert response.headers["retry-after"] == "13"
    assert response.json()["ok"] is False
    assert len(response.json()["sources"]) == 2


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("content", "content_type", "status"),
    [
        (b"{", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"question": 1}', "application/json", 400),
        (b"question=%ff", "application/x-www-form-urlencoded", 400),
        (b"question=a", "text/plain", 415),
        (b"question=" + b"a" * 300_000, "application/x-www-form-urlencoded", 413),
    ],
)
async def test_bodies_that_are_refused(
    site: Any, core: Any, content: bytes, content_type: str, status: int
) -> None:
    response = await site().client.post(
        "/-/ask.json", content=content, headers={"content-type": content_type}
    )
    assert_error(response, status)
    assert core.calls == []


@pytest.mark.asyncio
async def test_a_query_string_that_is_refused(site: Any, core: Any) -> None:
    assert_error(await site().client.get("/-/ask.json?question=%FF"), 400)
    assert core.calls == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
    ],
)
@pytest.mark.parametrize("path", ["/-/ask", "/-/ask.json", "/-/ask/stream"])
async def test_posts_of_other_sites_are_refused(
    site: Any, core: Any, headers: dict[str, str], path: str
) -> None:
    response = await site(CLAUDE).client.post(path, data={"question": "a"}, headers=headers)
    assert response.status_code == 403
    assert core.calls == []


@pytest.mark.asyncio
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "PROPFIND"])
@pytest.mark.parametrize("path", ["/-/ask", "/docs/-/ask.json", "/docs/pages/-/ask/stream"])
async def test_other_methods(site: Any, core: Any, method: str, path: str) -> None:
    response = await site().client.request(method, f"{path}?question=a")
    assert response.status_code == 405
    allowed = "POST" if path.endswith("stream") else "GET, HEAD, POST"
    assert response.headers["allow"] == allowed
    if path != "/-/ask":
        assert_error(response, 405)
    assert core.calls == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "events"),
    [
        ("/-/ask.json?question=a", None),
        ("/-/ask.json?question=a", [Failed(404, "no")]),
        ("/-/ask.json?question=%FF", None),
    ],
)
async def test_cors(site: Any, core: Any, path: str, events: Any) -> None:
    core.events = events or core.events
    response = await site(cors=True).client.get(path, headers={"origin": "https://b.example"})
    assert response.headers[CORS] == "*"
    assert "access-control-allow-credentials" not in response.headers
    response = await site().client.get(path, headers={"origin": "https://b.example"})
    assert CORS not in response.headers


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/-/ask.json", "/docs/-/ask.json", "/-/ask/stream"])
async def test_preflights(site: Any, core: Any, path: str) -> None:
    asking = {
        "origin": "https://b.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization",
    }
    response = await site(cors=True).client.options(path, headers=asking)
    assert response.status_code == 204
    assert response.headers[CORS] == "*"
    assert "authorization" in response.headers["access-control-allow-headers"].lower()
    assert "GET" in response.headers["access-control-allow-methods"]
    response = await site().client.options(path, headers=asking)
    assert response.status_code == 204
    assert not [name for name in response.headers if name.startswith("access-control")]
    assert core.calls == []
