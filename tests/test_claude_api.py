"""The stand-in of the Claude API answers as scripted, streams as the API does, and records it all."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import anthropic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .claude_api import (
    Cite,
    ClaudeAPI,
    Moment,
    ScriptError,
    Text,
    Thinking,
    ToolUse,
    failure,
    refusal,
    reply,
    structured,
)

FEES = ["The plan costs 5 EUR a month. ", "Late payers owe 2 EUR. ", "Köln is free 😀."]
RULES = ["Pay by the 3rd.", "漢字 are fine."]


def source(title: str, *sentences: str, cited: bool = True) -> dict[str, Any]:
    return {
        "type": "search_result",
        "source": f"/db/{title.lower()}/1",
        "title": title,
        "content": [{"type": "text", "text": sentence} for sentence in sentences],
        "citations": {"enabled": cited},
    }


def ask(*sources: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A question with these sources, as arguments of the SDK."""
    content = [*sources, {"type": "text", "text": "What does the annual plan cost?"}]
    return {
        "model": "claude-sonnet-5-5",
        "max_tokens": 300,
        "system": "Answer from the sources.",
        "messages": [{"role": "user", "content": content}],
        **changes,
    }


ASK = ask(source("Fees", *FEES), source("Rules", *RULES))
KEYWORDS = ask(
    model="claude-haiku-5-5",
    output_config={
        "format": {
            "type": "json_schema",
            "schema": {
                "type": "object",
                "properties": {"keywords": {"type": "array", "items": {"type": "string"}}},
                "required": ["keywords"],
                "additionalProperties": False,
            },
        }
    },
)


@pytest.fixture
def api():
    with ClaudeAPI() as server:
        yield server


async def streamed(client: anthropic.AsyncAnthropic, asked: dict[str, Any] = ASK) -> Any:
    async with client.messages.stream(**asked) as stream:
        return await stream.get_final_message()


async def event_types(client: anthropic.AsyncAnthropic) -> list[str]:
    async with client.messages.stream(**ASK) as stream:
        return [event.type async for event in stream]


async def both(api: ClaudeAPI, said: Any, asked: dict[str, Any] = ASK) -> Any:
    """The message of a reply; it is the same streamed and whole."""
    api.script([said, said])
    async with api.client() as client:
        whole = await client.messages.create(**asked)
        parts = await streamed(client, asked)
    assert plain(whole) == plain(parts)
    return whole


def plain(message: Any) -> dict[str, Any]:
    """What a message says, without what differs between two calls and between their classes."""
    said = message.to_dict()
    for block in said["content"]:
        block.pop("parsed_output", None)
        if block["type"] == "tool_use":
            block.pop("id")
        if not block.get("citations"):
            block.pop("citations", None)
    said.pop("id")
    return {key: value for key, value in said.items() if value is not None}


# ---- what it says


@pytest.mark.asyncio
async def test_text_with_citations(api):
    said = reply(
        "The plan ",
        Text("costs 5 EUR, 2 more when late", Cite(0, 0, 2)),
        Text(", due on the 3rd.", Cite(1), Cite(find="漢字")),
    )
    message = await both(api, said)
    assert [block.text for block in message.content] == [
        "The plan ",
        "costs 5 EUR, 2 more when late",
        ", due on the 3rd.",
    ]
    plain_block, fees, rules = message.content
    assert plain_block.citations is None
    assert [cite.to_dict() for cite in fees.citations] == [
        {
            "type": "search_result_location",
            "cited_text": FEES[0] + FEES[1],
            "search_result_index": 0,
            "source": "/db/fees/1",
            "title": "Fees",
            "start_block_index": 0,
            "end_block_index": 2,
        }
    ]
    assert [cite.cited_text for cite in rules.citations] == RULES
    assert message.stop_reason == "end_turn"


