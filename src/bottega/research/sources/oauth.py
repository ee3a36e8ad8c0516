"""The SDK's OAuth client, set up with our secrets: signs requests, refreshes and revokes tokens.

Each token is a secret of its own, so that every log and trace masks it. The refresh token is
written first: a crash in between leaves an old access token, which is then refreshed.
"""

import json
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog
from pydantic import ConfigDict, field_validator

from bottega.core.trust.secrets import Secrets
from bottega.research.sources.definition import HttpConfig, McpSource
from bottega.research.sources.diagnosis import Observations
from bottega.research.sources.launch import Launches

if TYPE_CHECKING:
    from mcp.client.auth import OAuthClientProvider
    from mcp.client.auth.oauth2 import OAuthContext
    from mcp.shared.auth import (
        AuthorizationCodeResult,
        OAuthClientInformationFull,
        OAuthClientMetadata,
        OAuthToken,
    )


ACCESS, REFRESH, CLIENT_SECRET, GRANT = "access-token", "refresh-token", "client-secret", "grant"
#: Not 0, which the SDK takes for never.
LONG_AGO = 1.0
log = structlog.get_logger()
#: Sends a person to a page, and waits for what they bring back.
Send = Callable[[str], Awaitable[None]]
ComeBack = Callable[[], "Awaitable[AuthorizationCodeResult]"]
#: Without a person there: no page address is ever made from it.
NOWHERE = "http://127.0.0.1/nowhere"
REVOKE_SECONDS = 10.0


@dataclass(slots=True)
class Grants:
    """The sign-in of one person at one source: what the SDK calls a token storage."""

    secrets: Secrets
    slug: str
    user_id: str
    #: A sign-in at another address is none.
    url: str
    #: Where the SDK keeps what it discovered; stored with the tokens to refresh them after a
    #: restart.
    context: "OAuthContext | None" = None
    #: Our client as the configuration names it; without, we register one.
    client: "OAuthClientInformationFull | None" = None
    #: A person is signing in, and comes back to this address: nothing of an earlier sign-in counts
    #: but the registration for the same address.
    callback_url: str | None = None

    async def get_tokens(self) -> "OAuthToken | None":
        from mcp.shared.auth import OAuthToken

        if self.callback_url is not None:
            return None
        grant = await self._grant()
        access = await self.secrets.get(self._name(ACCESS))
        if access is None or "scope" not in grant:
            return None
        return OAuthToken(
            access_token=access,
            refresh_token=await self.secrets.get(self._name(REFRESH)),
            scope=grant["scope"],
        )

    async def set_tokens(self, tokens: "OAuthToken") -> None:
        if tokens.refresh_token:
            await self.secrets.set(self._name(REFRESH), tokens.refresh_token)
        await self.secrets.set(self._name(ACCESS), tokens.access_token)
        expires = None if tokens.expires_in is None else time.time() + tokens.expires_in
        await self._change(scope=tokens.scope, expires_at=expires, **self._discovered())

    async def get_client_info(self) -> "OAuthClientInformationFull | None":
        from mcp.shared.auth import OAuthClientInformationFull

        if self.client is not None:
            return self.client
        client = (await self._grant()).get("client")
        if client is None:
            return None
        if self.callback_url is not None and self.callback_url not in client["redirect_uris"]:
            return None
        secret = await self.secrets.get(self._name(CLIENT_SECRET))
        return OAuthClientInformationFull.model_validate({**client, "client_secret": secret})

    async def set_client_info(self, client_info: "OAuthClientInformationFull") -> None:
        if self.callback_url is None:
            return
        if client_info.client_secret:
            await self.secrets.set(self._name(CLIENT_SECRET), client_info.client_secret)
        else:
            await self.secrets.delete(self._name(CLIENT_SECRET))
        await self._change(
            client=client_info.model_dump(mode="json", exclude={"client_secret"}, exclude_none=True)
        )

    async def restore(self, context: "OAuthContext") -> None:
        """Give the SDK what it does not load itself: when tokens end, and where to refresh them."""
        from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata

        self.context = context
        if self.callback_url is not None:
            return
        grant = await self._grant()
        context.token_expiry_time = grant.get("expires_at")
        context.auth_server_url = grant.get("auth_server_url")
        if metadata := grant.get("metadata"):
            context.oauth_metadata = OAuthMetadata.model_validate(metadata)
        if resource := grant.get("resource"):
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(resource)

    async def revocation_endpoint(self) -> str | None:
        metadata = (await self._grant()).get("metadata") or {}
        return metadata.get("revocation_endpoint")

    async def expire(self) -> bool:
        """Take the access token as ended. Whether it can be refreshed, and was not already."""
        grant = await self._grant()
        if grant.get("expires_at") == LONG_AGO or not await self.secrets.get(self._name(REFRESH)):
            return False
        await self._change(expires_at=LONG_AGO)
        return True

    async def forget(self) -> None:
        for part in (GRANT, ACCESS, REFRESH, CLIENT_SECRET):
            await self.secrets.delete(self._name(part))

    def _discovered(self) -> dict[str, Any]:
        if self.context is None:
            return {}
        metadata = self.context.oauth_metadata
        resource = self.context.protected_resource_metadata
        return {
            "metadata": metadata and metadata.model_dump(mode="json", exclude_none=True),
            "resource": resource and resource.model_dump(mode="json", exclude_none=True),
            "auth_server_url": self.context.auth_server_url,
        }

    async def _grant(self) -> dict[str, Any]:
        stored = await self.secrets.get(self._name(GRANT))
        grant: dict[str, Any] = json.loads(stored) if stored else {}
        return grant if grant.get("url") == self.url else {"url": self.url}

    async def _change(self, **fields: Any) -> None:
        grant = {**await self._grant(), **fields}
        await self.secrets.set(self._name(GRANT), json.dumps(grant))

    def _name(self, part: str) -> str:
        return f"oauth/{self.slug}/{self.user_id}/{part}"


async def open_grants(launches: Launches, source: McpSource, user_id: str) -> Grants:
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
    source: McpSource, grants: Grants, send: Send | None = None, come_back: ComeBack | None = None
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

    from bottega.research.sources.transports import client

    tokens, us = await grants.get_tokens(), await grants.get_client_info()
    endpoint = await grants.revocation_endpoint()
    if tokens is None or us is None or endpoint is None:
        return
    data = {"token": tokens.refresh_token or tokens.access_token, "client_id": us.client_id}
    if us.client_secret:
        data["client_secret"] = us.client_secret
    try:
        async with client({}, Observations(), None, REVOKE_SECONDS) as http:
            (await http.post(endpoint, data=data)).raise_for_status()
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        log.warning("a sign-in was not revoked", source=grants.slug, reason=type(error).__name__)
