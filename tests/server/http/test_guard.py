"""Host and Origin, on every door."""

import pytest
from websockets.exceptions import InvalidStatus

from bottega.server.guard import Authority
from bottega.server.options import Options
from tests.server.http.small_app import Serve, echo_mcp

PATHS = ["/health", "/", "/api/settings", "/mcp", "/docs", "/assets/none.js", "/nothing"]


@pytest.mark.parametrize("path", PATHS)
async def test_a_rebound_name_is_refused_everywhere(serve: Serve, path: str) -> None:
    served = await serve(mcp=echo_mcp())
    answer = await served.http.get(path, headers={"Host": f"evil.example:{served.port}"})
    assert answer.status_code == 403
    assert answer.json()["error"]["type"] == "forbidden"
    assert "evil.example" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", PATHS)
async def test_a_foreign_page_is_refused_everywhere(serve: Serve, path: str) -> None:
    served = await serve(mcp=echo_mcp())
    answer = await served.http.post(path, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert "BOTTEGA_ALLOWED_HOSTS" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", PATHS)
async def test_programs_and_our_own_pages_are_welcome(serve: Serve, path: str) -> None:
    served = await serve(mcp=echo_mcp())
    own = {"Origin": served.url}
    answers = [await served.http.get(path), await served.http.get(path, headers=own)]
    assert all(answer.status_code != 403 for answer in answers)


@pytest.mark.parametrize(
    "host", ["localhost:{port}", "127.0.0.1", "127.0.0.2:{port}", "[::1]:{port}", "LOCALHOST"]
)
async def test_loopback_has_many_names(serve: Serve, host: str) -> None:
    served = await serve()
    name = host.format(port=served.port)
    assert (await served.http.get("/health", headers={"Host": name})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "evil.example#localhost",
        "",
        "[::1",
        "a b",
    ],
)
async def test_names_that_only_look_like_loopback_are_refused(serve: Serve, host: str) -> None:
    served = await serve()
    assert (await served.http.get("/health", headers={"Host": host})).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://localhost",
        "http://127.0.0.1:1",
        "http://127.0.0.1:{port}.evil.example",
        "http://127.0.0.1:{port}@evil.example",
        "127.0.0.1:{port}",
    ],
)
async def test_another_origin_on_this_machine_is_foreign_too(serve: Serve, origin: str) -> None:
    """A page of another local program must not act for the person."""
    served = await serve()
    headers = {"Origin": origin.format(port=served.port)}
    assert (await served.http.get("/health", headers=headers)).status_code == 403


async def test_two_hosts_are_none(serve: Serve) -> None:
    served = await serve()
    hosts = b"Host: localhost\r\nHost: localhost\r\n"
    answer = await served.raw(b"GET /health HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 403")


async def test_configured_names_are_answered(serve: Serve) -> None:
    names = ("bottega.example", "dev.example:5173")
    served = await serve(options=Options(allowed_hosts=names, token="t"))
    welcome = {"Host": "bottega.example", "Origin": "https://bottega.example"}
    assert (await served.http.get("/health", headers=welcome)).status_code == 200
    for port, status in ((5173, 200), (80, 403)):
        headers = {"Origin": f"http://dev.example:{port}"}
        assert (await served.http.get("/health", headers=headers)).status_code == status


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
async def test_a_websocket_is_guarded_before_the_upgrade(
    serve: Serve, headers: dict[str, str]
) -> None:
    served = await serve()
    with pytest.raises(InvalidStatus) as refused:
        await served.websocket(additional_headers=headers)
    assert refused.value.response.status_code == 403


def test_an_authority_is_a_name_and_a_port() -> None:
    assert Authority.parse("Example.com:80") == Authority("example.com", 80)
    assert Authority.parse("[::1]:3000") == Authority("::1", 3000)
    assert Authority.parse("example.com.") == Authority("example.com", None)
    for broken in ("", "a:b", "a:99999", "user@a", "a/b", "a?b"):
        assert Authority.parse(broken) is None
