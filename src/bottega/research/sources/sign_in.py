"""Signing in to a source that wants OAuth: a person's visit to a page, and the tokens from it.

Discovery, registration, PKCE, resource indicators and refreshing are the SDK's; here is the part
between: a page address handed to a person, who comes back to our callback with a code.
"""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from bottega.errors import Forbidden, InvalidInput, NotFound, TooMany
from bottega.research.sources.definition import AuthType, HttpConfig, McpSource
from bottega.research.sources.diagnosis import Observations
from bottega.research.sources.launch import Launches, NeedsAuth, SourceFailed, SourceTimedOut
from bottega.research.sources.oauth import make_provider, open_grants, revoke

if TYPE_CHECKING:
    from mcp.client.auth import OAuthClientProvider
    from mcp.shared.auth import AuthorizationCodeResult

#: Seconds that a person may take, and that the machines may take before and after.
FOR_A_PERSON = 600.0
FOR_MACHINES = 30.0
MOST_AT_ONCE = 50
#: What makes a source refuse us, and name where to sign in.
QUESTION = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


@dataclass(eq=False)
class PendingSignIn:
    """One that is under way."""

    source: McpSource
    user_id: str
    callback_url: str
    #: Where the person agrees, and what came back with them.
    page: "asyncio.Future[str]" = field(default_factory=asyncio.Future)
    reply: "asyncio.Future[AuthorizationCodeResult]" = field(default_factory=asyncio.Future)
    state: str = ""

    async def send(self, page: str) -> None:
        if urlsplit(page).scheme not in ("http", "https"):
            raise SourceFailed(self.source.slug, "wants to send you to what is no web page.")
        self.state = parse_qs(urlsplit(page).query)["state"][0]
        self.page.set_result(page)

    async def come_back(self) -> "AuthorizationCodeResult":
        return await self.reply


