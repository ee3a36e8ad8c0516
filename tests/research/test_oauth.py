"""Signing in to a source, against an authorization server on loopback."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from mcp.shared.auth import OAuthClientInformationFull

from bottega.errors import Forbidden, InvalidInput, NotFound
from bottega.research.sources.launch import NeedsAuth, SourceFailed
from bottega.research.sources.service import Sources
from bottega.research.sources.views import ResearchHealth
from tests.research.builders import ME, SourcesApp, open_sources
from tests.research.servers.http_peer import HttpPeer
from tests.research.servers.oauth_server import Grants, protected_peer
from tests.research.servers.serving import free_port, serve

CALLBACK = "http://127.0.0.1:3000/api/research/sources/oauth/callback"


@dataclass
class Scene:
    app: SourcesApp
    grants: Grants
    peer: HttpPeer
    address: str

    @property
    def sources(self) -> Sources:
        return self.app.sources

    async def sign_in(self, slug: str = "far") -> None:
        page = await self.sources.start_oauth(slug, user_id=ME, callback_url=CALLBACK)
        assert await self.sources.finish_oauth(**await agree(page)) == slug


@asynccontextmanager
async def protected(root: Path, **auth: Any) -> AsyncIterator[Scene]:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    grants = Grants()
    peer = protected_peer(grants, address)
    async with open_sources(root) as app, serve(peer.app, port):
        app.put_address("far", f"{address}/mcp", auth={"type": "oauth", **auth})
        yield Scene(app, grants, peer, address)


async def agree(page: str) -> dict[str, str]:
    """A person's browser: it opens the page and is sent back to our callback."""
    async with httpx.AsyncClient() as browser:
        answer = await browser.get(page)
    assert answer.status_code == 302, answer.text
    back = answer.headers["location"]
    assert back.startswith(CALLBACK)
    query = parse_qs(urlsplit(back).query)
    return {"state": query["state"][0], "code": query["code"][0]}


@pytest.mark.requirement("RS-541")
async def test_a_person_signs_in_and_the_source_can_be_used(tmp_path: Path) -> None:
    """Discovered, registered, with PKCE and the resource named; then calls carry it."""
    async with protected(tmp_path) as scene:
        page = await scene.sources.start_oauth("far", user_id=ME, callback_url=CALLBACK)
        asked = {name: values[0] for name, values in parse_qs(urlsplit(page).query).items()}
        assert page.startswith(f"{scene.address}/authorize?")
        assert asked["code_challenge_method"] == "S256"
        assert asked["resource"] == f"{scene.address}/mcp"
        assert asked["redirect_uri"] == CALLBACK
        assert len(asked["state"]) > 30
        [client] = scene.grants.clients.values()
        assert client.client_name == "Bottega"

        brought = await agree(page)
        assert await scene.sources.finish_oauth(**brought, user_id=ME) == "far"
        assert await scene.app.call("book", "far", seat="7") == "booked 7"
        view = await scene.sources.get("far", user_id=ME)
        assert (view.signed_in, view.health) == (True, ResearchHealth.OK)
        with pytest.raises(NeedsAuth):
            await scene.sources.call("far", "look", {}, user_id="somebody-else")


@pytest.mark.requirement("RS-549")
async def test_a_source_is_not_bothered_before_anybody_has_signed_in(tmp_path: Path) -> None:
    """A call without a sign-in is `needs_auth` and registers nothing."""
    async with protected(tmp_path) as scene:
        with pytest.raises(NeedsAuth, match="wants you to sign in"):
            await scene.app.call("look", "far")
        assert scene.peer.requests == []
        report = await scene.sources.test("far", user_id=ME)
        assert report.health is ResearchHealth.NEEDS_AUTH
        assert "Start a sign-in" in report.advice[0]
        assert (await scene.sources.get("far", user_id=ME)).signed_in is False


@pytest.mark.requirement("RS-542")
async def test_tokens_are_encrypted_on_disk_and_masked_in_text(tmp_path: Path) -> None:
    async with protected(tmp_path) as scene:
        await scene.sign_in()
        [access], [refresh] = scene.grants.access, scene.grants.refresh
        for path in tmp_path.rglob("*"):
            if path.is_file():
                data = path.read_bytes()
                assert access.encode() not in data
                assert refresh.encode() not in data
        said = scene.app.core.secrets.redact(f"a {access} b {refresh} c")
        assert said == "a ••• b ••• c"


@pytest.mark.requirement("RS-543")
async def test_a_token_that_ran_out_is_refreshed_after_a_restart_too(tmp_path: Path) -> None:
    """With refresh tokens that are good once, and metadata that is not asked for again."""
    async with protected(tmp_path) as scene:
        scene.grants.lifetime = -1
        await scene.sign_in()
        scene.grants.lifetime = 3600
        await scene.sources.stop()
        scene.app.sources = Sources(scene.app.core)
        scene.peer.requests.clear()
        assert await scene.app.call("look", "far") == "seen"
        assert scene.grants.refreshed == 1
        assert not [each for each in scene.peer.requests if "well-known" in each["path"]]
        assert await scene.app.call("look", "far") == "seen"
        assert scene.grants.refreshed == 1