@pytest.mark.asyncio
async def test_results_are_counted_across_messages_and_tools(api):
    use = {"type": "tool_use", "id": "t1", "name": "search", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [source("Rules", *RULES)]}
    asked = ask()
    asked["messages"] = [
        {"role": "user", "content": [source("Fees", *FEES)]},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    message = await both(api, reply(Text("By the 3rd.", Cite(1))), asked)
    assert message.content[0].citations[0].title == "Rules"
    assert [block["title"] for block in api.requests[0].search_results] == ["Fees", "Rules"]


# pydantic's complaint about what the SDK does not know.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.asyncio
async def test_a_citation_of_an_unknown_kind(api):
    unknown = {"type": "row_location", "cited_text": "5 EUR", "row": 7}
    message = await both(api, reply(Text("It costs 5 EUR.", unknown)))
    assert message.content[0].citations[0].type == "row_location"


@pytest.mark.parametrize(
    "cite, asked, reason",
    [
        (Cite(2), ASK, "the search results have [3, 2] blocks"),
        (Cite(0, 2, 4), ASK, "the search results have [3, 2] blocks"),
        (Cite(0, 2, 2), ASK, "the search results have [3, 2] blocks"),
        (Cite(find="nowhere"), ASK, "the search results have [3, 2] blocks"),
        (Cite(0), ask(source("Fees", *FEES, cited=False)), "did not enable citations"),
    ],
)
@pytest.mark.asyncio
async def test_what_can_not_be_cited_is_a_mistake_of_the_test(cite, asked, reason):
    with pytest.raises(ScriptError) as caught, ClaudeAPI() as api:
        api.reply(Text("a", cite))
        async with api.client(max_retries=2) as client:
            with pytest.raises(anthropic.InternalServerError, match="stand-in: ScriptError"):
                await client.messages.create(**asked)
        assert len(api.requests) == 1
    assert reason in str(caught.value)


@pytest.mark.asyncio
async def test_thinking_comes_first(api):
    message = await both(api, reply(Thinking(), Thinking("Let me see."), "It costs 5 EUR."))
    assert [block.type for block in message.content] == ["thinking", "thinking", "text"]
    assert [block.thinking for block in message.content[:2]] == ["", "Let me see."]
    assert all(block.signature for block in message.content[:2])


@pytest.mark.asyncio
async def test_thinking_is_silent_before_the_text(api):
    api.reply(Thinking(), "Yes.")
    async with api.client() as client:
        kinds = await event_types(client)
    assert kinds[:4] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "signature",
    ]
    assert "thinking" not in kinds


@pytest.mark.asyncio
async def test_structured_output(api):
    message = await both(api, structured({"keywords": ["late fee", "Köln"]}), KEYWORDS)
    assert json.loads(message.content[0].text) == {"keywords": ["late fee", "Köln"]}


@pytest.mark.asyncio
async def test_a_call_of_a_tool(api):
    said = reply("Let me look.", ToolUse("search", {"keywords": '["late fee"]'}))
    message = await both(api, said)
    assert message.stop_reason == "tool_use"
    assert message.content[1].input == {"keywords": '["late fee"]'}


@pytest.mark.asyncio
async def test_a_call_of_a_tool_that_is_cut_off(api):
    api.reply(ToolUse("search", json='{"keywords": ["late f'), stop_reason="max_tokens")
    async with api.client() as client:
        message = await streamed(client)
    assert message.stop_reason == "max_tokens"
    assert message.content[0].input == {"keywords": []}


@pytest.mark.parametrize("partial", [(), ("Take two parts of",)])
@pytest.mark.asyncio
async def test_a_refusal(api, partial):
    message = await both(api, refusal(*partial, category="bio", explanation="No."))
    assert message.stop_reason == "refusal"
    assert message.stop_details.to_dict() == {
        "type": "refusal",
        "category": "bio",
        "explanation": "No.",
    }
    assert tuple(block.text for block in message.content) == partial


@pytest.mark.parametrize(
    "reason", ["max_tokens", "pause_turn", "model_context_window_exceeded", "a_new_one"]
)
@pytest.mark.asyncio
async def test_other_reasons_to_stop(api, reason):
    message = await both(api, reply("As shown in [", stop_reason=reason))
    assert (message.content[0].text, message.stop_reason) == ("As shown in [", reason)


@pytest.mark.asyncio
async def test_a_stop_sequence(api):
    message = await both(api, reply("One", stop_reason="stop_sequence", stop_sequence="END"))
    assert message.stop_sequence == "END"


