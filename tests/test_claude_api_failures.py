"""Every failure that the stand-in can play, and what the SDK makes of it."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import anthropic
import httpx2
import pytest

from .claude_api import ClaudeAPI, Text, failure, html, redirect, refusing_port, reply, structured

pytestmark = pytest.mark.asyncio

ASK: dict[str, Any] = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 300,
    "messages": [{"role": "user", "content": "What does it cost?"}],
}
# One block in five deltas: start, block, 5 deltas, block's end, message_delta, stop.
ANSWER = Text(["It ", "costs ", "5 EUR", ", als", "o in Köln 😀."])
WHOLE = "It costs 5 EUR, also in Köln 😀."


@pytest.fixture
def api():
    with ClaudeAPI() as server:
        yield server


async def read(client: anthropic.AsyncAnthropic, texts: list[str]) -> Any:
    """Stream an answer; its texts are added as they come, so that they outlive an exception."""
    async with client.messages.stream(**ASK) as stream:
        async for text in stream.text_stream:
            texts.append(text)
        return await stream.get_final_message()


async def failing(client: anthropic.AsyncAnthropic, kind: type[Exception]) -> tuple[Any, str]:
    """What a stream raises, and the text that came before."""
    texts: list[str] = []
    with pytest.raises(kind) as caught:
        await read(client, texts)
    assert type(caught.value) is kind
    return caught.value, "".join(texts)


# ---- a status

STATUSES = [
    (400, anthropic.BadRequestError, "invalid_request_error"),
    (401, anthropic.AuthenticationError, "authentication_error"),
    (402, anthropic.PaymentRequiredError, "billing_error"),
    (403, anthropic.PermissionDeniedError, "permission_error"),
    (404, anthropic.NotFoundError, "not_found_error"),
    (408, anthropic.RequestTimeoutError, "timeout_error"),
    (409, anthropic.ConflictError, "conflict_error"),
    (413, anthropic.ContentTooLargeError, "request_too_large"),
    (422, anthropic.UnprocessableEntityError, "invalid_request_error"),
    (429, anthropic.RateLimitError, "rate_limit_error"),
    (500, anthropic.InternalServerError, "api_error"),
    (502, anthropic.InternalServerError, "api_error"),
    (503, anthropic.ServiceUnavailableError, "api_error"),
    (504, anthropic.GatewayTimeoutError, "timeout_error"),
    (529, anthropic.OverloadedError, "overloaded_error"),
]


@pytest.mark.parametrize("stream", [False, True], ids=["json", "stream"])
@pytest.mark.parametrize("status, kind, name", STATUSES)
async def test_statuses(api, status, kind, name, stream):
    api.reply(failure(status, "Said so.", retry_after=7))
    async with api.client() as client:
        with pytest.raises(anthropic.APIStatusError) as caught:
            await (read(client, []) if stream else client.messages.create(**ASK))
    error = caught.value
    assert type(error) is kind
    assert (error.status_code, error.type, error.api_message) == (status, name, "Said so.")
    assert error.request_id == error.body["request_id"]
    assert error.response.headers["retry-after"] == "7"


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_statuses_that_the_sdk_tries_again(api, status):
    api.script([failure(status, retry_after_ms=1), reply("At last.")])
    async with api.client(max_retries=1) as client:
        message = await client.messages.create(**ASK)
    assert message.content[0].text == "At last."
    assert [each.status for each in api.requests] == [status, 200]
    assert api.requests[1].headers["x-stainless-retry-count"] == "1"


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_statuses_that_the_sdk_does_not_try_again(api, status):
    api.script([failure(status, retry_after_ms=1), reply("Never.")])
    async with api.client(max_retries=1) as client:
        with pytest.raises(anthropic.APIStatusError):
            await client.messages.create(**ASK)
    assert (len(api.requests), api.unused) == (1, 1)


# Untold, it waits half a second at most before the first retry.
@pytest.mark.parametrize("wait", [{"retry_after": 0.7}, {"retry_after_ms": 700}])
async def test_the_sdk_waits_as_long_as_it_is_told_to(api, wait):
    api.script([failure(429, **wait), reply("At last.")])
    async with api.client(max_retries=1) as client:
        await client.messages.create(**ASK)
    first, second = api.requests
    assert second.time - first.time >= 0.7


async def test_an_error_with_a_code_has_a_class_below_that_of_its_status(api):
    api.reply(failure(400, error_details={"error_code": "organization_on_hold"}))
    async with api.client() as client:
        with pytest.raises(anthropic.BadRequestError) as caught:
            await client.messages.create(**ASK)
    assert type(caught.value) is anthropic.OrganizationOnHoldError
    assert caught.value.error_code == "organization_on_hold"


async def test_a_failure_of_a_proxy_that_speaks_html(api):
    api.reply(html("<h1>Bad gateway</h1>", status=502))
    async with api.client() as client:
        with pytest.raises(anthropic.InternalServerError) as caught:
            await client.messages.create(**ASK)
    error = caught.value
    assert (error.status_code, error.type, error.api_message) == (502, None, None)
    assert error.body == "<h1>Bad gateway</h1>"


# ---- nothing that is an answer


async def test_a_refused_connection():
    with refusing_port() as base_url, ClaudeAPI() as api:
        async with api.client(base_url=base_url) as client:
            error, text = await failing(client, anthropic.APIConnectionError)
    assert isinstance(error.__cause__, httpx2.ConnectError)
    assert (error.message, text) == ("Connection error.", "")


@pytest.mark.parametrize(
    "reset, cause", [(False, httpx2.RemoteProtocolError), (True, httpx2.ReadError)]
)
async def test_a_connection_that_is_closed_before_the_headers(api, reset, cause):
    api.reply(cut="headers", reset=reset)
    async with api.client() as client:
        error, _ = await failing(client, anthropic.APIConnectionError)
    assert type(error.__cause__) is cause
    assert not api.requests[0].disconnected


async def test_a_connection_closed_before_the_headers_is_tried_again(api):
    api.script([reply(cut="headers"), reply("At last.")])
    async with api.client(max_retries=1) as client:
        message = await read(client, [])
    assert message.content[0].text == "At last."


async def test_a_web_page_instead_of_json(api):
    api.reply(html("<p>Hi"))
    async with api.client() as client:
        message = await client.messages.create(**ASK)
    assert message == "<p>Hi"


async def test_a_web_page_instead_of_a_stream(api):
    api.reply(html())
    async with api.client() as client:
        _, text = await failing(client, AssertionError)
    assert text == ""


@pytest.mark.parametrize("value", [{}, {"data": []}, {"type": "message", "content": None}])
async def test_json_of_the_wrong_shape(api, value):
    api.reply(body=json.dumps(value).encode())
    async with api.client() as client:
        message = await client.messages.create(**ASK)
    assert isinstance(message, anthropic.types.Message)
    assert message.content is None
    assert message.stop_reason is None


async def test_json_that_is_no_object(api):
    api.reply(body=b"[1, 2]")
    async with api.client() as client:
        assert await client.messages.create(**ASK) == [1, 2]


@pytest.mark.parametrize("body", [b"", b"{"])
async def test_no_json_at_all(api, body):
    api.reply(body=body)
    async with api.client() as client:
        with pytest.raises(json.JSONDecodeError):
            await client.messages.create(**ASK)
    assert api.requests[0].status == 200


async def test_an_empty_stream(api):
    api.reply(events=[])
    async with api.client() as client:
        _, text = await failing(client, AssertionError)
    assert text == ""


async def test_a_redirect_on_the_same_server_is_followed(api):
    api.script([redirect("/v1/messages"), reply("From elsewhere.")])
    async with api.client() as client:
        message = await client.messages.create(**ASK)
    assert message.content[0].text == "From elsewhere."
    assert [each.status for each in api.requests] == [307, 200]


async def test_a_redirect_to_another_server_takes_the_question_but_not_the_key(api):
    with ClaudeAPI() as other:
        api.reply(redirect(f"{other.base_url}/v1/messages"))
        async with api.client() as client:
            error, _ = await failing(client, anthropic.AuthenticationError)
        sent = other.requests[0]
    assert error.api_message == "x-api-key header is required"
    assert "authorization" not in sent.headers
    assert b"What does it cost?" in sent.content


async def test_a_redirect_that_forgets_the_body(api):
    api.reply(redirect(f"{api.base_url}/v1/messages", status=302))
    async with api.client() as client:
        with pytest.raises(anthropic.APIStatusError) as caught:
            await client.messages.create(**ASK)
    assert caught.value.status_code == 405
    assert [each.method for each in api.requests] == ["POST", "GET"]


async def test_redirects_without_end(api):
    api.script(redirect(f"{api.base_url}/v1/messages"))
    async with api.client() as client:
        error, _ = await failing(client, anthropic.APIConnectionError)
    assert isinstance(error.__cause__, httpx2.TooManyRedirects)


# ---- a stream that breaks


async def test_an_overload_inside_the_stream(api):
    api.reply(ANSWER, error_after=4)
    async with api.client(max_retries=2) as client:
        error, text = await failing(client, anthropic.APIStatusError)
    assert text == "It costs "
    assert (error.status_code, error.type) == (200, "overloaded_error")
    assert error.api_message == "Overloaded"
    assert error.body["error"] == {"type": "overloaded_error", "message": "Overloaded"}
    # What has begun is not tried again.
    assert len(api.requests) == 1


async def test_an_error_as_the_first_event(api):
    api.reply(error_after=0, error_type="api_error", error_message="Internal server error")
    async with api.client() as client:
        error, text = await failing(client, anthropic.APIStatusError)
    assert (error.type, error.api_message, text) == ("api_error", "Internal server error", "")


@pytest.mark.parametrize(
    "count, text", [(1, ""), (2, ""), (5, "It costs 5 EUR"), (7, WHOLE), (8, WHOLE)]
)
async def test_a_clean_end_too_early_raises_nothing(api, count, text):
    api.reply(ANSWER, end_after=count)
    async with api.client() as client:
        texts: list[str] = []
        message = await read(client, texts)
    assert "".join(texts) == text
    assert message.stop_reason is None


async def test_only_message_stop_is_missing(api):
    api.reply(ANSWER, end_after=9)
    async with api.client() as client:
        message = await read(client, [])
    assert message.stop_reason == "end_turn"


async def test_an_abrupt_cut_at_any_byte(api):
    """Whatever was whole before the cut was read; the cut itself is never taken for the end."""
    api.reply(ANSWER)
    async with api.client() as client:
        await read(client, [])
        size = api.requests[0].bytes_sent
        # Also inside the characters of more than one byte.
        for place in [*range(0, size, 60), size - 1, size]:
            api.reply(ANSWER, cut=place)
            error, text = await failing(client, httpx2.RemoteProtocolError)
            assert WHOLE.startswith(text)
            assert not isinstance(error, anthropic.AnthropicError)
            assert api.requests[-1].bytes_sent == place
    assert text == WHOLE
    assert not any(each.disconnected for each in api.requests)


async def test_a_reset_in_the_middle(api):
    api.reply(ANSWER, cut=900, reset=True)
    async with api.client() as client:
        _, text = await failing(client, httpx2.ReadError)
    assert WHOLE.startswith(text)


async def test_json_that_is_cut(api):
    api.reply("An answer.", cut=20)
    async with api.client() as client:
        with pytest.raises(anthropic.APIConnectionError) as caught:
            await client.messages.create(**ASK)
    assert isinstance(caught.value.__cause__, httpx2.RemoteProtocolError)


# ---- a stream that stalls


async def test_a_stall_before_the_headers(api):
    api.reply(stall="headers")
    async with api.client(timeout=0.2) as client:
        error, _ = await failing(client, anthropic.APITimeoutError)
    assert isinstance(error.__cause__, httpx2.ReadTimeout)
    assert await api.requests[0].disconnected.within(0.5)
    assert api.requests[0].status == 0


@pytest.mark.parametrize("count, text", [(0, ""), (1, ""), (4, "It costs "), (10, WHOLE)])
async def test_a_stall_after_some_events(api, count, text):
    api.reply(ANSWER, stall=count)
    async with api.client(timeout=0.2) as client:
        error, said = await failing(client, httpx2.ReadTimeout)
    assert said == text
    assert not isinstance(error, anthropic.AnthropicError)
    assert await api.requests[0].disconnected.within(0.5)


async def test_json_that_stalls_after_the_headers(api):
    api.reply("An answer.", stall=0)
    async with api.client(timeout=0.2) as client:
        with pytest.raises(anthropic.APITimeoutError):
            await client.messages.create(**ASK)
    assert api.requests[0].status == 200


async def test_a_slow_trickle_outlives_the_read_timeout(api):
    """Each delta starts the read timeout anew: only a deadline of one's own ends such a stream."""
    api.reply(ANSWER, deltas_per_second=10)
    async with api.client(timeout=0.3) as client:
        start = time.monotonic()
        message = await read(client, [])
    assert message.content[0].text == WHOLE
    assert time.monotonic() - start >= 0.5


