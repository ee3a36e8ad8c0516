"""The pages: the built web app if there is one, else a page of our own that gets one started."""

import html
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

HERE = Path(__file__).parent
WEB_APP = HERE / "static"
PAGES = HERE / "pages"

#: A name with a hash in it never means other content.
FOREVER = "public, max-age=31536000, immutable"
ASK_FIRST = "no-cache"

#: Paths that are never a page of the web app, whatever the client accepts.
DOORS = ("/api", "/mcp", "/ws", "/pages")


class WebApp:
    """Answers what no route answers: a file of the web app, or its index for its own routes."""

    def __init__(self, folder: Path = WEB_APP) -> None:
        self._files = StaticFiles(directory=folder, check_dir=False)
        index = folder / "index.html"
        self._index = index if index.is_file() else PAGES / "landing.html"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_door(scope["path"]):
            raise HTTPException(404)
        response = await self._find(scope)
        await response(scope, receive, send)

    async def _find(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        if scope["path"] == "/":
            return self._index_page()
        try:
            response = await self._files.get_response(self._files.get_path(scope), scope)
        except HTTPException:
            if "text/html" not in Headers(scope=scope).get("accept", ""):
                raise HTTPException(404) from None
            return self._index_page()
        is_hashed = scope["path"].startswith("/assets/")
        response.headers["Cache-Control"] = FOREVER if is_hashed else ASK_FIRST
        return response

    def _index_page(self) -> Response:
        return FileResponse(self._index, headers={"Cache-Control": ASK_FIRST})


def _is_door(path: str) -> bool:
    return any(path == door or path.startswith(f"{door}/") for door in DOORS)


def sign_in_page(has_passcode: bool, problem: str = "", status: int = 401) -> Response:
    """The page that asks for the passcode; without one set, it says what to set."""
    page = _page("sign-in.html" if has_passcode else "no-passcode.html")
    content = page.replace("<!-- problem -->", html.escape(problem))
    return HTMLResponse(content, status, {"Cache-Control": "no-store"})


@cache
def _page(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


def reference_page() -> Response:
    return FileResponse(PAGES / "reference.html", headers={"Cache-Control": ASK_FIRST})