@pytest.mark.asyncio
async def test_empty_content(api):
    message = await both(api, reply())
    assert (message.content, message.stop_reason) == ([], "end_turn")


@pytest.mark.asyncio
async def test_an_empty_text(api):
    message = await both(api, reply(""))
    assert [block.text for block in message.content] == [""]


@pytest.mark.asyncio
async def test_usage(api):
    counted = {"input_tokens": 1200, "output_tokens": 34, "cache_read_input_tokens": 800}
    message = await both(api, reply("Yes.", usage={**counted, "thinking_tokens": 9}))
    assert {name: getattr(message.usage, name) for name in counted} == counted
    assert message.usage.output_tokens_details.thinking_tokens == 9


@pytest.mark.asyncio
async def test_usage_is_made_up_from_the_lengths(api):
    message = await both(api, reply("word " * 40))
    assert message.usage.output_tokens == 50
    assert message.usage.input_tokens == api.requests[0].characters // 4


# ---- how it streams


@pytest.mark.asyncio
async def test_the_events_of_a_stream(api):
    api.reply(Text(["It costs ", "5 EUR."], Cite(0)))
    seen = []
    async with api.client() as client, client.messages.stream(**ASK) as stream:
        async for event in stream:
            seen.append((event.type, getattr(event, "text", None)))
        assert stream.request_id == f"req_{api.requests[0].number:024d}"
    assert seen == [
        ("message_start", None),
        ("content_block_start", None),
        ("content_block_delta", None),
        ("text", "It costs "),
        ("content_block_delta", None),
        ("text", "5 EUR."),
        ("content_block_delta", None),
        ("citation", None),
        ("content_block_stop", None),
        ("message_delta", None),
        ("message_stop", None),
    ]


@pytest.mark.parametrize(
    "place, order", [("start", "citation text text"), ("middle", "text citation text")]
)
@pytest.mark.asyncio
async def test_citations_may_come_before_or_among_their_text(api, place, order):
    api.reply(Text("It costs", Cite(0)), cite_at=place)
    async with api.client() as client:
        kinds = await event_types(client)
    assert [kind for kind in kinds if kind in ("text", "citation")] == order.split()


@pytest.mark.parametrize("size, count", [(0, 1), (1, 7), (3, 3), (100, 1)])
@pytest.mark.asyncio
async def test_how_many_words_make_a_delta(api, size, count):
    text = "  one two\n\nthree four five six  "
    api.reply(text, words_per_delta=size)
    async with api.client() as client, client.messages.stream(**ASK) as stream:
        deltas = [delta async for delta in stream.text_stream]
    assert ("".join(deltas), len(deltas)) == (text, count)


@pytest.mark.asyncio
async def test_pings_are_dropped_and_unknown_events_passed_on(api):
    api.reply("Yes.", pings=True, unknown_events=True)
    async with api.client() as client:
        kinds = await event_types(client)
        message = await streamed(client)
    assert "ping" not in kinds
    # After each of the six events and of their pings.
    assert kinds.count("message_mood") == 12
    assert message.stop_reason == "end_turn"


CHUNKED = reply(
    Thinking("Hm."),
    Text("Zürich, Köln, 漢字 and 😀: \x85 \u2028 all", Cite(0, 0, 3), Cite(1, 1)),
    " free.",
    pings=True,
)


def test_no_chunking_is_seen():
    """Cut anywhere, inside characters and line ends too, a stream gives the same message."""
    loop = asyncio.new_event_loop()
    with ClaudeAPI() as api:
        client = api.client()
        api.script(CHUNKED)
        expected = plain(loop.run_until_complete(streamed(client)))
        size = api.requests[0].bytes_sent

        @settings(max_examples=60)
        @given(
            st.one_of(st.integers(1, 40), st.lists(st.integers(0, size), max_size=60)),
            st.sampled_from(["\n", "\r\n", "\r"]),
        )
        def same(split, newline):
            api.script(replace(CHUNKED, split=split, newline=newline))
            assert plain(loop.run_until_complete(streamed(client))) == expected

        same()
        api.script(replace(CHUNKED, split=1))
        assert plain(loop.run_until_complete(streamed(client))) == expected
        loop.run_until_complete(client.close())
    loop.close()
    assert expected["content"][1]["text"].startswith("Zürich, Köln, 漢字 and 😀")


