"""OpenAI's Chat Completions API, as a server speaks it."""

import json
import time
from collections.abc import Iterator
from typing import Any

from bottega.core.clock import new_id
from bottega.core.llm.testing.replies import Received, Reply, example

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "invalid_request_error",
    404: "invalid_request_error",
    429: "requests",
}
ERROR_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
#: Anthropic's words, which replies are written in, and OpenAI's.
FINISH_REASONS = {
    "end_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "stop",
}


def headers() -> dict[str, str]:
    return {"x-request-id": new_id("req_"), "openai-version": "2020-10-01"}


def complaint(request: Received) -> Reply | None:
    if "authorization" not in request.headers:
        return Reply(status=401, text="You didn't provide an API key.")
    for field in ("model", "messages"):
        if field not in request.body:
            return Reply(status=400, text=f"Missing required parameter: '{field}'.")
    return None


def error_body(reply: Reply) -> dict[str, Any]:
    kind = ERROR_TYPES.get(reply.status, "server_error")
    code = ERROR_CODES.get(reply.status)
    return {
        "error": {"message": reply.text or kind, "type": kind, "param": None, "code": code},
    }


def default_reply(request: dict[str, Any]) -> Reply:
    output = request.get("response_format", {})
    if output.get("type") == "json_schema":
        return Reply(json=example(output["json_schema"]["schema"]))
    return Reply(text=f"echo: {last_words(request)}")


def last_words(request: dict[str, Any]) -> str:
    content = request["messages"][-1].get("content") or ""
    if isinstance(content, str):
        return content
    return " ".join(part["text"] for part in content if part.get("type") == "text")


def models() -> dict[str, Any]:
    known = {"id": "loopback", "object": "model", "created": 0, "owned_by": "bottega"}
    return {"object": "list", "data": [known]}


def body(reply: Reply, request: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": _text(reply), "refusal": None}
    if reply.stop_reason == "refusal":
        message |= {"content": None, "refusal": reply.text or "no"}
    if reply.tools:
        message["tool_calls"] = list(_tool_calls(reply))
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": _finish_reason(reply),
    }
    return {**_envelope(request, "chat.completion"), "choices": [choice], "usage": _usage(reply)}


def events(reply: Reply, request: dict[str, Any]) -> Iterator[str]:
    for chunk in _chunks(reply, request):
        yield f"data: {json.dumps(chunk)}"
    yield "data: [DONE]"


def _chunks(reply: Reply, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    envelope = _envelope(request, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    key = "refusal" if reply.stop_reason == "refusal" else "content"
    for piece in reply.pieces(_text(reply) or ""):
        yield chunk({key: piece})
    for index, call in enumerate(_tool_calls(reply)):
        arguments = call["function"].pop("arguments")
        opening = {**call, "function": {**call["function"], "arguments": ""}}
        yield chunk({"tool_calls": [{"index": index, **opening}]})
        for piece in reply.pieces(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, finish=_finish_reason(reply))
    if request.get("stream_options", {}).get("include_usage"):
        yield {**envelope, "choices": [], "usage": _usage(reply)}


def _text(reply: Reply) -> str | None:
    return json.dumps(reply.json) if reply.json is not None else reply.text


def _tool_calls(reply: Reply) -> Iterator[dict[str, Any]]:
    for name, arguments in reply.tools:
        function = {"name": name, "arguments": json.dumps(dict(arguments))}
        yield {"id": new_id("call_"), "type": "function", "function": function}


def _finish_reason(reply: Reply) -> str:
    if reply.stop_reason is None:
        return "tool_calls" if reply.tools else "stop"
    return FINISH_REASONS.get(reply.stop_reason, reply.stop_reason)


def _envelope(request: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        "id": new_id("chatcmpl-"),
        "object": kind,
        "created": int(time.time()),
        "model": request["model"],
        "system_fingerprint": "loopback",
    }


def _usage(reply: Reply) -> dict[str, Any]:
    return {
        "prompt_tokens": reply.usage.input,
        "completion_tokens": reply.usage.output,
        "total_tokens": sum(reply.usage),
    }
