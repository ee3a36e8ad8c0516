"""Runs of one kind that work for a person in a session: read, watched, cancelled by its doors."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from pydantic import BaseModel

from bottega.core.runs import Run, RunEvent, not_ended
from bottega.core.services import Core
from bottega.errors import Conflict, NotFound, TooLarge

Result = TypeVar("Result", bound=BaseModel)


class SessionRuns(Generic[Result]):
    def __init__(self, core: Core, kind: str, *, called: str, result: str) -> None:
        """`called` is what people call such a run ("research run"), `result` what it comes to."""
        self._core = core
        self._kind = kind
        self._called = called
        self._result = result

    @property
    def _noun(self) -> str:
        return self._called.rsplit(" ", 1)[-1]

    async def get(self, run_id: str, user_id: str | None = None) -> Run:
        """With a `user_id`, only if it is that user's."""
        run = await self._core.runs.get(run_id, user_id=user_id)
        if run.kind != self._kind:
            raise NotFound(f"There is no {self._called} {run_id!r}.")
        return run

    async def events(
        self, run_id: str, *, user_id: str | None = None, after: int = 0, limit: int = 1000
    ) -> Sequence[RunEvent]:
        await self.get(run_id, user_id)
        return await self._core.runs.events(run_id, after=after, limit=limit)

    async def cancel(self, run_id: str, user_id: str | None = None) -> Run:
        """Stop it for good; what was said and found stays."""
        await self.get(run_id, user_id)
        return await self._core.runs.cancel(run_id, user_id=user_id)

    async def wait_until_settled(self, run_id: str) -> Run:
        """The run when it waits for somebody or has ended."""
        return await self._core.runs.wait(run_id)

    async def result(self, run_id: str, user_id: str | None = None) -> Result:
        """What it came to. One that has not ended is a `Conflict`; a failure is raised."""
        run = await self.get(run_id, user_id)
        if not run.status.is_final:
            raise not_ended(run, called=self._noun, lacks=self._result)
        found: Result = await self._core.runs.result(run_id)
        return found

    async def check_free(self, session_id: str) -> None:
        """Raises `Conflict` for a session in which such a run has not ended."""
        if (run := await unfinished_run(self._core, session_id, self._kind)) is not None:
            raise session_busy(self._noun, run.id, run.status)


async def unfinished_run(core: Core, session_id: str, kind: str | None = None) -> Run | None:
    """A run of the session that has not ended, the newest first."""
    runs = await core.runs.list(kind=kind, session_id=session_id)
    return next((run for run in runs if not run.status.is_final), None)


def session_busy(noun: str, run_id: str, status: str) -> Conflict:
    """For those who want a session that a run still has."""
    return Conflict(
        f"The {noun} {run_id!r} of this session is {status}. Reply to it, wait for its end, or "
        "cancel it first.",
        status=status,
        run_id=run_id,
    )


def check_length(what: str, text: str, most: int, advice: str) -> None:
    """Raises `TooLarge`, with the advice, for more characters than are taken."""
    if len(text) > most:
        raise TooLarge(
            f"The {what} has {len(text):,} characters, and {most:,} are the most. {advice}",
            length=len(text),
            limit=most,
        )
