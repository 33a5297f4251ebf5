"""What is read out of a request, and what is refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from datasette.utils.asgi import Request

from datasette_rag.web.request import (
    MAX_BODY_BYTES,
    Asked,
    RequestError,
    Scope,
    asked_in,
    refuse_other_sites,
    scope_of,
)

FORM = "application/x-www-form-urlencoded"


def get(query: bytes) -> Request:
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": query, "headers": []}
    return Request(scope, None)


def post(headers: dict[str, str]) -> Request:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request(
        {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": raw}, None
    )


def receiving(*chunks: bytes, last: str = "http.request") -> Any:
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    messages.append({"type": last})

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    return receive


async def read(site: Any, query: str | bytes) -> Asked:
    query = query.encode() if isinstance(query, str) else query
    return await asked_in(site(), get(query), receiving())


async def read_body(site: Any, body: bytes, content_type: str | None = FORM) -> Asked:
    headers = {} if content_type is None else {"content-type": content_type}
    return await asked_in(site(), post(headers), receiving(body))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("", Asked()),
        ("question=", Asked()),
        ("question=%20%0A", Asked()),
        ("question=Why+not%3F&utm=x", Asked("Why not?")),
        ("question=caf%C3%A9", Asked("café")),
        ("question=a%0D%0Ab%0Dc", Asked("a\nb\nc")),
        ("question=%00a%01b%1Bc%7Fd%C2%85e", Asked("a b c d\ne")),
        ("question=a&keyword=b+c&keyword=d&keyword=+", Asked("a", keywords=("b c", "d"))),
        ("question=a&keyword=", Asked("a")),
        ("question=a&table=docs/pages", Asked("a", tables=(("docs", "pages"),))),
        (
            "question=a&table=kb~2Ev2~20final/faq~2Fa~25b&table=x/y",
            Asked("a", tables=(("kb.v2 final", "faq/a%b"), ("x", "y"))),
        ),
        ("question=a&answer=off", Asked("a", answer=False)),
        ("question=a&answer=ON", Asked("a")),
        ("question=a&answer=", Asked("a")),
    ],
)
async def test_query_strings(site: Any, query: str, asked: Asked) -> None:
    assert await read(site, query) == asked


@pytest.mark.asyncio
async def test_raw_utf8_in_a_query_string(site: Any) -> None:
    assert await read(site, "question=café".encode()) == Asked("café")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "query",
    [
        b"question=%FF",
        b"question=\xff",
        b"question=%ED%A0%80",
        b"question=a&question=b",
        b"question=a&answer=maybe",
        b"question=a&answer=off&answer=on",
        b"question=a&table=docs",
        b"question=a&table=docs/",
        b"question=a&table=/pages",
        b"question=a&table=docs/a/b",
        b"&".join([b"a=b"] * 1001),
    ],
)
async def test_query_strings_that_are_refused(site: Any, query: bytes) -> None:
    with pytest.raises(RequestError) as error:
        await read(site, query)
    assert error.value.status == 400


@pytest.mark.asyncio
async def test_a_table_may_name_the_databases_route(site: Any) -> None:
    datasette = site()
    datasette.databases["docs"].route = "manual"
    asked = await asked_in(datasette, get(b"table=manual/pages"), receiving())
    assert asked.tables == (("docs", "pages"),)


@pytest.mark.asyncio
async def test_forms(site: Any) -> None:
    body = b"question=a+b&keyword=c&answer=off&csrftoken=x"
    expected = Asked("a b", keywords=("c",), answer=False)
    assert await read_body(site, body) == expected
    assert await read_body(site, body, f"{FORM}; charset=utf-8") == expected
    assert await read_body(site, body, None) == expected
    receive = receiving(body[:5], body[5:])
    assert await asked_in(site(), post({"content-type": FORM}), receive) == expected


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("data", "asked"),
    [
        ({}, Asked()),
        ({"question": None, "keywords": None, "tables": None, "answer": None}, Asked()),
        ({"question": "Why?", "other": {"a": [1]}}, Asked("Why?")),
        ({"question": "a\ud800b\x00c"}, Asked("ab c")),
        (
            {"question": "a", "keywords": ["b"], "tables": ["docs/pages"], "answer": False},
            Asked("a", ("b",), (("docs", "pages"),), False),
        ),
    ],
)
async def test_json(site: Any, data: Any, asked: Asked) -> None:
    body = json.dumps(data).encode()
    assert await read_body(site, body, "application/json; charset=utf-8") == asked


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"[]", "object"),
        (b'"question"', "object"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"question": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "nested"),
        (b'{"a":' * 40_000, "nested"),
        (b'{"question": 1}', '"question"'),
        (b'{"question": ["a"]}', '"question"'),
        (b'{"question": "a", "question": "b"}', "twice"),
        (b'{"question": "a", "keywords": "b"}', '"keywords"'),
        (b'{"question": "a", "keywords": [1]}', '"keywords"'),
        (b'{"question": "a", "tables": {}}', '"tables"'),
        (b'{"question": "a", "tables": ["docs"]}', "database/table"),
        (b'{"question": "a", "answer": "off"}', '"answer"'),
        (b'{"question": "a", "answer": 0}', '"answer"'),
        (b'{"question": ' + b"1" * 10_000 + b"}", ""),
    ],
)
async def test_json_that_is_refused(site: Any, body: bytes, names: str) -> None:
    with pytest.raises(RequestError) as error:
        await read_body(site, body, "application/json")
    assert error.value.status == 400
    assert names in error.value.message


@pytest.mark.asyncio
@pytest.mark.parametrize("content_type", ["multipart/form-data; boundary=a", "text/plain", "x"])
async def test_other_content_types_are_refused(site: Any, content_type: str) -> None:
    with pytest.raises(RequestError) as error:
        await read_body(site, b"question=a", content_type)
    assert error.value.status == 415


@pytest.mark.asyncio
async def test_a_huge_body_is_refused_while_it_arrives(site: Any) -> None:
    endless = receiving(*[b"x" * 100_000] * 10)
    with pytest.raises(RequestError) as error:
        await asked_in(site(), post({"content-type": FORM}), endless)
    assert error.value.status == 413
    # It was not read to its end.
    assert (await endless())["more_body"]


@pytest.mark.asyncio
@pytest.mark.parametrize("length", [MAX_BODY_BYTES + 1, 10**30])
async def test_a_huge_body_is_refused_before_it_arrives(site: Any, length: int) -> None:
    request = post({"content-type": FORM, "content-length": str(length)})
    with pytest.raises(RequestError) as error:
        await asked_in(site(), request, receiving())
    assert error.value.status == 413


@pytest.mark.asyncio
async def test_a_body_that_breaks_off_is_refused(site: Any) -> None:
    receive = receiving(b"question=", last="http.disconnect")
    with pytest.raises(RequestError) as error:
        await asked_in(site(), post({"content-type": FORM}), receive)
    assert error.value.status == 400


def test_fields_read_back_as_the_same_request(site: Any) -> None:
    asked = Asked("a & b", ("c d",), (("kb.v2 final", "faq/a%b"),), False)
    assert asked.pairs() == [
        ("question", "a & b"),
        ("keyword", "c d"),
        ("table", "kb~2Ev2+final/faq~2Fa~25b"),
        ("answer", "off"),
    ]


@pytest.mark.asyncio
async def test_fields_survive_a_query_string(site: Any) -> None:
    asked = Asked("a & b", ("c d",), (("kb.v2 final", "faq/a%b"),), False)
    query = "&".join(f"{name}={quote(value)}" for name, value in asked.pairs())
    assert await read(site, query) == asked


@pytest.mark.parametrize(
    ("values", "scope"),
    [
        ({}, Scope()),
        ({"database": "docs"}, Scope("docs")),
        ({"database": "kb~2Ev2~20final", "table": "faq~2Fa~25b"}, Scope("kb.v2 final", "faq/a%b")),
    ],
)
def test_scope_of(site: Any, values: dict[str, str], scope: Scope) -> None:
    assert scope_of(site(), Request.fake("/", url_vars=values)) == scope


def test_the_scope_goes_by_the_databases_route_alone(site: Any) -> None:
    datasette = site()
    datasette.databases["docs"].route = "manual"
    assert scope_of(datasette, Request.fake("/", url_vars={"database": "manual"})) == Scope("docs")
    for route in ("docs", "nowhere"):
        database = scope_of(datasette, Request.fake("/", url_vars={"database": route})).database
        assert database is not None
        assert database not in datasette.databases


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin", "origin": "https://a.example", "host": "127.0.0.1:8001"},
        {"origin": "https://a.example", "host": "a.example"},
        {"origin": "https://A.example", "host": "a.example:443"},
        {"origin": "http://a.example:8001", "host": "a.example:8001"},
    ],
)
def test_posts_that_are_taken(headers: dict[str, str]) -> None:
    refuse_other_sites(post(headers))


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "origin": "https://a.example", "host": "a.example"},
        {"sec-fetch-site": ""},
        {"origin": "https://evil.example", "host": "a.example"},
        {"origin": "https://a.example.evil.example", "host": "a.example"},
        {"origin": "http://a.example:8002", "host": "a.example:8001"},
        {"origin": "null", "host": "a.example"},
        {"origin": "https://a.example"},
    ],
)
def test_posts_of_other_sites_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(RequestError) as error:
        refuse_other_sites(post(headers))
    assert error.value.status == 403


def test_a_get_from_another_site_is_no_matter() -> None:
    request = get(b"")
    request.scope["headers"] = [(b"sec-fetch-site", b"cross-site")]
    refuse_other_sites(request)