@pytest.mark.asyncio
async def test_deltas_a_second(api):
    api.reply("one two three four", deltas_per_second=50)
    async with api.client() as client:
        start = time.monotonic()
        await streamed(client)
    assert time.monotonic() - start >= 4 / 50


# ---- scripts


@pytest.mark.asyncio
async def test_a_script_is_consumed_in_order_and_then_the_default_serves(api):
    api.script([reply("one"), lambda request: reply(f"two for {request.model}")])
    api.reply(reply("three"), stop_reason="max_tokens")
    async with api.client() as client:
        messages = [await client.messages.create(**ask()) for _ in range(4)]
    said = [message.content[0].text for message in messages]
    assert messages[2].stop_reason == "max_tokens"
    assert said[:3] == ["one", "two for claude-sonnet-5-5", "three"]
    assert said[3].startswith("Nothing was scripted")
    assert api.unused == 0


@pytest.mark.asyncio
async def test_a_function_answers_every_call(api):
    api.script(lambda request: reply(request.last_user_text.upper()))
    async with api.client() as client:
        said = [(await client.messages.create(**ASK)).content[0].text for _ in range(2)]
    assert said == ["WHAT DOES THE ANNUAL PLAN COST?"] * 2


@pytest.mark.asyncio
async def test_a_reply_to_one_kind_of_call_waits_for_it(api):
    api.reply("The answer.", to="answer")
    api.script(failure(529), to="keywords")
    async with api.client() as client:
        with pytest.raises(anthropic.OverloadedError):
            await client.messages.create(**KEYWORDS)
        answer = await client.messages.create(**ASK)
        default = await client.messages.create(**ASK)
    assert answer.content[0].text == "The answer."
    assert default.content[0].text == FEES[0]


@pytest.mark.asyncio
async def test_reset_forgets_everything(api):
    api.script(failure(500))
    api.reply(failure(400))
    async with api.client() as client:
        with pytest.raises(anthropic.BadRequestError):
            await client.messages.create(**ASK)
        api.reset()
        assert (api.requests, api.unused) == ([], 0)
        message = await client.messages.create(**ASK)
    assert message.content[0].text == FEES[0]


@pytest.mark.asyncio
async def test_without_a_script_keywords_come_from_the_question(api):
    async with api.client() as client:
        message = await client.messages.create(**KEYWORDS)
    assert json.loads(message.content[0].text) == {"keywords": ["annual", "plan", "cost"]}


@pytest.mark.asyncio
async def test_without_a_script_any_schema_is_followed(api):
    schema = {
        "$defs": {"word": {"type": "string"}},
        "type": "object",
        "properties": {
            "language": {"type": "string", "enum": ["de", "en"]},
            "count": {"type": "integer"},
            "first": {"$ref": "#/$defs/word"},
            "maybe": {"anyOf": [{"type": "null"}, {"type": "string"}]},
            "pairs": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
        },
        "additionalProperties": False,
    }
    asked = {**KEYWORDS, "output_config": {"format": {"type": "json_schema", "schema": schema}}}
    async with api.client() as client:
        message = await client.messages.create(**asked)
    assert json.loads(message.content[0].text) == {
        "language": "de",
        "count": 1,
        "first": "annual plan cost",
        "maybe": None,
        "pairs": [["annual", "plan", "cost"]],
    }


@pytest.mark.asyncio
async def test_without_a_script_a_forced_tool_is_called(api):
    schema = KEYWORDS["output_config"]["format"]["schema"]
    asked = ask(
        model="claude-haiku-5-5",
        tools=[{"name": "search", "input_schema": schema}],
        tool_choice={"type": "tool", "name": "search"},
    )
    async with api.client() as client:
        message = await client.messages.create(**asked)
    assert message.content[0].input == {"keywords": ["annual", "plan", "cost"]}


@pytest.mark.asyncio
async def test_without_a_script_the_first_blocks_are_cited(api):
    async with api.client() as client:
        message = await streamed(client)
    first, _, second = message.content
    assert [first.text, second.text] == [FEES[0], RULES[0]]
    assert first.citations[0].cited_text == FEES[0]
    assert second.citations[0].search_result_index == 1


