"""The SDK's OAuth client, set up with our secrets: signs requests, refreshes and revokes tokens."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import structlog
from pydantic import ConfigDict, field_validator

from bottega.research.sources.definition import HttpConfig, Source
from bottega.research.sources.grants import Grants
from bottega.research.sources.launch import Launches
from bottega.research.sources.observed import Observed

if TYPE_CHECKING:
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

log = structlog.get_logger()

#: Sends a person to a page, and waits for what they bring back.
Send = Callable[[str], Awaitable[None]]
ComeBack = Callable[[], "Awaitable[AuthorizationCodeResult]"]

#: Without a person there: no page address is ever made from it.
NOWHERE = "http://127.0.0.1/nowhere"
REVOKE_SECONDS = 10.0


async def open_grants(launches: Launches, source: Source, user_id: str) -> Grants:
    from mcp.shared.auth import OAuthClientInformationFull

    assert isinstance(source.config, HttpConfig)
    auth = source.config.auth
    grants = Grants(launches.secrets, source.slug, user_id, source.config.url)
    if auth.client_id is not None:
        secret = None
        if auth.client_secret is not None:
            secret = await launches.credential(source, user_id, auth.client_secret)
        grants.client = OAuthClientInformationFull.model_validate(
            {
                "client_id": auth.client_id,
                "client_secret": secret,
                "token_endpoint_auth_method": "client_secret_post" if secret else "none",
                "redirect_uris": [NOWHERE],
            }
        )
    return grants


async def make_provider(
    source: Source, grants: Grants, send: Send | None = None, come_back: ComeBack | None = None
) -> "OAuthClientProvider":
    """Without a way to a person it uses and refreshes what it has, and fails beyond that."""
    from mcp.client.auth import OAuthClientProvider

    # It reports what fails with a trace of its own; whoever asked is told by us.
    logging.getLogger("mcp.client.auth").setLevel(logging.CRITICAL)
    assert isinstance(source.config, HttpConfig)
    metadata = _client_metadata(grants.callback_url or NOWHERE, source.config.auth.scopes)
    provider = OAuthClientProvider(source.config.url, metadata, grants, send, come_back)
    await grants.restore(provider.context)
    return provider


def _client_metadata(callback_url: str, scopes: Sequence[str]) -> "OAuthClientMetadata":
    """Whatever scopes the SDK puts here from what the source names, ours stay with them."""
    from mcp.shared.auth import OAuthClientMetadata

    class Metadata(OAuthClientMetadata):
        model_config = ConfigDict(validate_assignment=True)

        @field_validator("scope")
        @classmethod
        def _with_ours(cls, scope: str | None) -> str | None:
            return " ".join(dict.fromkeys([*scopes, *(scope or "").split()])) or None

    return Metadata.model_validate(
        {
            "client_name": "Bottega",
            "redirect_uris": [callback_url],
            "grant_types": ["authorization_code", "refresh_token"],
        }
    )


async def revoke(grants: Grants) -> None:
    """Tell the other side that our tokens are void, if it wants to hear it. That may fail: what we
    drop is of no use to us either way."""
    import httpx2

    from bottega.research.sources.http import client

    tokens, us = await grants.get_tokens(), await grants.get_client_info()
    endpoint = await grants.revocation_endpoint()
    if tokens is None or us is None or endpoint is None:
        return
    data = {"token": tokens.refresh_token or tokens.access_token, "client_id": us.client_id}
    if us.client_secret:
        data["client_secret"] = us.client_secret
    try:
        async with client({}, Observed(), None, REVOKE_SECONDS) as http:
            (await http.post(endpoint, data=data)).raise_for_status()
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        log.warning("a sign-in was not revoked", source=grants.slug, reason=type(error).__name__)
