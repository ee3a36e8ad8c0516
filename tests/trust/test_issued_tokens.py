"""What a token issued ends with it, and never may do more than it."""

import asyncio
from typing import Any

import httpx
import pytest

from bottega.core import users as users_module
from bottega.core.roles import Grant, TokenRole
from bottega.errors import Conflict, Unauthorized
from tests.server.http.small_app import Serve, Served
from tests.trust.test_revocation import SOON


async def ask(
    served: Served, method: str, path: str, secret: str | None = None, **body: Any
) -> httpx.Response:
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    json = body if method in ("POST", "PATCH") else None
    return await served.http.request(method, f"/api{path}", json=json, headers=headers)


async def issue(
    served: Served, name: str, secret: str | None = None, **body: Any
) -> dict[str, Any]:
    answer = await ask(served, "POST", "/tokens", secret, name=name, **body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def family(served: Served) -> list[dict[str, Any]]:
    """A token, one that it issued, one that this one issued, and one that none of them did."""
    parent = await issue(served, "parent", user="mallory")
    child = await issue(served, "child", parent["secret"])
    grandchild = await issue(served, "grandchild", child["secret"])
    return [parent, child, grandchild, await issue(served, "other", user="mallory")]


async def test_what_a_token_issued_is_revoked_with_it(serve: Serve) -> None:
    served = await serve()
    parent, child, grandchild, other = await family(served)
    window = await served.websocket(
        additional_headers={"Authorization": f"Bearer {grandchild['secret']}"}
    )
    assert (await ask(served, "DELETE", f"/tokens/{parent['id']}")).status_code == 200
    async with asyncio.timeout(SOON):
        await window.wait_closed()
    assert window.close_code == 4401
    for token in (parent, child, grandchild):
        assert (await ask(served, "GET", "/tokens", token["secret"])).status_code == 401
    listed = (await ask(served, "GET", "/tokens", other["secret"])).json()
    live = {token["name"] for token in listed if token["revoked_at"] is None}
    assert live == {"other"}


async def test_a_narrowed_token_narrows_what_it_issued(serve: Serve) -> None:
    served = await serve()
    parent, child, grandchild, other = await family(served)
    for token in (child, grandchild):  # so that what they may do is remembered
        assert (await ask(served, "GET", "/tokens", token["secret"])).status_code == 200
    window = await served.websocket(
        additional_headers={"Authorization": f"Bearer {child['secret']}"}
    )
    narrow: dict[str, Any] = {"role": "reader", "rooms": ["house"], "projects": ["/shop"]}
    await ask(served, "PATCH", f"/tokens/{parent['id']}", **narrow)
    async with asyncio.timeout(SOON):
        await window.wait_closed()
    for token in (child, grandchild):
        refused = await ask(served, "POST", "/tokens", token["secret"], name="more")
        assert refused.status_code == 403, refused.text
        assert refused.json()["error"]["role"] == "reader"
    assert (await ask(served, "GET", "/tokens", other["secret"])).status_code == 200
    listed = {token["name"]: token for token in (await ask(served, "GET", "/tokens")).json()}
    for name in ("child", "grandchild"):
        assert {key: listed[name][key] for key in narrow} == narrow
    # Nor does it get more again than its issuer has, by anybody's word.
    wider = await ask(served, "PATCH", f"/tokens/{child['id']}", role="member")
    assert wider.status_code == 409
    assert "parent" in wider.json()["error"]["message"]


async def test_a_token_widens_only_what_it_issued_itself(serve: Serve) -> None:
    """Else what it gave away would outlive it."""
    served = await serve()
    parent = await issue(served, "parent", user="mallory")
    other = await issue(served, "other", user="mallory", role="reader")
    child = await issue(served, "child", parent["secret"], role="reader")
    grandchild = await issue(served, "grandchild", parent["secret"], role="agent")
    refused = await ask(served, "PATCH", f"/tokens/{other['id']}", parent["secret"], role="member")
    assert refused.status_code == 403
    for token in (child, grandchild):
        path = f"/tokens/{token['id']}"
        widened = await ask(served, "PATCH", path, parent["secret"], role="member")
        assert widened.status_code == 200
    owner = await ask(served, "PATCH", f"/tokens/{other['id']}", role="member")
    assert owner.status_code == 200


async def test_a_user_has_so_many_live_tokens_and_no_more(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(users_module, "MOST_LIVE_TOKENS", 3)
    served = await serve()
    parent = await issue(served, "parent", user="mallory")
    one = await issue(served, "one", parent["secret"])
    await issue(served, "two", parent["secret"])
    refused = await ask(served, "POST", "/tokens", parent["secret"], name="three")
    assert refused.status_code == 409
    assert "3 live tokens" in refused.json()["error"]["message"]
    await ask(served, "DELETE", f"/tokens/{one['id']}", parent["secret"])
    await issue(served, "three", parent["secret"])
    await issue(served, "hers", user="ada")


async def test_a_token_that_was_revoked_or_narrowed_meanwhile_issues_nothing(serve: Serve) -> None:
    users = (await serve()).app.core.users
    ada = await users.create("ada")
    parent, _ = await users.issue_token(ada.id, "parent")
    await users.change(ada.id, parent.id, Grant(TokenRole.AGENT))
    with pytest.raises(Conflict):
        await users.issue_token(ada.id, "child", Grant(), issued_by=parent.id)
    await users.revoke(ada.id, parent.id)
    with pytest.raises(Unauthorized):
        await users.issue_token(ada.id, "child", Grant(TokenRole.READER), issued_by=parent.id)