# ---- what it records


@pytest.mark.asyncio
async def test_what_is_recorded_of_a_request(api):
    before = time.monotonic()
    async with api.client() as client:
        await streamed(client)
    (request,) = api.requests
    assert before < request.time < time.monotonic()
    assert (request.method, request.path, request.status) == ("POST", "/v1/messages", 200)
    assert request.headers["content-type"] == "application/json"
    assert request.body == {**ASK, "stream": True}
    assert (request.stream, request.wants_json, request.refused) == (True, False, None)
    assert request.system == "Answer from the sources."
    assert request.last_user_text == "What does the annual plan cost?"
    assert [each["title"] for each in request.search_results] == ["Fees", "Rules"]


@pytest.mark.asyncio
async def test_connections_are_counted(api):
    api.script(reply("Slow.", delay_headers=0.2))
    async with api.client() as client:
        await asyncio.gather(*[client.messages.create(**ASK) for _ in range(5)])
        assert api.connections == api.most_connections == 5
        await client.messages.create(**ASK)
    assert len({each.connection for each in api.requests}) == 5


@pytest.mark.asyncio
async def test_waiting_for_a_request_that_does_not_come(api):
    with pytest.raises(AssertionError, match="0 of 1 requests"):
        await api.arrived(within=0.01)


def test_a_moment_can_be_waited_for_in_a_thread_and_in_a_loop():
    moment = Moment()
    assert not moment.wait(0.001)
    assert not asyncio.run(moment.within(0.001))
    threading.Timer(0.02, moment.happen).start()
    assert moment.wait(2)
    assert asyncio.run(moment.within(0))
    first = moment.time
    moment.happen()
    assert moment.time == first


def test_one_server_serves_several_loops(api):
    async def once() -> str:
        async with api.client() as client:
            return (await client.messages.create(**ASK)).content[0].text

    assert [asyncio.run(once()) for _ in range(3)] == [FEES[0]] * 3


def test_leaving_ends_the_thread_and_frees_the_port(api):
    with ClaudeAPI() as first:
        port = int(first.base_url.rpartition(":")[2])
        assert [each.name for each in threading.enumerate()].count("claude-api") == 2
    assert [each.name for each in threading.enumerate()].count("claude-api") == 1
    with ClaudeAPI(port=port) as second:
        assert second.base_url == first.base_url


@pytest.mark.parametrize(
    "sent", [b"nonsense\r\n\r\n", b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"]
)
def test_what_the_sdk_never_sends_is_an_error_of_the_test(sent):
    with pytest.raises((ValueError, NotImplementedError)), ClaudeAPI() as api:
        host, _, port = api.base_url.removeprefix("http://").rpartition(":")
        with socket.create_connection((host, int(port)), timeout=5) as client:
            client.sendall(sent)
            assert client.recv(10) == b""
        assert len(api.errors) == 1


@pytest.mark.asyncio
async def test_leaving_while_a_reply_is_stalled():
    with ClaudeAPI() as api:
        api.reply(stall=1)
        client = api.client()
        task = asyncio.create_task(streamed(client))
        request = await api.arrived()
    (error,) = await asyncio.gather(task, return_exceptions=True)
    assert isinstance(error, Exception)
    # It was this side that went away.
    assert not request.disconnected
    await client.close()


# ---- in a process of its own


def test_the_command_line():
    """Servable from another process, for benchmarks; with a key, a length and a pace."""
    options = ["--key", "sk-bench", "--words", "5", "--deltas-per-second", "100"]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.claude_api", *options],
        cwd=Path(__file__).resolve().parents[1],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        base_url = process.stdout.readline().strip()

        async def deltas() -> list[str]:
            client = ClaudeAPI().client(base_url=base_url, api_key="sk-bench")
            async with client, client.messages.stream(**ASK) as stream:
                return [text async for text in stream.text_stream]

        start = time.monotonic()
        said = asyncio.run(deltas())
        took = time.monotonic() - start
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0
    assert said == ["word0", " word1", " word2", " word3", " word4"]
    assert took >= 0.05
