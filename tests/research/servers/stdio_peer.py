"""An MCP server in plain Python, quick to start and able to misbehave: `stdio_peer.py [habit]`.

It speaks the handshake era of the protocol by hand, so that nothing of the SDK stands on its side.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

HABIT = sys.argv[1] if len(sys.argv) > 1 else "none"
#: Where it writes down what it did, for the test to read.
DIARY = Path(sys.argv[2]) if len(sys.argv) > 2 else None

READ_ONLY = {"readOnlyHint": True}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}, **more}


TOOLS = [
    tool("echo", annotations=READ_ONLY),
    tool("environment", annotations=READ_ONLY),
    tool("giant", annotations=READ_ONLY),
    tool("endless", annotations=READ_ONLY),
    tool("wait"),
    tool("fail"),
    tool("book"),
    tool("look", annotations=READ_ONLY),
    tool("vanish"),
    tool("liar", outputSchema={"type": "object", "required": ["answer"]}),
    tool("picture", annotations=READ_ONLY),
]


def text(said: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": said}]}


def note(line: str) -> None:
    assert DIARY is not None
    with DIARY.open("a") as diary:
        diary.write(line + "\n")


def die() -> None:
    sys.stdout.flush()
    os._exit(3)


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    match name:
        case "echo":
            return text(str(arguments.get("text", "")))
        case "environment":
            return text(json.dumps(dict(os.environ)))
        case "giant":
            return text("x" * 200_000)
        case "endless":
            sys.stdout.write("y" * 6_000_000)
            sys.stdout.flush()
            time.sleep(60)
        case "wait":
            note("waiting")
            return None
        case "fail":
            return {**text("the tool itself failed"), "isError": True}
        case "book" | "look":
            # The work is done, and then the answer never comes: once.
            note(name)
            assert DIARY is not None
            if DIARY.read_text().count(name) == 1:
                die()
            return text(f"{name} done")
        case "vanish":
            TOOLS[:] = [each for each in TOOLS if each["name"] != "vanish"]
        case "liar":
            return {**text("{}"), "structuredContent": {"question": 42}}
        case "picture":
            return {
                "content": [
                    {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                    {"type": "resource_link", "name": "notes", "uri": "file:///notes.md"},
                    {
                        "type": "resource",
                        "resource": {"uri": "file:///notes.md", "text": "in full"},
                    },
                ]
            }
    raise LookupError(name)


def answer(request: dict[str, Any]) -> dict[str, Any] | None:
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "peer", "version": "1"},
            }
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            params = request["params"]
            return call(params["name"], params.get("arguments") or {})
    raise LookupError(request["method"])


def main() -> None:
    if DIARY is not None:
        note(f"started {os.getpid()}")
    match HABIT:
        case "hangs":
            time.sleep(600)
        case "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        case "babbles":
            print("Welcome! I speak no JSON.", flush=True)
            sys.exit()
        case "complains":
            print("no licence found for key s3cret-value-in-a-log", file=sys.stderr, flush=True)
            sys.exit(2)
        case "greets":
            print("Welcome! I speak JSON after this line.", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            result = answer(request)
            if result is None:
                continue
            reply["result"] = {"nonsense": True} if HABIT == "nonsense" else result
        except LookupError as error:
            unknown_tool = request["method"] == "tools/call"
            code = -32602 if unknown_tool else -32601
            reply["error"] = {"code": code, "message": f"unknown: {error}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