class SignIns:
    def __init__(self, launches: Launches) -> None:
        self._launches = launches
        self._under_way: dict[PendingSignIn, asyncio.Task[None]] = {}

    async def auth(self, source: McpSource, user_id: str) -> "OAuthClientProvider | None":
        """What signs our requests. Raises `NeedsAuth` before a source is bothered in vain."""
        if not wants_sign_in(source):
            return None
        grants = await open_grants(self._launches, source, user_id)
        if await grants.get_tokens() is None:
            raise NeedsAuth(
                source.slug, "wants you to sign in. Start a sign-in and follow its page."
            )
        return await make_provider(source, grants)

    async def is_signed_in(self, source: McpSource, user_id: str) -> bool | None:
        """`None` for a source that wants no sign-in."""
        if not wants_sign_in(source):
            return None
        grants = await open_grants(self._launches, source, user_id)
        return await grants.get_tokens() is not None

    async def expire(self, source: McpSource, user_id: str) -> bool:
        """Whether the tokens can still be refreshed; then the next use does it."""
        if not wants_sign_in(source):
            return False
        return await (await open_grants(self._launches, source, user_id)).expire()

    async def start(self, source: McpSource, user_id: str, callback_url: str) -> str:
        """The page where the person agrees. They come back to `callback_url`."""
        if not wants_sign_in(source):
            raise InvalidInput(
                f"The source {source.slug!r} has no sign-in: its auth is not 'oauth'."
            )
        for earlier, task in list(self._under_way.items()):
            if (earlier.source.slug, earlier.user_id) == (source.slug, user_id):
                await _cancel(task)
        if len(self._under_way) >= MOST_AT_ONCE:
            raise TooMany("Too many sign-ins are under way. Finish one, or try again later.")
        sign_in = PendingSignIn(source, user_id, callback_url)
        task = self._under_way[sign_in] = asyncio.create_task(self._work(sign_in))
        task.add_done_callback(lambda done: self._over(sign_in, done))
        waited: set[asyncio.Future[Any]] = {task, sign_in.page}
        await asyncio.wait(waited, timeout=FOR_MACHINES, return_when=asyncio.FIRST_COMPLETED)
        if sign_in.page.done():
            return sign_in.page.result()
        await _finished(task, source, "took too long to prepare a sign-in.")
        raise InvalidInput(f"The source {source.slug!r} asks for no sign-in: it answered without.")

    async def finish(
        self,
        state: str,
        code: str | None,
        *,
        error: str | None = None,
        issuer: str | None = None,
        user_id: str | None = None,
    ) -> PendingSignIn:
        """What the person brought back to the callback. A state is good once."""
        from mcp.shared.auth import AuthorizationCodeResult

        sign_in = next((each for each in self._under_way if state and each.state == state), None)
        if sign_in is None or sign_in.reply.done():
            raise NotFound("No such sign-in is under way: it ran out, or is over. Start again.")
        if user_id is not None and user_id != sign_in.user_id:
            raise Forbidden("This sign-in was begun by somebody else. Start one of your own.")
        task = self._under_way[sign_in]
        if error or not code:
            await _cancel(task)
            reason = (error or "no code came back")[:200]
            raise NeedsAuth(sign_in.source.slug, f"was not signed in to: {reason}.")
        sign_in.reply.set_result(AuthorizationCodeResult(code=code, state=state, iss=issuer))
        await asyncio.wait({task}, timeout=FOR_MACHINES)
        await _finished(task, sign_in.source, "took too long to finish the sign-in.")
        return sign_in

    async def forget(self, source: McpSource, user_id: str) -> None:
        """Sign out: there and here."""
        if not wants_sign_in(source):
            return
        grants = await open_grants(self._launches, source, user_id)
        if await grants.get_tokens() is not None:
            await revoke(grants)
        await grants.forget()

    async def stop(self) -> None:
        for task in list(self._under_way.values()):
            await _cancel(task)

    async def _work(self, sign_in: PendingSignIn) -> None:
        """Ask the source something, and sign in when it refuses."""
        import httpx2
        from mcp.client.auth import OAuthFlowError

        from bottega.research.sources.transports import client

        source = sign_in.source
        assert isinstance(source.config, HttpConfig)
        grants = await open_grants(self._launches, source, sign_in.user_id)
        grants.callback_url = sign_in.callback_url
        provider = await make_provider(source, grants, sign_in.send, sign_in.come_back)
        try:
            async with (
                asyncio.timeout(FOR_A_PERSON),
                client(HEADERS, Observations(), provider, FOR_MACHINES) as http,
            ):
                answer = await http.post(source.config.url, json=QUESTION)
        except TimeoutError:
            raise SourceTimedOut(source.slug, "was not signed in to in time.") from None
        except (OAuthFlowError, httpx2.HTTPError, httpx2.StreamError, ValueError) as error:
            reason = self._launches.secrets.redact(str(error) or type(error).__name__)[:300]
            raise SourceFailed(source.slug, f"could not be signed in to: {reason}") from error
        if answer.status_code in (401, 403):
            raise NeedsAuth(source.slug, f"refuses the new sign-in (HTTP {answer.status_code}).")

    def _over(self, sign_in: PendingSignIn, task: "asyncio.Task[None]") -> None:
        self._under_way.pop(sign_in, None)
        if not task.cancelled():
            task.exception()  # nobody may be waiting any more


def wants_sign_in(source: McpSource) -> bool:
    return isinstance(source.config, HttpConfig) and source.config.auth.type is AuthType.OAUTH


async def _finished(task: "asyncio.Task[None]", source: McpSource, too_slow: str) -> None:
    """Raises what the task raised."""
    if not task.done():
        await _cancel(task)
        raise SourceTimedOut(source.slug, too_slow)
    if task.cancelled():
        raise NotFound(f"This sign-in at {source.slug!r} was ended by a newer one. Use that one.")
    task.result()


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait({task})