async def test_the_answer_may_be_late(api):
    api.reply("Late.", delay_headers=0.1, delay_body=0.1)
    async with api.client() as client:
        start = time.monotonic()
        async with client.messages.stream(**ASK) as stream:
            opened = time.monotonic() - start
            await stream.get_final_message()
    assert opened >= 0.1
    assert time.monotonic() - start - opened >= 0.09


# ---- a client that goes away


async def leave_the_context(client: anthropic.AsyncAnthropic) -> None:
    async with client.messages.stream(**ASK) as stream:
        await anext(stream.text_stream)


async def close_the_stream(client: anthropic.AsyncAnthropic) -> None:
    async with client.messages.stream(**ASK) as stream:
        await anext(stream.text_stream)
        await stream.close()
        # Still inside, so that it was not the context that closed it.
        await asyncio.Event().wait()


@pytest.mark.parametrize("leave", [leave_the_context, close_the_stream])
async def test_leaving_after_the_first_token(api, leave):
    api.reply(ANSWER, stall=3)
    async with api.client() as client:
        task = asyncio.create_task(leave(client))
        request = await api.arrived()
        assert await request.disconnected.within(0.5)
        assert not request.finished
        assert api.connections == 0
        task.cancel()
        await asyncio.wait([task])


@pytest.mark.parametrize("stall", ["headers", 0, 1, 4])
async def test_a_cancelled_task_closes_the_connection(api, stall):
    api.reply(ANSWER, stall=stall)
    async with api.client() as client:
        task = asyncio.create_task(read(client, []))
        request = await api.arrived()
        await asyncio.sleep(0.05)
        assert not request.disconnected
        cancelled = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await request.disconnected.within(0.5)
    assert request.disconnected.time - cancelled < 0.5


