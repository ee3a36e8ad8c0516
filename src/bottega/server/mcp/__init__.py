"""The MCP door: every room's tools at `/mcp`, one room's at `/mcp/{room}`, and over stdio.

    door.py       the ASGI application: paths to endpoints, rooms that come and go
    catalog.py    which tools are at which path
    endpoint.py   one MCP server with its sessions and streams
    sessions.py   the sessions that are open now
    limits.py     how much an endpoint takes on
    calls.py      one tool call: check, run, render, tell
    arguments.py  what a client sent, checked against the tool's model
    results.py    what a tool returned, as the wire wants it
    schemas.py    what a client reads about a tool, in as few tokens as it takes

The SDK takes most of a second to import, so only `endpoint.py` does, and the door loads it behind
its back.
"""

from bottega.server.mcp.calls import OnCall, ToolSpan
from bottega.server.mcp.door import McpDoor
from bottega.server.mcp.limits import McpLimits
from bottega.server.mcp.schemas import tool_listing_tokens

__all__ = ["McpDoor", "McpLimits", "OnCall", "ToolSpan", "tool_listing_tokens"]
