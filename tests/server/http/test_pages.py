"""Pages: the web app or the landing page, and what browsers are told about them."""

from pathlib import Path

import pytest
from starlette.types import ASGIApp

from bottega.core.rooms import Room
from bottega.server.static import PAGES, WebApp
from tests.server.http.small_app import Serve, Served

HTML = {"Accept": "text/html,*/*"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A web app as the build leaves it."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<title>the app</title>")
    (folder / "assets" / "index-3f2a.js").write_text("1")
    (folder / "favicon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


async def with_pages(serve: Serve, pages: ASGIApp) -> Served:
    served = await serve(Room("empty"))
    served.server.router.default = pages
    return served


async def test_the_web_app_answers_its_own_routes(serve: Serve, built: Path) -> None:
    served = await with_pages(serve, WebApp(built))
    for path in ("/", "/sessions/42", "/board/a.b"):
        page = await served.http.get(path, headers=HTML)
        assert "the app" in page.text
        assert page.headers["Cache-Control"] == "no-cache"


async def test_hashed_files_are_kept_forever_and_others_asked_for(
    serve: Serve, built: Path
) -> None:
    served = await with_pages(serve, WebApp(built))
    hashed = await served.http.get("/assets/index-3f2a.js")
    assert "immutable" in hashed.headers["Cache-Control"]
    plain = await served.http.get("/favicon.svg")
    assert plain.headers["Cache-Control"] == "no-cache"
    again = {"If-None-Match": plain.headers["ETag"]}
    assert (await served.http.get("/favicon.svg", headers=again)).status_code == 304


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt", "//etc/passwd"]
)
async def test_a_path_cannot_leave_the_folder(serve: Serve, built: Path, path: str) -> None:
    served = await with_pages(serve, WebApp(built))
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answer = await served.raw(request.encode())
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"secret\n" not in answer


@pytest.mark.parametrize("path", ["/api/nowhere", "/pages/nowhere.js", "/mcp/nowhere", "/ws"])
async def test_a_door_is_never_answered_with_a_page(serve: Serve, built: Path, path: str) -> None:
    served = await with_pages(serve, WebApp(built))
    answer = await served.http.get(path, headers=HTML)
    assert answer.status_code == 404
    assert answer.json()["error"]["type"] == "not_found"


async def test_a_missing_file_is_not_a_page_either(serve: Serve, built: Path) -> None:
    served = await with_pages(serve, WebApp(built))
    assert (await served.http.get("/assets/old.js", headers={"Accept": "*/*"})).status_code == 404
    assert (await served.http.post("/", headers=HTML)).status_code == 405


async def test_without_a_web_app_there_is_a_landing_page(serve: Serve, tmp_path: Path) -> None:
    served = await with_pages(serve, WebApp(tmp_path / "nothing"))
    page = await served.http.get("/", headers=HTML)
    assert page.status_code == 200
    assert "claude mcp add" in page.text
    assert (await served.http.get("/pages/landing.js")).status_code == 200


async def test_pages_bring_their_rules_and_keep_them(serve: Serve) -> None:
    """What the policy forbids, inline scripts above all, our pages do without."""
    served = await serve()
    page = await served.http.get("/docs", headers=HTML)
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    for path in ("/docs", "/health", "/api/sessions", "/nothing"):
        answer = await served.http.get(path)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
    assert (await served.http.get("/api/sessions")).headers["Cache-Control"] == "no-store"
    for file in PAGES.glob("*.html"):
        text = file.read_text()
        assert "<script>" not in text
        assert "onclick" not in text
        assert "http://" not in text
        assert "https://" not in text