async def test_closing_from_another_task(api):
    api.reply(ANSWER, stall=4)
    streams = []

    async def reading(client):
        async with client.messages.stream(**ASK) as stream:
            streams.append(stream)
            return [text async for text in stream.text_stream]

    async with api.client() as client:
        task = asyncio.create_task(reading(client))
        request = await api.arrived()
        while not streams:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)
        await streams[0].close()
        assert await request.disconnected.within(0.5)
        with pytest.raises(httpx2.ReadError):
            await task


async def test_who_reads_to_the_end_has_not_disconnected(api):
    async with api.client() as client:
        await read(client, [])
        await client.messages.create(**ASK)
        first, second = api.requests
        assert await second.finished.within(0.5)
        assert first.finished
        assert api.connections == 1
        assert first.connection == second.connection
    await asyncio.sleep(0.02)
    assert not first.disconnected
    assert not second.disconnected
    assert api.connections == 0


# ---- what is said is no answer


async def test_output_that_is_cut_off_is_no_json(api):
    api.reply(structured('{"keywords": ["late f', stop_reason="max_tokens"))
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    form = {"format": {"type": "json_schema", "schema": schema}}
    async with api.client() as client:
        message = await client.messages.create(**ASK, output_config=form)
    assert message.stop_reason == "max_tokens"
    with pytest.raises(json.JSONDecodeError):
        json.loads(message.content[0].text)


def start(**more: Any) -> tuple[str, dict[str, Any]]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    return "message_start", {"type": "message_start", "message": {**message, **more}}


USAGE = {"input_tokens": 1, "output_tokens": 1}
DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
BROKEN = {
    "start-without-usage": (
        [start(), ("message_delta", {**END, "usage": USAGE})],
        AttributeError,
    ),
    "end-without-usage": ([start(usage=USAGE), ("message_delta", END)], AttributeError),
    "delta-without-block": ([start(usage=USAGE), ("content_block_delta", DELTA)], IndexError),
    "no-json": ([("message_start", "{no")], json.JSONDecodeError),
}


@pytest.mark.parametrize("events, kind", BROKEN.values(), ids=BROKEN.keys())
async def test_events_that_are_broken(api, events, kind):
    api.reply(events=events)
    async with api.client() as client:
        _, text = await failing(client, kind)
    assert text == ""
