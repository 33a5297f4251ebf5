"""The stand-in refuses what the Claude API refuses, and takes what it takes."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest

from .claude_api import ClaudeAPI

pytestmark = pytest.mark.asyncio

USER = {"role": "user", "content": "What does it cost?"}
ASSISTANT = {"role": "assistant", "content": "It costs ("}
TOOL = {"name": "search", "input_schema": {"type": "object", "properties": {}}}
TEXT_FILE = {"type": "text", "media_type": "text/plain", "data": "Fees."}
OBJECT: dict[str, Any] = {"type": "object", "additionalProperties": False}
STRINGS = {"type": "array", "items": {"type": "string"}}
GONE = object()


@pytest.fixture
def api():
    with ClaudeAPI() as server:
        yield server


def request(**changes: Any) -> dict[str, Any]:
    """A body that is accepted, with these changes; a parameter that is GONE is left out."""
    body = {
        "model": "claude-haiku-5-5",
        "max_tokens": 300,
        "system": "Be brief.",
        "messages": [USER],
        "thinking": {"type": "disabled"},
        **changes,
    }
    return {name: value for name, value in body.items() if value is not GONE}


def user(*blocks: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": list(blocks)}]


def text(said: str = "Why?", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def source(*sentences: str, cited: bool = True, **changes: Any) -> dict[str, Any]:
    block = {
        "type": "search_result",
        "source": "/db/fees/1",
        "title": "Fees",
        "content": [text(sentence) for sentence in sentences or ["It is 5 EUR."]],
        "citations": {"enabled": cited},
        **changes,
    }
    return {name: value for name, value in block.items() if value is not GONE}


def document(cited: bool, **more: Any) -> dict[str, Any]:
    return {"type": "document", "source": TEXT_FILE, "citations": {"enabled": cited}, **more}


def schema(**properties: Any) -> dict[str, Any]:
    return output({**OBJECT, "properties": properties})


def output(said: Any) -> dict[str, Any]:
    return {"output_config": {"format": {"type": "json_schema", "schema": said}}}


def effort(level: str) -> dict[str, Any]:
    return {"output_config": {"effort": level}}


def forced(model: str, kind: str = "any", **more: Any) -> dict[str, Any]:
    choice = {"type": kind, **({"name": "search"} if kind == "tool" else {}), **more}
    return {"model": model, "thinking": GONE, "tools": [TOOL], "tool_choice": choice}


def thinking(model: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"model": model, "thinking": {"type": kind, **more}, "max_tokens": 4000}


def recursive() -> dict[str, Any]:
    node = {**OBJECT, "properties": {"next": {"$ref": "#/$defs/node"}}}
    return {"$defs": {"node": node}, "$ref": "#/$defs/node"}


PREFILL = "This model does not support assistant message prefill."
FORCED = 'tool_choice: type "tool" and "any" are not supported for this model.'
DISABLED = '"thinking.type.disabled" is not supported for this model'
EXTRA = "Extra inputs are not permitted"
CLOSED = "For 'object' type, 'additionalProperties' must be explicitly set to false"

REFUSED = {
    # parameters
    "no-max_tokens": ({"max_tokens": GONE}, "max_tokens: Field required"),
    "no-messages": ({"messages": GONE}, "messages: Field required"),
    "no-model": ({"model": GONE}, "model: Field required"),
    "max_tokens-text": ({"max_tokens": "300"}, "max_tokens: Input should be a valid integer"),
    "max_tokens-negative": ({"max_tokens": -1}, "greater than or equal to 0"),
    "max_tokens-large": ({"max_tokens": 128_001}, "max_tokens: 128001 > 128000, which is"),
    "system-type": ({"system": {"text": "a"}}, "system: Input should be a valid list"),
    "system-message": ({"system": [{"type": "image"}]}, "system.0: Input tag 'image'"),
    "system-empty": ({"system": [text("")]}, "non-whitespace text"),
    "stream-type": ({"stream": "yes"}, "stream: Input should be a valid boolean"),
    "unknown": ({"max_output": 5}, f"max_output: {EXTRA}"),
    "output_format": ({"output_format": {}}, "output_format: This field is deprecated."),
    "temperature": ({"temperature": 1}, f"temperature: {EXTRA}"),
    "top_p": ({"top_p": 0.5}, f"top_p: {EXTRA}"),
    "top_k": ({"top_k": 5}, f"top_k: {EXTRA}"),
    # messages and blocks
    "no-message": ({"messages": []}, "messages: at least one message is required"),
    "message-empty": ({"messages": user()}, "user messages must have non-empty content"),
    "message-role": ({"messages": [{**USER, "role": "bot"}]}, "messages.0.role: Input should be"),
    "message-extra": ({"messages": [{**USER, "name": "me"}]}, f"messages.0.name: {EXTRA}"),
    "message-type": ({"messages": ["Why?"]}, "messages.0: Input should be a valid dictionary"),
    "message-no-content": ({"messages": [{"role": "user"}]}, "messages.0.content: Field required"),
    "block-unknown": ({"messages": user({"type": "table"})}, "Input tag 'table'"),
    "block-type": ({"messages": user("Why?")}, "messages.0.content.0: Input should be a valid"),
    "text-blank": ({"messages": user(text(" "))}, "must contain non-whitespace text"),
    "text-citations": (
        {"messages": user(text(citations=[]))},
        "messages.0.content.0.text.citations: not permitted in user messages",
    ),
    "prefill": ({"messages": [USER, ASSISTANT]}, PREFILL),
    "prefill-sonnet": (
        {**thinking("claude-sonnet-5-5", "adaptive"), "messages": [USER, ASSISTANT]},
        PREFILL,
    ),
    "assistant-document": (
        {"messages": [USER, {"role": "assistant", "content": [document(False)]}, USER]},
        "`document` blocks are not permitted in assistant messages",
    ),
    "five-caches": (
        {"messages": user(*[text(cache_control={"type": "ephemeral"})] * 5)},
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    # search results and citations
    "source-no-text": ({"messages": user(source(content=[]))}, "at least one text block"),
    "source-no-content": ({"messages": user(source(content=GONE))}, "content: Field required"),
    "source-empty-text": ({"messages": user(source(""), text())}, "non-whitespace text"),
    "source-image": ({"messages": user(source(content=[{"type": "image"}]))}, "Input tag 'image'"),
    "source-no-source": ({"messages": user(source(source=GONE))}, "source: Field required"),
    "source-no-title": ({"messages": user(source(title=GONE))}, "title: Field required"),
    "source-null-title": ({"messages": user(source(title=None))}, "title: Field required"),
    "source-extra": ({"messages": user(source(date="2026"))}, f"search_result.date: {EXTRA}"),
    "source-flag": (
        {"messages": user(source(citations=True))},
        "citations: Input should be a valid",
    ),
    "source-title-blank": ({"messages": user(source(title=" "))}, "title: must not be empty"),
    "source-citations-extra": (
        {"messages": user(source(citations={"enabled": True, "style": "n"}))},
        f"search_result.citations: {EXTRA}",
    ),
    "citations-mixed": (
        {"messages": user(source(), source(cited=False), text())},
        "citations must be enabled for all or none",
    ),
    "citations-mixed-kinds": (
        {"messages": user(source(), document(False), text())},
        "citations must be enabled for all or none",
    ),
    "citations-and-format": (
        {"messages": user(source(), text()), **schema(keywords=STRINGS)},
        "output_config.format: not supported together with citations",
    ),
    # thinking and effort
    "disabled-sonnet": (thinking("claude-sonnet-5-5", "disabled"), DISABLED),
    "disabled-opus": (thinking("claude-opus-5-5", "disabled"), DISABLED),
    "disabled-fable": (thinking("claude-fable-5-2", "disabled"), DISABLED),
    "disabled-xhigh": (effort("xhigh"), f'{DISABLED} with effort "xhigh"'),
    **{
        f"enabled-{model}": (
            thinking(f"claude-{model}", "enabled", budget_tokens=2000),
            '"thinking.type.enabled" is not supported for this model',
        )
        for model in ("haiku-5-5", "sonnet-5-5", "opus-5-5")
    },
    "between_tools-haiku": (thinking("claude-haiku-5-5", "between_tools"), "is not supported"),
    "between_tools-max": (
        {**thinking("claude-sonnet-5-5", "between_tools"), **effort("max")},
        '"thinking.type.between_tools" is not supported for this model with effort "max"',
    ),
    "thinking-unknown": (thinking("claude-haiku-5-5", "off"), "thinking.type: Input should be"),
    "thinking-extra": (
        thinking("claude-haiku-5-5", "disabled", budget_tokens=0),
        f"thinking.disabled.budget_tokens: {EXTRA}",
    ),
    "thinking-display": (
        thinking("claude-opus-5-5", "adaptive", display="full"),
        "thinking.adaptive.display: Input should be",
    ),
    "budget-small": (thinking("claude-haiku-4-5", "enabled", budget_tokens=5), "equal to 1024"),
    "budget-large": (
        thinking("claude-haiku-4-5", "enabled", budget_tokens=4000),
        "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    "effort-unknown": (effort("tiny"), "output_config.effort: Input should be one of"),
    "effort-none": (
        {"model": "claude-haiku-4-5", **effort("low")},
        "This model does not support the effort parameter.",
    ),
    "effort-level": (
        {"model": "claude-sonnet-4-6", **effort("xhigh")},
        "This model does not support effort level 'xhigh'.",
    ),
    "output_config-extra": ({"output_config": {"schema": {}}}, f"output_config.schema: {EXTRA}"),
    # schemas
    "schema-open": (output({"type": "object", "properties": {}}), CLOSED),
    "schema-open-inside": (schema(a={"type": "array", "items": {"type": "object"}}), CLOSED),
    "schema-maxItems": (
        schema(keywords={**STRINGS, "maxItems": 5}),
        "output_config.format.schema: For 'array' type, property 'maxItems' is not supported",
    ),
    "schema-minItems": (schema(keywords={**STRINGS, "minItems": 2}), "'minItems' values other"),
    **{
        f"schema-{keyword}": (
            schema(a={"type": kind, keyword: 3}),
            f"For '{kind}' type, property '{keyword}' is not supported",
        )
        for kind, keyword in (
            ("string", "minLength"),
            ("string", "maxLength"),
            ("integer", "minimum"),
            ("number", "maximum"),
        )
    },
    "schema-recursive": (output(recursive()), "Recursive definitions are not supported"),
    "schema-reference": (output({"$ref": "#/$defs/a"}), "Could not resolve reference"),
    "schema-missing": (
        {"output_config": {"format": {"type": "json_schema"}}},
        "output_config.format.schema: Input should be a valid dictionary",
    ),
    "format-extra": (
        {"output_config": {"format": {"type": "json_schema", "schema": OBJECT, "name": "x"}}},
        f"output_config.format.name: {EXTRA}",
    ),
    "format-prefill": (
        {"model": "claude-haiku-4-5", "messages": [USER, ASSISTANT], **schema(keywords=STRINGS)},
        "output_config.format: not supported together with prefill",
    ),
    "schema-type": (schema(a="string"), "Schema should be an object, not 'string'"),
    "format-type": ({"output_config": {"format": {"type": "json"}}}, "should be 'json_schema'"),
    # tools
    **{
        f"forced-{kind}-{model}": (forced(f"claude-{model}", kind), FORCED)
        for kind in ("any", "tool")
        for model in ("sonnet-5-5", "opus-5-5", "fable-5-1", "mythos-5-1", "fable-5-2")
    },
    "forced-thinking": (
        {
            **forced("claude-haiku-4-5"),
            **thinking("claude-haiku-4-5", "enabled", budget_tokens=2000),
        },
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
    "forced-strict": (forced("claude-haiku-5-5", strict=True), f"any.strict: {EXTRA}"),
    "forced-unknown": (
        {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "other"}},
        "Tool 'other' not found in provided tools",
    ),
    "forced-nothing": ({"tool_choice": {"type": "any"}}, "only be specified while providing tools"),
    "choice-unknown": (
        {"tools": [TOOL], "tool_choice": {"type": "all"}},
        "tool_choice.type: Input should be",
    ),
    "tool-no-schema": ({"tools": [{"name": "search"}]}, "input_schema: Field required"),
    "tool-schema-type": (
        {"tools": [{"name": "search", "input_schema": {"type": "array"}}]},
        "tools.0.custom.input_schema.type: Input should be 'object'",
    ),
    "tool-strict-schema": ({"tools": [{**TOOL, "strict": True}]}, CLOSED),
    "tool-name": ({"tools": [{**TOOL, "name": "a b"}]}, "tools.0.custom.name: String should match"),
}


@pytest.mark.parametrize("changes, message", REFUSED.values(), ids=REFUSED.keys())
async def test_what_is_refused(api, changes, message):
    api.reply("not asked for")
    async with api.client() as client:
        with pytest.raises(anthropic.BadRequestError) as caught:
            await client.post("/v1/messages", body=request(**changes), cast_to=object)
    error = caught.value
    assert message in error.api_message
    assert (error.status_code, error.type) == (400, "invalid_request_error")
    assert error.body["type"] == "error"
    assert error.request_id == error.body["request_id"] == error.response.headers["request-id"]
    # The script waits for a request that the API would have answered.
    assert api.unused == 1
    assert [each.refused for each in api.refused] == [error.api_message]


ACCEPTED = {
    "plain": {},
    "system-blocks": {"system": [text(cache_control={"type": "ephemeral", "ttl": "1h"})]},
    "disabled-high": effort("high"),
    "adaptive": thinking("claude-opus-5-5", "adaptive", display="summarized"),
    "between_tools": {**thinking("claude-sonnet-5-5", "between_tools"), **effort("high")},
    "adaptive-max": {**thinking("claude-sonnet-5-5", "adaptive"), **effort("max")},
    "disabled-sonnet-5": thinking("claude-sonnet-5", "disabled"),
    "enabled-haiku-4-5": thinking("claude-haiku-4-5", "enabled", budget_tokens=2000),
    "format": schema(keywords={**STRINGS, "minItems": 1, "description": "At most 5."}),
    "format-without-citations": {
        "messages": user(source(cited=False), text()),
        **schema(keywords=STRINGS),
    },
    "forced-haiku": forced("claude-haiku-5-5"),
    "forced-sonnet-5": forced("claude-sonnet-5", "tool"),
    "auto-sonnet": forced("claude-sonnet-5-5", "auto"),
    "sources": {"messages": user(source(), source(), document(True), text())},
    "sources-in-a-tool-result": {
        "messages": [
            USER,
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {}}]},
            *user({"type": "tool_result", "tool_use_id": "t1", "content": [source()]}),
        ],
        "tools": [TOOL],
    },
    "history-with-citations": {
        "messages": [USER, {"role": "assistant", "content": [text(citations=[])]}, USER]
    },
    "prefill-haiku-4-5": {"model": "claude-haiku-4-5", "messages": [USER, ASSISTANT]},
}  # fmt: skip


@pytest.mark.parametrize("changes", ACCEPTED.values(), ids=ACCEPTED.keys())
async def test_what_is_accepted(api, changes):
    async with api.client() as client:
        message = await client.post(
            "/v1/messages", body=request(**changes), cast_to=anthropic.types.Message
        )
    assert message.content
    assert api.refused == []


@pytest.mark.parametrize(
    "headers, message",
    [
        # The SDK itself never sends a call without any key, so another scheme stands for none.
        ({"authorization": "Basic c2s="}, "x-api-key header is required"),
        ({"authorization": "Bearer sk-revoked"}, "invalid bearer token"),
        ({"authorization": anthropic.omit, "x-api-key": "sk-revoked"}, "invalid x-api-key"),
    ],
)
async def test_a_missing_or_invalid_key(api, headers, message):
    async with api.client() as client:
        with pytest.raises(anthropic.AuthenticationError) as caught:
            await client.messages.create(**request(), extra_headers=headers)
    assert (caught.value.type, caught.value.api_message) == ("authentication_error", message)


@pytest.mark.parametrize("key", ["", " ", "sk-ant-stand-in\n"])
async def test_a_key_that_is_no_header_fails_before_it_is_sent(api, key):
    async with api.client(api_key=key) as client:
        with pytest.raises(anthropic.APIConnectionError) as caught:
            await client.messages.create(**request())
    # Neither a 401 nor a request; and the cause, unlike the error, quotes the key.
    assert api.requests == []
    assert str(caught.value) == "Connection error."
    assert f"Bearer {key}".encode("unicode_escape").decode() in str(caught.value.__cause__)


async def test_both_ways_to_send_a_key(api):
    headers = {"authorization": anthropic.omit, "x-api-key": api.key}
    async with api.client() as client:
        await client.messages.create(**request())
        await client.messages.create(**request(), extra_headers=headers)
    assert [each.status for each in api.requests] == [200, 200]
    assert api.requests[0].headers["authorization"] == f"Bearer {api.key}"
    assert api.requests[0].headers["anthropic-version"] == "2026-10-21"


async def test_a_key_can_be_revoked(api):
    async with api.client() as client:
        await client.messages.create(**request())
        api.keys.clear()
        with pytest.raises(anthropic.AuthenticationError, match="invalid bearer token"):
            await client.messages.create(**request())
    assert [each.status for each in api.requests] == [200, 401]


async def test_the_sdk_does_not_send_a_call_without_a_key(api, monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    async with api.client(api_key=None) as client:
        with pytest.raises(TypeError, match="Could not resolve authentication method"):
            await client.messages.create(**request())
    assert api.requests == []


@pytest.mark.parametrize("model", ["claude-3-haiku", "claude-mythos-preview", "claude-opus-5"])
async def test_a_model_that_is_not_there(api, model):
    api.retired.add("claude-opus-5")
    async with api.client() as client:
        with pytest.raises(anthropic.NotFoundError) as caught:
            await client.post("/v1/messages", body=request(model=model), cast_to=object)
    assert caught.value.type == "not_found_error"
    assert caught.value.api_message == f"model: {model}"


async def test_sampling_under_an_older_version(api):
    older = {"headers": {"anthropic-version": "2023-06-01"}}
    async with api.client() as client:
        for model, value in (("claude-haiku-5-5", 1), ("claude-haiku-4-5", 0.2)):
            body = request(model=model, temperature=value)
            await client.post("/v1/messages", body=body, cast_to=object, options=older)
        with pytest.raises(anthropic.BadRequestError, match="`temperature` is deprecated"):
            await client.post(
                "/v1/messages", body=request(temperature=0.2), cast_to=object, options=older
            )
    assert [each.status for each in api.requests] == [200, 200, 400]


@pytest.mark.parametrize(
    "version, message",
    [("", "anthropic-version: header is required"), ("2030-01-01", "is not a valid version")],
)
async def test_versions(api, version, message):
    headers = {"headers": {"anthropic-version": version}}
    async with api.client() as client:
        with pytest.raises(anthropic.BadRequestError, match=message):
            await client.post("/v1/messages", body=request(), cast_to=object, options=headers)
    assert api.requests[0].refused


async def test_a_prompt_that_is_too_long(api):
    long = user(source("word " * 300), text())
    async with api.client() as client:
        await client.messages.create(**request(messages=long))
        api.max_prompt_chars = 1000
        with pytest.raises(anthropic.BadRequestError) as caught:
            await client.messages.create(**request(messages=long))
        await client.messages.create(**request(messages=user(source("word"), text())))
    # "Be brief.", "/db/fees/1", "Fees", the passage and "Why?": 1527 characters.
    assert caught.value.api_message == "prompt is too long: 381 tokens > 250 maximum"
    assert [each.status for each in api.requests] == [200, 400, 200]


async def test_a_prompt_beyond_the_context_of_the_model(api):
    long = request(model="claude-haiku-4-5", messages=user(text("word " * 170_000)))
    async with api.client() as client:
        with pytest.raises(anthropic.BadRequestError, match="prompt is too long"):
            await client.messages.create(**long)
        await client.messages.create(**{**long, "model": "claude-haiku-5-5"})
    assert [each.status for each in api.requests] == [400, 200]


async def test_a_body_that_is_too_large(api):
    async with api.client() as client:
        with pytest.raises(anthropic.ContentTooLargeError) as caught:
            await client.messages.create(**request(system="a" * 33_000_000 + "é" * 600_000))
    assert caught.value.type == "request_too_large"


@pytest.mark.parametrize("content", [b"{", b"[1]", b""])
async def test_a_body_that_is_no_object(api, content):
    async with api.client() as client:
        with pytest.raises(anthropic.BadRequestError) as caught:
            await client.post("/v1/messages", content=content, cast_to=object)
    assert caught.value.type == "invalid_request_error"


@pytest.mark.parametrize(
    "path, status", [("/messages", 404), ("/v1/v1/messages", 404), ("/v1/models/x", 405)]
)
async def test_another_address(api, path, status):
    async with api.client() as client:
        with pytest.raises(anthropic.APIStatusError) as caught:
            await client.post(path, body=request(), cast_to=object)
    assert caught.value.status_code == status


async def test_a_refused_stream_fails_when_it_is_opened(api):
    opened = []
    async with api.client() as client:
        with pytest.raises(anthropic.BadRequestError, match="prefill"):
            async with client.messages.stream(**request(messages=[USER, ASSISTANT])):
                opened.append(True)
    assert opened == []


async def test_counting_tokens_follows_the_same_rules(api):
    body = request(max_tokens=GONE, messages=user(source("word " * 400), text()))
    async with api.client() as client:
        counted = await client.messages.count_tokens(**body)
        with pytest.raises(anthropic.BadRequestError, match="tool_choice: type"):
            await client.messages.count_tokens(
                **{**body, **forced("claude-sonnet-5-5"), "thinking": {"type": "adaptive"}}
            )
    assert counted.input_tokens == (len("Be brief./db/fees/1FeesWhy?") + 2000) // 4


async def test_the_catalogue_of_models(api):
    api.retired.add("claude-opus-5")
    async with api.client() as client:
        sonnet = await client.models.retrieve("claude-sonnet-5-5")
        listed = {model.id: model.lifecycle async for model in client.models.list()}
        with pytest.raises(anthropic.NotFoundError):
            await client.models.retrieve("claude-nobody")
    assert (sonnet.max_tokens, sonnet.max_input_tokens) == (128_000, 1_000_000)
    assert sonnet.capabilities.thinking.types.between_tools.supported
    assert not sonnet.capabilities.thinking.types.disabled.supported
    assert listed["claude-sonnet-5-5"] == "active"
    assert listed["claude-opus-5"] == listed["claude-mythos-preview"] == "retired"