@pytest.mark.requirement("RS-544")
async def test_a_token_that_is_refused_is_refreshed_once_and_then_a_person_is_asked(
    tmp_path: Path,
) -> None:
    """Nothing is done twice, and nothing is registered behind a person's back."""
    async with protected(tmp_path) as scene:
        await scene.sign_in()
        await scene.app.call("look", "far")
        scene.grants.access.clear()
        assert await scene.app.call("book", "far", seat="1") == "booked 1"
        assert (scene.grants.refreshed, scene.peer.calls["book"]) == (1, 1)

        scene.grants.access.clear()
        scene.grants.refresh.clear()
        with pytest.raises(NeedsAuth, match="wants a new sign-in"):
            await scene.app.call("book", "far", seat="2")
        assert scene.peer.calls["book"] == 1
        assert len(scene.grants.clients) == 1
        await scene.sign_in()
        assert await scene.app.call("book", "far", seat="3") == "booked 3"


@pytest.mark.requirement("RS-545")
async def test_a_callback_is_good_once_and_only_for_whoever_began(tmp_path: Path) -> None:
    """Unknown, used, another person's, denied and superseded ones are refused."""
    async with protected(tmp_path) as scene:
        finish, start = scene.sources.finish_oauth, scene.sources.start_oauth
        with pytest.raises(NotFound, match="Start again"):
            await finish("made-up", "code")
        with pytest.raises(NotFound):
            await finish("", "code")
        page = await start("far", user_id=ME, callback_url=CALLBACK)
        brought = await agree(page)
        with pytest.raises(Forbidden):
            await finish(**brought, user_id="somebody-else")
        newer = await agree(await start("far", user_id=ME, callback_url=CALLBACK))
        with pytest.raises(NotFound):
            await finish(**brought)
        results = await asyncio.gather(finish(**newer), finish(**newer), return_exceptions=True)
        assert sorted(type(each).__name__ for each in results) == ["NotFound", "str"]

        page = await start("far", user_id=ME, callback_url=CALLBACK)
        state = parse_qs(urlsplit(page).query)["state"][0]
        with pytest.raises(NeedsAuth, match="access_denied"):
            await finish(state, None, error="access_denied")
        page = await start("far", user_id=ME, callback_url=CALLBACK)
        state = parse_qs(urlsplit(page).query)["state"][0]
        with pytest.raises(SourceFailed, match="could not be signed in to"):
            await finish(state, "not-a-code-of-yours")


@pytest.mark.requirement("RS-546")
async def test_signing_out_revokes_and_forgets(tmp_path: Path) -> None:
    async with protected(tmp_path) as scene:
        await scene.sign_in()
        [refresh] = scene.grants.refresh
        await scene.sources.forget_oauth("far", user_id=ME)
        assert scene.grants.revoked == [refresh]
        assert not [n for n in await scene.app.core.secrets.names() if n.startswith("oauth/")]
        with pytest.raises(NeedsAuth):
            await scene.app.call("look", "far")


@pytest.mark.requirement("RS-547")
async def test_a_token_is_never_sent_to_another_address(tmp_path: Path) -> None:
    """A source whose address was changed has to be signed in to again."""
    other = HttpPeer()
    async with protected(tmp_path) as scene, serve(other.app) as elsewhere:
        await scene.sign_in()
        scene.app.put_address("far", f"{elsewhere}/mcp", auth={"type": "oauth"})
        with pytest.raises(NeedsAuth):
            await scene.app.call("look", "far")
        assert other.requests == []
        with pytest.raises(InvalidInput, match="asks for no sign-in"):
            await scene.sources.start_oauth("far", user_id=ME, callback_url=CALLBACK)


@pytest.mark.requirement("RS-550")
async def test_scopes_of_the_file_are_asked_for_with_those_that_the_source_names(
    tmp_path: Path,
) -> None:
    async with protected(tmp_path, scopes=["archive"]) as scene:
        page = await scene.sources.start_oauth("far", user_id=ME, callback_url=CALLBACK)
        assert parse_qs(urlsplit(page).query)["scope"] == ["archive read"]
        [client] = scene.grants.clients.values()
        assert client.scope == "archive read"


@pytest.mark.requirement("RS-548")
async def test_a_client_that_is_registered_already_is_used(tmp_path: Path) -> None:
    """Its id from the file, its secret from the house's secrets."""
    async with protected(
        tmp_path, clientId="harbour-app", clientSecretCredential="far-client"
    ) as scene:
        scene.grants.clients["harbour-app"] = OAuthClientInformationFull.model_validate(
            {
                "client_id": "harbour-app",
                "client_secret": "the-clients-own-secret",
                "redirect_uris": [CALLBACK],
                "token_endpoint_auth_method": "client_secret_post",
                "grant_types": ["authorization_code", "refresh_token"],
                "scope": "read",
            }
        )
        with pytest.raises(NeedsAuth, match="'far-client'"):
            await scene.sources.start_oauth("far", user_id=ME, callback_url=CALLBACK)
        await scene.app.core.secrets.set("far-client", "the-clients-own-secret")
        await scene.sign_in()
        assert await scene.app.call("look", "far") == "seen"
        assert list(scene.grants.clients) == ["harbour-app"]
