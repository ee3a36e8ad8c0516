"""What can go wrong with a source, in the house's tree of errors."""

from bottega.errors import Conflict, Unavailable


class SourceFailed(Unavailable):
    """It cannot be reached, ended, or answered in a way that makes no sense."""

    def __init__(self, slug: str, message: str) -> None:
        super().__init__(f"The source {slug!r} {message}", source=slug)
        self.slug = slug


class SourceTimedOut(SourceFailed):
    """It did not answer in the time that its configuration gives it."""


class NeedsAuth(Conflict):
    """A credential or a sign-in is missing; only a person can give it."""

    def __init__(self, slug: str, message: str, *, credential: str | None = None) -> None:
        super().__init__(
            f"The source {slug!r} {message}", source=slug, needs_auth=True, credential=credential
        )
        self.slug = slug
        self.credential = credential


class ConnectionLost(Exception):
    """The far side went away under a call. Whether it had begun to work on it decides what may be
    done again."""

    def __init__(self, reason: SourceFailed | NeedsAuth, *, reached: bool) -> None:
        super().__init__(reason.message)
        self.reason = reason
        self.reached = reached
