"""Headers that tell browsers what our pages may do, on every answer."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Inline styles are allowed because the editor and the dialogs of the web app set them.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # `no-referrer` would make a form's Origin `null`, which the guard refuses.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
FOR_PAGES = [(b"content-security-policy", CONTENT_SECURITY_POLICY.encode())]
#: What the API says is personal and may change: it belongs in no cache.
FOR_API = [(b"cache-control", b"no-store")]


class SecurityHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = dict(message.get("headers", ()))
                extra = ALWAYS
                if given.get(b"content-type", b"").startswith(b"text/html"):
                    extra = extra + FOR_PAGES
                if scope["path"].startswith("/api/") and b"cache-control" not in given:
                    extra = extra + FOR_API
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        await self.app(scope, receive, adding)
