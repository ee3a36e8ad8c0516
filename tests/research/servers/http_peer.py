"""An MCP server over streamable HTTP, of the SDK's own making, in either era of the protocol."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from mcp.server.auth.provider import OAuthAuthorizationServerProvider
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Receive, Scope, Send

READ_ONLY = ToolAnnotations(read_only_hint=True)


class HttpPeer:
    """Counts what reaches its tools. A new one knows no session of an old one."""

    def __init__(
        self,
        *,
        sessions: bool = True,
        provider: OAuthAuthorizationServerProvider[Any, Any, Any] | None = None,
        auth: AuthSettings | None = None,
    ) -> None:
        self.calls: Counter[str] = Counter()
        self.requests: list[dict[str, str]] = []
        self._server = MCPServer(
            "http-peer", log_level="ERROR", auth_server_provider=provider, auth=auth
        )
        self._add_tools()
        app: ASGIApp = self._server.streamable_http_app(json_response=True)
        self.app = self._noting(_handshake_only(app) if sessions else app)

    def _add_tools(self) -> None:
        @self._server.tool(annotations=READ_ONLY)
        def look() -> str:
            """Look at something."""
            self.calls["look"] += 1
            return "seen"

        @self._server.tool()
        def book(seat: str) -> str:
            """Book a seat."""
            self.calls["book"] += 1
            return f"booked {seat}"

        @self._server.tool(annotations=READ_ONLY)
        def giant() -> str:
            """More than anybody can take."""
            return "z" * 6_000_000

    def _noting(self, app: ASGIApp) -> ASGIApp:
        async def noting(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                headers = {k.decode(): v.decode() for k, v in scope["headers"]}
                self.requests.append({"method": scope["method"], "path": scope["path"], **headers})
            await app(scope, receive, send)

        return noting


def _handshake_only(app: ASGIApp) -> ASGIApp:
    """As servers were before the stateless era, which they refuse to speak."""

    async def older(scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers") or ())
        version = headers.get(b"mcp-protocol-version", b"").decode()
        if scope.get("path") == "/mcp" and version in MODERN_PROTOCOL_VERSIONS:
            await refuse(400)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return older


def refuse(status: int, headers: Callable[[], dict[str, str]] = dict) -> ASGIApp:
    """An app that refuses everything."""

    async def refusing(scope: Scope, receive: Receive, send: Send) -> None:
        body = json.dumps({"error": "refused"}).encode()
        fields = {"content-type": "text/plain", "content-length": str(len(body)), **headers()}
        raw = [(name.encode(), value.encode()) for name, value in fields.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        await send({"type": "http.response.body", "body": body})

    return refusing
