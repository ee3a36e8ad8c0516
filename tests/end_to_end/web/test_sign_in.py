"""Signing in, by hand: with the passcode to the house, and from there to a source by OAuth.

The source's authorization server has another name than the house, as it has in life: the browser
comes back from another site.
"""

import json
import re
from collections.abc import Iterator
from html import escape

import pytest
from playwright.async_api import Page, expect
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.end_to_end.conftest import RunningServer, launch
from tests.end_to_end.web.browsing import Visit, Visitor
from tests.research.servers.oauth_server import Grants, protected_peer
from tests.research.servers.serving import free_port, serve


class Consent:
    """Asks the person before, as authorization servers do: the way back begins at its page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        query = scope.get("query_string", b"").decode()
        if scope.get("path") != "/authorize" or "agreed" in query:
            await self._app(scope, receive, send)
            return
        link = f'<h1>May Bottega?</h1><a href="/authorize?{escape(query)}&amp;agreed=1">Agree</a>'
        await HTMLResponse(f"<!doctype html><title>Archive</title>{link}")(scope, receive, send)


@pytest.fixture(scope="module")
def locked_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    server = launch(
        tmp_path_factory.mktemp("locked"), BOTTEGA_MODEL="offline", BOTTEGA_PASSCODE="sesame"
    )
    yield server
    server.stop()


async def enter(visitor: Visitor) -> Page:
    visitor.expected_refusals.append(f"{visitor.url}/")
    page = await visitor.go("/")
    await page.get_by_label("Passcode").fill("sesame")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_label("Passcode")).to_have_count(0)
    visitor.expected_refusals.clear()
    return page


async def test_a_person_signs_in_to_a_source_and_comes_back_signed_in(
    locked_house: RunningServer, visit: Visit
) -> None:
    port = free_port()
    there, grants = f"http://localhost:{port}", Grants()
    config = {
        "type": "http",
        "name": "Archive",
        "description": "Old charts.",
        "url": f"{there}/mcp",
        "auth": {"type": "oauth"},
    }
    file = locked_house.project / ".bottega" / "sources" / "archive" / "config.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(config))
    async with serve(Consent(protected_peer(grants, there).app), port):
        visitor = await visit(locked_house.url)
        page = await enter(visitor)
        await visitor.go("/sources/archive")
        await expect(page.get_by_role("button", name="Sign in")).to_be_disabled()
        await page.get_by_role("button", name="Enable it").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("button", name="I trust it, enable it").click()
        await expect(dialog).to_have_count(0)

        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("link", name="Agree").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Signed in")
        # The person went there; nothing else of ours did.
        to_there = f"a request to another host: {there}/"
        own = [each for each in visitor.complaints if not each.startswith(to_there)]
        assert not own
        visitor.complaints.clear()
        [client] = grants.clients.values()
        callback = f"{locked_house.url}/api/research/sources/oauth/callback"
        assert [str(uri) for uri in client.redirect_uris or ()] == [callback]

        await page.get_by_role("link", name="Back to Bottega").click()
        await expect(page.get_by_text("You are signed in.")).to_be_visible()
        await page.get_by_role("button", name="Test it").click()
        steps = page.get_by_role("list", name="Steps of the test")
        await expect(steps).to_contain_text("tools passed")
        await page.get_by_role("button", name="Sign out").click()
        await expect(page.get_by_text(re.compile("sends you back here"))).to_be_visible()
        assert grants.revoked
