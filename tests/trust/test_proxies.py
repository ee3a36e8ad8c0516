"""Behind a reverse proxy on loopback nobody is the owner for having come by loopback."""

import re
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from bottega.app import App
from bottega.errors import ConfigurationError
from bottega.server.composition import compose
from bottega.server.login import COOKIE
from bottega.server.network.proxies import PASSED_ON, TrustedProxies
from bottega.settings import Settings
from tests.server.http.small_app import Serve
from tests.trust.reverse_proxy import reverse_proxy
from tests.trust.served_app import serve_app

OUTSIDE = "bottega.example.org"
#: As the documentation has nginx say it.
SAID = {"Host": OUTSIDE, "X-Forwarded-For": "{client}", "X-Forwarded-Proto": "https"}
#: What a house behind a proxy is given.
BEHIND = {
    "bottega_passcode": "sesame",
    "bottega_token": "the-owners",
    "bottega_allowed_hosts": OUTSIDE,
    "bottega_trusted_proxies": "127.0.0.1",
}


def client(url: str, **options: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, trust_env=False, timeout=10, **options)


async def test_whoever_an_unknown_proxy_passes_on_is_not_the_owner(tmp_path: Path) -> None:
    """It keeps the `Host` that the house answers to, as many proxies do by default."""
    async with serve_app(tmp_path) as served:
        inside = {"Host": served.url.removeprefix("http://"), "X-Forwarded-For": "{client}"}
        async with reverse_proxy(served.url, inside) as outside, client(outside) as http:
            for path in ("/api/settings", "/api/tokens", "/", "/mcp"):
                refused = await http.get(path, headers={"Accept": "text/html"})
                assert refused.status_code == 401, path
                assert "BOTTEGA_TRUSTED_PROXIES" in refused.json()["error"]["message"]
            assert (await http.get("/health")).json().keys() == {"status", "uptime"}
            with pytest.raises(InvalidStatus) as denied:
                await connect(outside.replace("http", "ws", 1) + "/ws", proxy=None)
            assert denied.value.response.status_code == 401
            colleague = await served.colleague()
            shown = await http.get("/api/tokens", headers=colleague.headers)
            assert [token["user"] for token in shown.json()] == ["mallory"]
        assert (await served.http.get("/api/settings")).status_code == 200


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "Via"]
)
async def test_any_of_the_headers_gives_a_proxy_away(tmp_path: Path, header: str) -> None:
    async with serve_app(tmp_path) as served:
        refused = await served.http.get("/api/settings", headers={header: "127.0.0.1"})
        assert refused.status_code == 401


#: As tunnels, clouds and networks of caches send them.
TUNNELS = [
    "CF-Connecting-IP",
    "Cf-Ray",
    "CF-IPCountry",
    "CDN-Loop",
    "True-Client-IP",
    "Fly-Client-IP",
    "Fly-Region",
    "Via",
    "Tailscale-User-Login",
    "Tailscale-User-Name",
    "X-Real-IP",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "Fastly-Client-IP",
    "X-Envoy-External-Address",
    "X-Appengine-User-IP",
    "X-Azure-ClientIP",
    "ngrok-trace-id",
    "ngrok-skip-browser-warning",
    "X-Vercel-Id",
    "X-Vercel-Forwarded-For",
    "X-Forwarded-User",
    "X-Amzn-Trace-Id",
    "X-Original-Host",
    "X-Goog-Authenticated-User-Email",
    "X-Auth-Request-Email",
    "Remote-User",
]


async def test_a_header_that_only_proxies_and_tunnels_add_is_not_the_owners(serve: Serve) -> None:
    served = await serve()
    passed = []
    for header in TUNNELS:
        answer = await served.http.get("/api/sessions", headers={header: "127.0.0.1"})
        passed += [header] if answer.status_code != 401 else []
        with pytest.raises(InvalidStatus) as denied:
            await served.websocket(additional_headers={header: "127.0.0.1"})
        assert denied.value.response.status_code == 401
    assert not passed
    own = {"X-Request-Id": "1", "X-Requested-With": "fetch", "Traceparent": "00-1-1-00"}
    assert (await served.http.get("/api/sessions", headers=own)).status_code == 200


def test_the_documentation_lists_every_header_that_says_passed_on() -> None:
    text = (Path(__file__).parents[2] / "docs/security.md").read_text()
    listed = text.partition('<a id="passed-on">')[2].partition("What the house sends")[0]
    documented = {name.lower() for name in re.findall(r"`([^`]+)`", listed)} - {"*"}
    assert documented == set(PASSED_ON)


