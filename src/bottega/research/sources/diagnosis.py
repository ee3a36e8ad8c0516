"""What was noticed of a source besides its answers, and what is wrong with it, in words that a
person can act on.
"""

import asyncio
from dataclasses import dataclass, field

from pydantic import ValidationError

from bottega.core.trust.secrets import Secrets
from bottega.research.sources.definition import AuthType, HttpConfig
from bottega.research.sources.launch import Launch, NeedsAuth, SourceFailed, SourceTimedOut

#: Bytes of one message.
MOST_MESSAGE = 4 * 1024 * 1024
MOST_QUOTED = 300


@dataclass(slots=True)
class Observations:
    #: The end of what a program wrote to stderr.
    complaints: str = ""
    #: The last line of a program's output that was no message.
    noise: str = ""
    #: It sent a message over the limit.
    flooded: bool = False
    #: An address has forgotten our session: it was restarted, or the session ran out.
    session_lost: bool = False
    #: 401 or 403, the last time: nobody looked at what we asked.
    refused: int | None = None
    #: There will be no more answers, or nobody wants them any more.
    ended: asyncio.Event = field(default_factory=asyncio.Event)


def explain(
    launch: Launch, observed: Observations, error: BaseException | None, secrets: Secrets
) -> SourceFailed | NeedsAuth:
    cause = leaf(error)
    if isinstance(cause, NeedsAuth | SourceFailed):
        return cause
    if observed.refused is not None:
        return refused(launch, observed.refused)
    kind = SourceTimedOut if isinstance(cause, TimeoutError) else SourceFailed
    reason = _reason(launch, observed, cause) + _quoted(observed)
    return kind(launch.slug, secrets.redact(reason))


def was_reached(observed: Observations, error: BaseException | None) -> bool:
    """Whether the source may have begun to work on what it was asked."""
    import httpx2

    if observed.session_lost or observed.refused is not None:
        return False
    return not isinstance(leaf(error), httpx2.ConnectError | httpx2.ConnectTimeout | OSError)


def refused(launch: Launch, status: int) -> NeedsAuth:
    config = launch.source.config
    auth = config.auth if isinstance(config, HttpConfig) else None
    match auth and auth.type:
        case AuthType.OAUTH:
            return NeedsAuth(launch.slug, f"wants a new sign-in (HTTP {status}). Sign in again.")
        case AuthType.BEARER | AuthType.HEADER if auth is not None:
            return NeedsAuth(
                launch.slug,
                f"does not accept the credential {auth.credential!r} (HTTP {status}). Enter a new "
                "one under that name.",
                credential=auth.credential,
            )
    return NeedsAuth(
        launch.slug, f"wants a credential (HTTP {status}). Name it under 'auth' in its config.json."
    )


def leaf(error: BaseException | None) -> BaseException | None:
    """The first that went wrong, out of the groups that task groups wrap it in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _reason(launch: Launch, observed: Observations, error: BaseException | None) -> str:
    import httpx2
    from mcp.shared.exceptions import MCPError
    from mcp_types import CONNECTION_CLOSED

    if observed.flooded:
        return f"sent more than {MOST_MESSAGE // 1024**2} MB at once and was cut off."
    if observed.session_lost:
        return "has forgotten our session."
    config = launch.source.config
    address = config.url if isinstance(config, HttpConfig) else ""
    match error:
        case None:
            return "ended."
        case httpx2.TimeoutException() | TimeoutError():
            return "took too long to answer."
        case httpx2.ConnectError():
            return f"cannot be reached at {address}. Is it running?"
        case httpx2.HTTPError():
            return f"at {address} broke off: {_cut(error)}."
        case FileNotFoundError() | PermissionError() | NotADirectoryError():
            return (
                f"cannot be started: {launch.program[0]!r} in {str(launch.cwd)!r}: "
                f"{error.strerror}. Install it, or correct 'command' in its config.json."
            )
        case OSError():
            return f"cannot be started: {_cut(error)}."
        case MCPError() if error.code == CONNECTION_CLOSED:
            return "ended before it answered."
        case MCPError():
            return f"answered with an error: {_cut(error)} ({error.code})."
        case ValidationError():
            return "answered with something that is not MCP."
        case _:
            return f"failed: {_cut(error)}."


def _quoted(observed: Observations) -> str:
    if complaint := observed.complaints.strip():
        return f" It said: {complaint[-MOST_QUOTED:]}"
    if observed.noise:
        return f" It wrote what is no message: {observed.noise}"
    return ""


def _cut(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rstrip(".")[:MOST_QUOTED]
