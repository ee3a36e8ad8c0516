"""A reverse proxy before the house: whom we believe about who is really there.

`X-Forwarded-For`, `-Proto` and `-Host` are the word of whoever sent the request. They count when
that is an address of `BOTTEGA_TRUSTED_PROXIES`, and are taken away otherwise. A request from
elsewhere with one of these, or with any other header that only a proxy or a tunnel adds, was passed
on by one that we do not know, so whoever is behind it is never taken for the local user because
they reached us on loopback.
"""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from bottega.errors import ConfigurationError

SETTING = "BOTTEGA_TRUSTED_PROXIES"

#: In the scope of a request that a proxy passed on which we do not trust.
FORWARDED_BY_STRANGER = "bottega.forwarded_by_stranger"
#: Headers that only a proxy, a tunnel or a network of caches adds, by their whole name or by how
#: they begin (`*`). docs/security.md has the same list.
PASSED_ON = tuple(Path(__file__).with_name("passed_on.txt").read_text().split())
_NAMES = frozenset(name.encode() for name in PASSED_ON if not name.endswith("*"))
_BEGINNINGS = tuple(name[:-1].encode() for name in PASSED_ON if name.endswith("*"))
SCHEMES = {b"http": ("http", "ws"), b"https": ("https", "wss")}

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class TrustedProxies:
    networks: tuple[Network, ...] = field(default=())

    @classmethod
    def parse(cls, text: str) -> "TrustedProxies":
        """Addresses and networks, by comma; raises `ConfigurationError` for anything else."""
        return cls(tuple(_network(word.strip()) for word in text.split(",") if word.strip()))

    def trusts(self, address: str) -> bool:
        return bool(self.networks) and _is_within(address, self.networks)

    def client_among(self, chain: Iterable[str]) -> str | None:
        """Who is really there: from the right, the first whom we do not trust to pass on."""
        client = None
        for address in reversed([each for each in chain if each]):
            client = address
            if not self.trusts(address):
                break
        return client


class ForwardedHeaders:
    """Puts what trusted proxies say into the scope, and takes these headers away."""

    def __init__(self, app: ASGIApp, proxies: TrustedProxies) -> None:
        self.app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            said = [(name, value) for name, value in scope["headers"] if _is_passed_on(name)]
            if said:
                scope = self._believe(scope, said)
        await self.app(scope, receive, send)

    def _believe(self, scope: Scope, said: Headers) -> Scope:
        peer = scope["client"][0] if scope.get("client") else ""
        kept = [(name, value) for name, value in scope["headers"] if not _is_passed_on(name)]
        if not self._proxies.trusts(peer):
            return {**scope, "headers": kept, FORWARDED_BY_STRANGER: peer}
        told = _last(said)
        changed = {**scope, "headers": kept}
        chain = b",".join(value for name, value in said if name == b"x-forwarded-for")
        client = self._proxies.client_among(map(_bare, chain.decode("latin-1").split(",")))
        if client is not None:
            changed["client"] = (client, 0)
        if schemes := SCHEMES.get(told.get(b"x-forwarded-proto", b"").lower()):
            changed["scheme"] = schemes[scope["type"] == "websocket"]
        if host := told.get(b"x-forwarded-host"):
            others = [(name, value) for name, value in kept if name != b"host"]
            changed["headers"] = [*others, (b"host", host)]
        return changed


def _is_passed_on(header: bytes) -> bool:
    return header in _NAMES or header.startswith(_BEGINNINGS)


def _last(said: Headers) -> dict[bytes, bytes]:
    """Of each header its last word, which the nearest proxy wrote."""
    return {name: value.rpartition(b",")[2].strip() for name, value in said}


def _bare(address: str) -> str:
    """Without the port that some proxies add, and the brackets around IPv6."""
    address = address.strip()
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ConfigurationError(
            f"{SETTING}={text!r} is no address or network ({error}). Name proxies as 127.0.0.1, "
            "::1 or 10.0.0.0/24, separated by commas."
        ) from None


@lru_cache(maxsize=1024)
def _is_within(address: str, networks: tuple[Network, ...]) -> bool:
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    # On a socket for both, a client by IPv4 has an address of IPv6.
    plain = getattr(known, "ipv4_mapped", None) or known
    return any(plain in network for network in networks)
