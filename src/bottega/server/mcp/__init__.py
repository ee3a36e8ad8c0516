"""The MCP door: tools, resources and prompts of every room at `/mcp`, of one at `/mcp/{room}`, and
over stdio.

    door.py       the ASGI application: paths to endpoints, rooms that come and go
    catalog.py    which tools, resources and prompts are at which path
    endpoint.py   one MCP server with its sessions and streams
    sessions.py   the sessions that are open now, and how much an endpoint takes on
    requests.py   who makes a request, what their client can do, and how it is refused
    calls.py      one tool call: check, run, render, tell
    elicitation.py one tool call that may ask a person (elicitation)
    arguments.py  what a client sent, checked against the tool's model
    schemas.py    what a client reads about a tool, in as few tokens as it takes
    resources.py  what can be read at an address, and watched
    prompts.py    words to start with, and completions

The SDK takes most of a second to import, so only `endpoint.py` and what it imports do, and the door
loads it behind its back.
"""

from bottega.server.mcp.calls import OnCall, ToolSpan
from bottega.server.mcp.door import McpDoor
from bottega.server.mcp.schemas import tool_listing_tokens
from bottega.server.mcp.sessions import McpLimits

__all__ = ["McpDoor", "McpLimits", "OnCall", "ToolSpan", "tool_listing_tokens"]
