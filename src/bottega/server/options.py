"""What the composition root decides about the server, as plain values."""

import os
from dataclasses import dataclass, field

from bottega.errors import ConfigurationError
from bottega.server.guard import is_loopback
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
    feature_flags: dict[str, bool] = field(default_factory=dict)
    #: Shown, secrets masked, at `/api/settings`.
    settings: Settings | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and not self.token:
            raise ConfigurationError(
                f"HOST={self.host!r} lets other machines in, so BOTTEGA_TOKEN must be set (and "
                "BOTTEGA_PASSCODE, to use the web app from there). Or bind 127.0.0.1."
            )

    @property
    def requires_credentials(self) -> bool:
        return bool(self.token or self.passcode)

    @property
    def tokens(self) -> tuple[str, ...]:
        return tuple(token for token in (self.token, self.process_token) if token)
