"""The web app's passcode. Whoever gives it is signed in (`core/sign_ins.py`).

What is kept with a sign-in as its proof is made from the passcode and a secret of the installation,
so a new passcode signs everybody out.
"""

import asyncio
import hashlib
import hmac
import math
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie

from bottega.errors import TooMany, Unauthorized
from bottega.server.limits import REMEMBERED_CLIENTS, RateLimiter, network_of

COOKIE = "bottega_session"

#: Attempts that one client, and all clients together, have at once and then win back a minute.
#: A site of IPv6, which has 65,536 networks, has as many as all together.
ATTEMPTS = 5
ATTEMPTS_OF_ALL = 30
#: Seconds for which a client that failed is one of those who use up what all have together.
FAILURE_SECONDS = 300.0
#: Seconds that each of the others takes when that is used up, one after the other.
SLOW_SECONDS = 0.25
#: Bits of an IPv6 address that say at which site it is.
SITE = 48


class Passcode:
    def __init__(self, passcode: str, secret: bytes) -> None:
        self._passcode = passcode.encode()
        key = hashlib.scrypt(self._passcode, salt=secret, n=2**14, r=8, p=1, dklen=32)
        #: Says that this passcode was given, and not which it is.
        self.proof = key.hex()
        self._each = RateLimiter(ATTEMPTS / 60, ATTEMPTS)
        self._sites = RateLimiter(ATTEMPTS_OF_ALL / 60, ATTEMPTS_OF_ALL)
        self._all = RateLimiter(ATTEMPTS_OF_ALL / 60, ATTEMPTS_OF_ALL)
        #: When each client that failed lately did so.
        self._failed: OrderedDict[str, float] = OrderedDict()
        self._line = asyncio.Lock()

    async def check(self, attempt: str, address: str) -> None:
        """Raises an error for a wrong passcode, and for too many attempts.

        Others' failures never refuse a client that has none: they would keep the owner out.
        """
        client, site = network_of(address), network_of(address, SITE)
        self._each.check(client, "sign-in attempts")
        if site != client:
            self._sites.check(site, "sign-in attempts")
        if wait := self._all.wait("all clients"):
            await self._slow_down(client, math.ceil(wait))
        if not hmac.compare_digest(attempt.encode(), self._passcode):
            self._note_failure(client)
            raise Unauthorized("That is not the passcode. It is the value of BOTTEGA_PASSCODE.")

        self._failed.pop(client, None)

    async def _slow_down(self, client: str, seconds: int) -> None:
        if time.monotonic() - self._failed.get(client, -math.inf) < FAILURE_SECONDS:
            raise TooMany(
                f"Too many sign-in attempts have failed, some of {client}: try again in "
                f"{seconds} s.",
                retry_after=seconds,
            )
        async with self._line:
            await asyncio.sleep(SLOW_SECONDS)

    def _note_failure(self, client: str) -> None:
        self._failed[client] = time.monotonic()
        self._failed.move_to_end(client)
        if len(self._failed) > REMEMBERED_CLIENTS:
            self._failed.popitem(last=False)


def read_cookie(header: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return morsel.value if morsel else None
