"""What the composition root decides about the server, as plain values."""

import os
from dataclasses import dataclass, field
from typing import Any

from bottega.errors import ConfigurationError
from bottega.server.guard import Authority, is_loopback
from bottega.server.network.proxies import SETTING, TrustedProxies
from bottega.server.network.quotas import NetworkLimits
from bottega.settings import Settings


@dataclass(frozen=True, slots=True)
class Options:
    host: str = "127.0.0.1"
    #: More `Host` names to answer to: `name`, or `name:port`.
    allowed_hosts: tuple[str, ...] = ()
    #: Once set, every caller must show a token or the passcode's cookie.
    token: str | None = field(default=None, repr=False)
    #: Accepted beside `token` while this process runs: the one in its `server.json`.
    process_token: str | None = field(default=None, repr=False)
    passcode: str | None = field(default=None, repr=False)
    #: Signs the passcode's cookie. Kept across restarts, people stay signed in.
    cookie_secret: bytes = field(default_factory=lambda: os.urandom(32), repr=False)
    #: Largest request body, and largest WebSocket message.
    max_body_bytes: int = 10_000_000
    #: Seconds that a body may take to arrive.
    body_timeout: float = 60.0
    #: Requests a second of one client, on average.
    rate_limit: float = 1_000
    #: Event streams open at once.
    max_streams: int = 200
    network: NetworkLimits = field(default_factory=NetworkLimits)
    #: Whose word on who is really there is taken.
    proxies: TrustedProxies = field(default_factory=TrustedProxies)
    feature_flags: dict[str, bool] = field(default_factory=dict)
    #: Shown, secrets masked, at `/api/settings`.
    settings: Settings | None = field(default=None, repr=False)

    @classmethod
    def of(cls, settings: Settings, **more: Any) -> "Options":
        """As the settings have it; raises `ConfigurationError` where that is not safe."""
        return cls(
            host=settings.host,
            allowed_hosts=tuple(
                host.strip() for host in settings.bottega_allowed_hosts.split(",") if host.strip()
            ),
            token=settings.bottega_token,
            passcode=settings.bottega_passcode,
            max_body_bytes=settings.bottega_max_body_bytes,
            rate_limit=settings.bottega_rate_limit,
            network=NetworkLimits(
                connections=settings.bottega_max_connections,
                connections_per_address=settings.bottega_max_connections_per_address,
                requests_per_user=settings.bottega_max_requests_per_user,
                websockets_per_user=settings.bottega_max_websockets_per_user,
                streams_per_user=settings.bottega_max_streams_per_user,
                half_open_seconds=settings.bottega_half_open_seconds,
            ),
            proxies=TrustedProxies.parse(settings.bottega_trusted_proxies),
            settings=settings,
            **more,
        )

    def __post_init__(self) -> None:
        if not self.requires_credentials and (reason := self._lets_others_in()):
            raise ConfigurationError(
                f"{reason}, and nobody would have to say who they are: everybody would be the "
                "owner. Set BOTTEGA_PASSCODE for the web app and BOTTEGA_TOKEN for programs, or "
                "unset it."
            )
        if not is_loopback(self.host) and not self.token:
            raise ConfigurationError(
                f"HOST={self.host!r} lets other machines in, so BOTTEGA_TOKEN must be set (and "
                "BOTTEGA_PASSCODE, to use the web app from there). Or bind 127.0.0.1."
            )

    def _lets_others_in(self) -> str | None:
        outside = [
            host
            for host in self.allowed_hosts
            if (named := Authority.parse(host)) is None or not is_loopback(named.name)
        ]
        if outside:
            return f"BOTTEGA_ALLOWED_HOSTS={','.join(outside)!r} lets others in"
        if self.proxies.networks:
            return f"{SETTING} says that a proxy lets others in"
        return None

    @property
    def requires_credentials(self) -> bool:
        return bool(self.token or self.passcode)

    @property
    def tokens(self) -> tuple[str, ...]:
        return tuple(token for token in (self.token, self.process_token) if token)
