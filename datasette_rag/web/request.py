"""Read what is asked out of an HTTP request: the address's values, the query string, the body."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import parse_qsl

from datasette.utils import tilde_decode, tilde_encode
from datasette.utils.asgi import Request

from ..text.clean import clean

if TYPE_CHECKING:
    from datasette.app import Datasette

Receive = Callable[[], Awaitable[Mapping[str, Any]]]

MAX_BODY_BYTES = 256 * 1024
MAX_FIELDS = 1000
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_FIELDS = ("question", "keyword", "table", "answer")
_SWITCH = {"off": False, "0": False, "false": False, "no": False}
_SWITCH |= {"": True, "on": True, "1": True, "true": True, "yes": True}
# Stands for a route that no database has: no database can have this name.
_UNKNOWN = "\x00"


class RequestError(Exception):
    """The request can't be understood or must not be served; the message is for the asker."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True)
class Scope:
    """Where the address says to search: everywhere, one database, or one table (by name)."""

    database: str | None = None
    table: str | None = None


EVERYWHERE = Scope()


@dataclass(frozen=True)
class Asked:
    """What a request asks; an empty question means that there is none."""

    question: str = ""
    keywords: tuple[str, ...] | None = None
    tables: tuple[tuple[str, str], ...] | None = None
    answer: bool = True

    def pairs(self) -> list[tuple[str, str]]:
        """The same request as the fields of a form or query string."""
        pairs = [("question", self.question)]
        pairs += [("keyword", keyword) for keyword in self.keywords or ()]
        pairs += self.table_pairs()
        if not self.answer:
            pairs.append(("answer", "off"))
        return pairs

    def table_pairs(self) -> list[tuple[str, str]]:
        """The `table` fields alone."""
        return [
            ("table", f"{tilde_encode(database)}/{tilde_encode(table)}")
            for database, table in self.tables or ()
        ]


def scope_of(datasette: Datasette, request: Request) -> Scope:
    """What the route's values name; a route that no database has becomes an unknown name."""
    route = request.url_vars.get("database")
    table = request.url_vars.get("table")
    if route is None:
        return Scope()
    try:
        database = datasette.get_database(route=tilde_decode(route)).name
    except KeyError:
        database = _UNKNOWN
    return Scope(database, None if table is None else tilde_decode(table))


async def asked_in(datasette: Datasette, request: Request, receive: Receive) -> Asked:
    """What the request asks: by its query string, or by its body if it is a POST.

    Raises RequestError where it can't be read.
    """
    if request.method != "POST":
        return _from_form(datasette, request.scope.get("query_string") or b"")
    body = await _body(request, receive)
    if _is_json(request):
        return _from_json(datasette, body)
    return _from_form(datasette, body)


async def values_in(request: Request, receive: Receive, names: Sequence[str]) -> dict[str, str]:
    """The texts that the body of a POST gives under these names; "" where it gives none.

    Raises RequestError where it can't be read.
    """
    body = await _body(request, receive)
    if not _is_json(request):
        values = _form_values(body, names, once=names)
        return {name: clean("".join(values[name])) for name in names}
    data = _json_object(body, f'{{"{names[0]}": "…"}}')
    for name in names:
        if not isinstance(data.get(name), str | None):
            raise RequestError(400, f'"{name}" must be a text')
    return {name: clean(data.get(name) or "") for name in names}


def _is_json(request: Request) -> bool:
    content_type = request.headers.get("content-type", _FORM).partition(";")[0]
    content_type = content_type.strip().lower()
    if content_type not in (_FORM, _JSON):
        raise RequestError(415, f"Send it as JSON or as a form ({_FORM})")
    return content_type == _JSON


def refuse_other_sites(request: Request) -> None:
    """Raise RequestError for a POST that a page of another site sent.

    A visitor's browser must not ask, and pay, in that visitor's name because some other page
    told it to. Clients that are no browsers send neither of the two headers.
    """
    if request.method != "POST":
        return
    headers = request.headers
    fetched_by = headers.get("sec-fetch-site")
    if fetched_by is not None:
        # "same-site" is another host of the same domain, and Datasette 1.0 refuses it, too.
        foreign = fetched_by not in ("same-origin", "none")
    else:
        origin = headers.get("origin")
        foreign = origin is not None and _host(origin) != _host(headers.get("host", ""))
    if foreign:
        raise RequestError(403, "A question can't be posted from another site")


