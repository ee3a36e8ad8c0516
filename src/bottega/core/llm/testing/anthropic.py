"""Anthropic's Messages API, as a server speaks it."""

import json
from collections.abc import Iterator
from typing import Any

from bottega.core.clock import new_id
from bottega.core.llm.testing.replies import Received, Reply, example

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def headers() -> dict[str, str]:
    return {"request-id": new_id("req_"), "anthropic-organization-id": "loopback"}


def complaint(request: Received) -> Reply | None:
    if not (request.headers.get("x-api-key") or request.headers.get("authorization")):
        return Reply(status=401, text="x-api-key header is required")
    if "anthropic-version" not in request.headers:
        return Reply(status=400, text="anthropic-version: header is required")
    for field in ("model", "max_tokens", "messages"):
        if field not in request.body:
            return Reply(status=400, text=f"{field}: Field required")
    return None


def error_body(reply: Reply) -> dict[str, Any]:
    kind = ERROR_TYPES.get(reply.status, "api_error")
    return {
        "type": "error",
        "error": {"type": kind, "message": reply.text or kind},
        "request_id": new_id("req_"),
    }


def default_reply(request: dict[str, Any]) -> Reply:
    output = request.get("output_config", {}).get("format")
    if output:
        return Reply(json=example(output["schema"]))
    return Reply(text=f"echo: {last_words(request)}")


def last_words(request: dict[str, Any]) -> str:
    content = request["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return " ".join(block["text"] for block in content if block.get("type") == "text")


def count_tokens(request: dict[str, Any]) -> dict[str, Any]:
    return {"input_tokens": max(1, len(json.dumps(request.get("messages", []))) // 4)}


def body(reply: Reply, request: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": list(_blocks(reply)),
        "stop_reason": _stop_reason(reply),
        "stop_sequence": None,
        "usage": _usage(reply),
    }
    if reply.stop_reason == "refusal":
        answer["stop_details"] = {"type": "refusal", "category": None, "explanation": reply.text}
    return answer


def events(reply: Reply, request: dict[str, Any]) -> Iterator[str]:
    answer = body(reply, request)
    opening = {**answer, "content": [], "stop_reason": None}
    opening["usage"] = {**answer["usage"], "output_tokens": 1}
    opening.pop("stop_details", None)
    yield _event("message_start", message=opening)
    yield _event("ping")
    for index, block in enumerate(answer["content"]):
        yield from _block_events(index, block, reply)
    delta = {key: answer[key] for key in ("stop_reason", "stop_sequence")}
    if "stop_details" in answer:
        delta["stop_details"] = answer["stop_details"]
    yield _event("message_delta", delta=delta, usage={"output_tokens": reply.usage.output})
    yield _event("message_stop")


def _block_events(index: int, block: dict[str, Any], reply: Reply) -> Iterator[str]:
    # What comes in pieces is empty in the block that opens it.
    opening: dict[str, Any] = dict(block)
    pieces: list[dict[str, str]] = []
    if block["type"] == "text":
        opening["text"] = ""
        pieces = [{"type": "text_delta", "text": piece} for piece in reply.pieces(block["text"])]
    elif "input" in block:
        opening["input"] = {}
        arguments = reply.pieces(json.dumps(block["input"]))
        pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in arguments]
    yield _event("content_block_start", index=index, content_block=opening)
    for piece in pieces:
        yield _event("content_block_delta", index=index, delta=piece)
    yield _event("content_block_stop", index=index)


def _event(name: str, **data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}"


def _blocks(reply: Reply) -> Iterator[dict[str, Any]]:
    if reply.search:
        yield from _search_blocks(reply)
    text = json.dumps(reply.json) if reply.json is not None else reply.text
    if text is not None:
        yield {"type": "text", "text": text, "citations": None}
    for name, arguments in reply.tools:
        yield {
            "type": "tool_use",
            "id": new_id("toolu_"),
            "name": name,
            "input": dict(arguments),
            "caller": {"type": "direct"},
        }


def _search_blocks(reply: Reply) -> Iterator[dict[str, Any]]:
    use = new_id("srvtoolu_")
    yield {
        "type": "server_tool_use",
        "id": use,
        "name": "web_search",
        "input": {"query": "loopback"},
        "caller": {"type": "direct"},
    }
    results = [
        {
            "type": "web_search_result",
            "url": url,
            "title": title,
            "encrypted_content": "opaque",
            "page_age": None,
        }
        for url, title in reply.search
    ]
    yield {
        "type": "web_search_tool_result",
        "tool_use_id": use,
        "content": results,
        "caller": {"type": "direct"},
    }


def _stop_reason(reply: Reply) -> str:
    return reply.stop_reason or ("tool_use" if reply.tools else "end_turn")


def _usage(reply: Reply) -> dict[str, Any]:
    return {
        "input_tokens": reply.usage.input,
        "output_tokens": reply.usage.output,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "service_tier": "standard",
    }
