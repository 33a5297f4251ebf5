"""What the real API refuses, as far as documentation and reports tell.

Verbatim from reports are the texts about forced tools, prefill, `additionalProperties`, `maxItems` and
the beginnings of those about thinking; the others are ours, in the form that the API gives them.
Where two sources disagree, the stricter rule is played.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from .models import EFFORTS, MODELS, RETIRED, THINKING, Model
from .recorded import Request, blocks
from .schemas import check_schema
from .shapes import SAMPLING, Refused, check_messages, check_parameters, expect

VERSIONS = ("2023-01-01", "2023-06-01", "2026-10-21")


def check_key(headers: Mapping[str, str], keys: Collection[str]) -> None:
    """A valid key has to be there, as a bearer token or in the older header."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    given = [key for key in (bearer, headers.get("x-api-key", "")) if key]
    if not given:
        raise Refused("x-api-key header is required", 401)
    if not any(key in keys for key in given):
        raise Refused("invalid bearer token" if bearer else "invalid x-api-key", 401)


def check_version(headers: Mapping[str, str]) -> None:
    version = headers.get("anthropic-version")
    if not version:
        raise Refused("anthropic-version: header is required")
    if version not in VERSIONS:
        raise Refused(f'anthropic-version: "{version}" is not a valid version.')


def check_message(request: Request, retired: Collection[str], max_prompt_chars: int | None) -> None:
    """All rules about the body of a message or of a count of tokens."""
    body = request.body
    version = request.headers.get("anthropic-version", "")
    check_parameters(body, request.path, version)
    model = MODELS.get(body["model"])
    if model is None or body["model"] in retired or body["model"] in RETIRED:
        raise Refused(f"model: {body['model']}", 404)
    check_messages(body)
    _check_citations(body)
    _check_sampling(body, model)
    _check_thinking(body, model)
    _check_output(body, model)
    _check_tools(body, model)
    if "max_tokens" in body and body["max_tokens"] > model.max_tokens:
        raise Refused(
            f"max_tokens: {body['max_tokens']} > {model.max_tokens}, which is the maximum allowed "
            f"number of output tokens for {model.name}"
        )
    last = body["messages"][-1]
    if last["role"] == "assistant" and not model.prefill:
        raise Refused(
            "This model does not support assistant message prefill. "
            "The conversation must end with a user message."
        )
    # A token is about four characters of English; the stand-in has no tokenizer.
    tokens, limit = request.characters // 4, model.max_input_tokens
    if max_prompt_chars is not None and request.characters > max_prompt_chars:
        limit = max_prompt_chars // 4
        raise Refused(f"prompt is too long: {max(tokens, limit + 1)} tokens > {limit} maximum")
    if tokens > limit:
        raise Refused(f"prompt is too long: {tokens} tokens > {limit} maximum")


def _check_citations(body: dict[str, Any]) -> None:
    flags = {
        bool((block.get("citations") or {}).get("enabled"))
        for _, _, block in blocks(body)
        if block["type"] in ("search_result", "document")
    }
    if len(flags) > 1:
        raise Refused("citations must be enabled for all or none of the documents in a request")
    if flags == {True} and (body.get("output_config") or {}).get("format"):
        raise Refused("output_config.format: not supported together with citations")


def _check_sampling(body: dict[str, Any], model: Model) -> None:
    for name in SAMPLING:
        # Under the newest version they were refused as unknown parameters.
        if name in body and not model.sampling and body[name] != 1:
            raise Refused(f"`{name}` is deprecated for this model.")