async def test_behind_a_trusted_proxy_the_cookie_is_for_https_alone(tmp_path: Path) -> None:
    async with (
        serve_app(tmp_path, **BEHIND) as served,
        reverse_proxy(served.url, SAID) as outside,
        client(outside) as http,
    ):
        assert (await http.get("/api/settings")).status_code == 401
        origin = {"Origin": f"https://{OUTSIDE}"}
        signed = await http.post("/api/login", json={"passcode": "sesame"}, headers=origin)
        assert signed.status_code == 200, signed.text
        attributes = signed.headers["set-cookie"].lower().split("; ")[1:]
        assert {"secure", "httponly", "samesite=lax"} <= set(attributes)
        cookie = {"Cookie": f"{COOKIE}={signed.headers['set-cookie'].split(';')[0].split('=')[1]}"}
        assert (await http.get("/api/settings", headers=cookie)).status_code == 200
        address = outside.replace("http", "ws", 1) + "/ws"
        async with connect(address, proxy=None, additional_headers=cookie, origin=None):
            pass
        # Straight to the house it is http, where `Secure` would keep the browser from sending it.
        plain = await served.http.post("/api/login", json={"passcode": "sesame"})
        assert "secure" not in plain.headers["set-cookie"].lower().split("; ")


async def test_the_address_is_the_one_that_the_trusted_proxy_saw(tmp_path: Path) -> None:
    said = SAID | {"X-Forwarded-For": "10.9.9.9, 203.0.113.7"}
    async with (
        serve_app(tmp_path, **BEHIND) as served,
        reverse_proxy(served.url, said) as outside,
        client(outside) as http,
    ):
        assert (await http.post("/api/login", json={"passcode": "sesame"})).status_code == 200
        owner = {"Authorization": "Bearer the-owners"}
        [signed_in] = (await served.http.get("/api/sign-ins", headers=owner)).json()
        assert signed_in["address"] == "203.0.113.7"


async def test_guesses_through_a_proxy_count_for_who_makes_them(tmp_path: Path) -> None:
    async with serve_app(tmp_path, **BEHIND) as served:

        async def guess(address: str) -> int:
            said = {"Host": OUTSIDE, "X-Forwarded-For": address}
            answer = await served.http.post("/api/login", json={"passcode": "?"}, headers=said)
            return answer.status_code

        assert [await guess("203.0.113.7") for _ in range(6)] == [401] * 5 + [429]
        assert await guess("203.0.113.8") == 401


async def test_what_a_client_says_of_itself_is_not_believed_without_a_proxy(
    tmp_path: Path,
) -> None:
    settings = BEHIND | {"bottega_trusted_proxies": "192.0.2.0/24"}
    async with serve_app(tmp_path, **settings) as served:
        said = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
        signed = await served.http.post("/api/login", json={"passcode": "sesame"}, headers=said)
        assert "secure" not in signed.headers["set-cookie"].lower().split("; ")
        forged = {**said, "X-Forwarded-Host": OUTSIDE, "Host": "evil.example"}
        assert (await served.http.get("/health", headers=forged)).status_code == 403
        owner = {"Authorization": "Bearer the-owners"}
        [signed_in] = (await served.http.get("/api/sign-ins", headers=owner)).json()
        assert signed_in["address"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"bottega_allowed_hosts": OUTSIDE}, "BOTTEGA_ALLOWED_HOSTS"),
        ({"bottega_allowed_hosts": f"localhost, {OUTSIDE}:8443"}, "BOTTEGA_ALLOWED_HOSTS"),
        ({"bottega_trusted_proxies": "127.0.0.1"}, "BOTTEGA_TRUSTED_PROXIES"),
        ({"host": "0.0.0.0"}, "HOST"),
        ({"bottega_trusted_proxies": "nginx", "bottega_token": "t"}, "BOTTEGA_TRUSTED_PROXIES"),
    ],
)
def test_a_house_that_others_reach_does_not_open_without_a_lock(
    tmp_path: Path, settings: dict[str, Any], named: str
) -> None:
    (tmp_path / "project").mkdir()
    app = App(Settings(data_dir=tmp_path / "data", project_dir=tmp_path / "project", **settings))
    with pytest.raises(ConfigurationError, match=named) as refused:
        compose(app)
    assert "BOTTEGA_TOKEN" in refused.value.message or "10.0.0.0/24" in refused.value.message


@pytest.mark.parametrize("locked", [{"bottega_token": "t"}, {"bottega_passcode": "p"}])
def test_with_a_lock_it_opens(tmp_path: Path, locked: dict[str, Any]) -> None:
    (tmp_path / "project").mkdir()
    given = {"bottega_allowed_hosts": OUTSIDE, **locked}
    compose(App(Settings(data_dir=tmp_path / "data", project_dir=tmp_path / "project", **given)))


@pytest.mark.parametrize(
    ("chain", "client_"),
    [
        (["203.0.113.7"], "203.0.113.7"),
        (["6.6.6.6", "203.0.113.7", "10.0.0.5"], "203.0.113.7"),
        (["10.0.0.4", "10.0.0.5"], "10.0.0.4"),
        ([], None),
    ],
)
def test_of_a_chain_the_last_stranger_counts(chain: list[str], client_: str | None) -> None:
    assert TrustedProxies.parse("10.0.0.0/24, ::1").client_among(chain) == client_


def test_addresses_of_both_kinds_are_trusted() -> None:
    proxies = TrustedProxies.parse("127.0.0.1, fd00::/8")
    assert proxies.trusts("::ffff:127.0.0.1")
    assert proxies.trusts("fd00::1")
    assert not proxies.trusts(socket.gethostname())
