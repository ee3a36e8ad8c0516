"""The web app's passcode, and the signed cookie that says it was given.

The cookie is `{user}.{expires}.{signature}`. The key is made from the passcode and a secret of the
installation, so a new passcode signs everybody out.
"""

import hashlib
import hmac
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from bottega.core.users import LOCAL_USER
from bottega.errors import Unauthorized
from bottega.server.limits import RateLimiter

COOKIE = "bottega_session"
LIFETIME = 7 * 24 * 3600

#: Attempts that one client, and all clients together, have at once and then win back a minute.
ATTEMPTS = 5
ATTEMPTS_OF_ALL = 30


class Passcode:
    def __init__(
        self, passcode: str, secret: bytes, clock: Callable[[], float] = time.time
    ) -> None:
        self._passcode = passcode.encode()
        self._key = hashlib.scrypt(self._passcode, salt=secret, n=2**14, r=8, p=1, dklen=32)
        self._clock = clock
        self._each = RateLimiter(ATTEMPTS / 60, ATTEMPTS)
        self._all = RateLimiter(ATTEMPTS_OF_ALL / 60, ATTEMPTS_OF_ALL)

    def sign_in(self, attempt: str, client: str) -> str:
        """The cookie's value for a right passcode; a wrong one, or too many, is an error."""
        self._each.check(client, "sign-in attempts")
        self._all.check("all clients", "sign-in attempts")
        if not hmac.compare_digest(attempt.encode(), self._passcode):
            raise Unauthorized("That is not the passcode. It is the value of BOTTEGA_PASSCODE.")
        content = f"{LOCAL_USER}.{int(self._clock()) + LIFETIME}"
        return f"{content}.{self._sign(content)}"

    def user_of(self, cookie: str) -> str | None:
        """Whose cookie it is; nobody's if it is forged or has expired."""
        content, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign(content).encode()):
            return None
        user, _, expires = content.rpartition(".")
        return user if int(expires) > self._clock() else None

    def _sign(self, content: str) -> str:
        return hmac.new(self._key, content.encode(), hashlib.sha256).hexdigest()


def read_cookie(header: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return morsel.value if morsel else None