def _check_thinking(body: dict[str, Any], model: Model) -> None:
    if "thinking" not in body:
        return
    expect(body["thinking"], dict, "thinking")
    thinking = body["thinking"]
    kind = thinking.get("type")
    if kind not in THINKING:
        raise Refused(f"thinking.type: Input should be one of {', '.join(map(repr, THINKING))}")
    accepted = {"type"}
    accepted |= {"display"} if kind in ("adaptive", "enabled") else set()
    accepted |= {"budget_tokens"} if kind == "enabled" else set()
    for name in thinking.keys() - accepted:
        raise Refused(f"thinking.{kind}.{name}: Extra inputs are not permitted")
    if thinking.get("display") not in (None, "summarized", "omitted"):
        raise Refused(f"thinking.{kind}.display: Input should be 'summarized' or 'omitted'")
    if kind not in model.thinking:
        use = " or ".join(f'"thinking.type.{other}"' for other in model.thinking)
        raise Refused(f'"thinking.type.{kind}" is not supported for this model. Use {use}.')
    if kind == "enabled":
        budget = thinking.get("budget_tokens")
        expect(budget, int, "thinking.enabled.budget_tokens")
        if budget < 1024:
            raise Refused(
                "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
            )
        if budget >= body.get("max_tokens", budget + 1):
            raise Refused("`max_tokens` must be greater than `thinking.budget_tokens`.")


def _check_output(body: dict[str, Any], model: Model) -> None:
    config = body.get("output_config")
    if config is None:
        return
    expect(config, dict, "output_config")
    for name in config.keys() - {"effort", "format"}:
        raise Refused(f"output_config.{name}: Extra inputs are not permitted")
    effort = config.get("effort")
    kind = (body.get("thinking") or {}).get("type")
    if effort is not None:
        if effort not in EFFORTS:
            raise Refused(f"output_config.effort: Input should be one of {', '.join(EFFORTS)}")
        if not model.efforts:
            raise Refused("This model does not support the effort parameter.")
        if effort not in model.efforts:
            raise Refused(
                f"This model does not support effort level '{effort}'. "
                f"Supported levels: {', '.join(model.efforts)}."
            )
        if kind in ("disabled", "between_tools") and effort not in model.efforts_without_thinking:
            raise Refused(
                f'"thinking.type.{kind}" is not supported for this model with effort "{effort}".'
            )
    form = config.get("format")
    if form is None:
        return
    expect(form, dict, "output_config.format")
    if form.get("type") != "json_schema":
        raise Refused("output_config.format.type: Input should be 'json_schema'")
    for name in form.keys() - {"type", "schema"}:
        raise Refused(f"output_config.format.{name}: Extra inputs are not permitted")
    expect(form.get("schema"), dict, "output_config.format.schema")
    if wrong := check_schema(form["schema"]):
        raise Refused(f"output_config.format.schema: {wrong}")
    if body["messages"][-1]["role"] == "assistant":
        raise Refused("output_config.format: not supported together with prefill")


def _check_tools(body: dict[str, Any], model: Model) -> None:
    tools = body.get("tools", [])
    expect(tools, list, "tools")
    for number, tool in enumerate(tools):
        place = f"tools.{number}.custom"
        expect(tool, dict, place)
        for name in ("name", "input_schema"):
            if name not in tool:
                raise Refused(f"{place}.{name}: Field required")
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", str(tool["name"])):
            raise Refused(f"{place}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        expect(tool["input_schema"], dict, f"{place}.input_schema")
        if tool["input_schema"].get("type") != "object":
            raise Refused(f"{place}.input_schema.type: Input should be 'object'")
        if tool.get("strict") and (wrong := check_schema(tool["input_schema"])):
            raise Refused(f"{place}.input_schema: {wrong}")
    choice = body.get("tool_choice")
    if choice is None:
        return
    expect(choice, dict, "tool_choice")
    kind = choice.get("type")
    if kind not in ("auto", "any", "tool", "none"):
        raise Refused("tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'")
    if "strict" in choice:
        raise Refused(f"tool_choice.{kind}.strict: Extra inputs are not permitted")
    if kind in ("any", "tool"):
        if not model.forced_tools:
            raise Refused('tool_choice: type "tool" and "any" are not supported for this model.')
        if (body.get("thinking") or {}).get("type") == "enabled":
            raise Refused("Thinking may not be enabled when tool_choice forces tool use.")
    if not tools and kind != "none":
        raise Refused("tool_choice may only be specified while providing tools.")
    if kind == "tool" and choice.get("name") not in [tool["name"] for tool in tools]:
        raise Refused(f"Tool '{choice.get('name')}' not found in provided tools")