def _host(origin: str) -> str:
    # A proxy may have taken TLS off, so the schemes can differ and are not compared.
    return re.sub(r"^https?://|:(80|443)$", "", origin.lower())


async def _body(request: Request, receive: Receive) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:18]) > MAX_BODY_BYTES:
        _too_large()
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise RequestError(400, "The request ended before its body was complete")
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            _too_large()
        if not message.get("more_body", False):
            return bytes(body)


def _too_large() -> NoReturn:
    raise RequestError(413, f"The request's body may have {MAX_BODY_BYTES} bytes at most")


def _from_form(datasette: Datasette, encoded: bytes) -> Asked:
    values = _form_values(encoded, _FIELDS, once=("question", "answer"))
    switch = "".join(values["answer"]).strip().lower()
    if switch not in _SWITCH:
        raise RequestError(400, "answer must be on or off")
    return _asked(
        datasette,
        "".join(values["question"]),
        values["keyword"],
        values["table"],
        _SWITCH[switch],
    )


def _form_values(
    encoded: bytes, names: Sequence[str], *, once: Sequence[str]
) -> dict[str, list[str]]:
    """The values of these fields; those of `once` have one at most."""
    try:
        pairs = parse_qsl(
            encoded.decode("utf-8"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except UnicodeDecodeError:
        raise RequestError(400, "The question must be encoded as UTF-8") from None
    except ValueError:
        raise RequestError(400, f"A request may have {MAX_FIELDS} fields at most") from None
    values: dict[str, list[str]] = {name: [] for name in names}
    for name, value in pairs:
        if name in values:
            values[name].append(value)
    for name in once:
        if len(values[name]) > 1:
            raise RequestError(400, f"{name} may be given once")
    return values


def _json_object(body: bytes, example: str) -> dict[str, Any]:
    try:
        data = json.loads(body.decode("utf-8"), object_pairs_hook=_once)
    except UnicodeDecodeError:
        raise RequestError(400, "The JSON must be encoded as UTF-8") from None
    except RecursionError:
        raise RequestError(400, "The JSON is nested too deeply") from None
    except ValueError:
        raise RequestError(400, "The body is not valid JSON") from None
    if not isinstance(data, dict):
        raise RequestError(400, f"Send a JSON object such as {example}")
    return data


def _from_json(datasette: Datasette, body: bytes) -> Asked:
    data = _json_object(body, '{"question": "…"}')
    question = data.get("question")
    if question is not None and not isinstance(question, str):
        raise RequestError(400, '"question" must be a text')
    answer = data.get("answer")
    if answer is not None and not isinstance(answer, bool):
        raise RequestError(400, '"answer" must be true or false')
    return _asked(
        datasette,
        question or "",
        _texts(data, "keywords"),
        _texts(data, "tables"),
        answer is not False,
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise RequestError(400, "A key stands twice in one object of the JSON")
    return data


def _texts(data: Mapping[str, Any], key: str) -> list[str]:
    value = data.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RequestError(400, f'"{key}" must be a list of texts')
    if len(value) > MAX_FIELDS:
        raise RequestError(400, f'"{key}" may have {MAX_FIELDS} items at most')
    return value


def _asked(
    datasette: Datasette,
    question: str,
    keywords: list[str],
    tables: list[str],
    answer: bool,
) -> Asked:
    cleaned = [clean(word).strip() for word in keywords]
    return Asked(
        question=clean(question).strip(),
        keywords=tuple(filter(None, cleaned)) or None,
        tables=tuple(_table(datasette, table) for table in tables) or None,
        answer=answer,
    )


def _table(datasette: Datasette, encoded: str) -> tuple[str, str]:
    database, separator, table = encoded.partition("/")
    if not (database and separator and table) or "/" in table:
        raise RequestError(
            400, "A table is written database/table, each part tilde-encoded: docs/release~20notes"
        )
    return _database_name(datasette, tilde_decode(database)), tilde_decode(table)


def _database_name(datasette: Datasette, name: str) -> str:
    if name not in datasette.databases:
        # Whoever copies it out of an address has the route, which can differ from the name.
        for database in datasette.databases.values():
            if database.route == name:
                return str(database.name)
    return name
