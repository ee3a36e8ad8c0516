"""The runs of a session put into its conversation: what they asked, were told and answered.

A run goes on by itself, also while nobody listens and after a restart. Its events are the truth;
the conversation is brought up to them whenever somebody looks.
"""

from bottega.core.conversations import Message
from bottega.core.runs import Run, RunEvent
from bottega.core.services import Core
from bottega.research.pipeline.orders import KIND
from bottega.research.talking.run_messages import message_of

#: Of one session, the newest.
MOST_RUNS = 100
PAGE = 1_000


class RunRecord:
    def __init__(self, core: Core) -> None:
        self._core = core
        #: Up to which event each run has been told here; only to look less often.
        self._told: dict[str, int] = {}

    async def catch_up(self, session_id: str, user_id: str | None) -> None:
        """Say what the session's runs have to say and have not said yet, the oldest first."""
        runs = await self._core.runs.list(
            kind=KIND, session_id=session_id, user_id=user_id, limit=MOST_RUNS
        )
        for run in reversed(runs):
            await self._tell(run, user_id)

    async def _tell(self, run: Run, user_id: str | None) -> None:
        assert run.session_id is not None
        while self._told.get(run.id, 0) < run.position:
            events = await self._core.runs.events(
                run.id, after=self._told.get(run.id, 0), limit=PAGE
            )
            if not events:
                return
            for event in events:
                await self._say(run.session_id, event, user_id)
                self._told[run.id] = event.position

    async def _say(self, session_id: str, event: RunEvent, user_id: str | None) -> Message | None:
        message = message_of(event)
        if message is None:
            return None
        return await self._core.conversations.append(
            session_id,
            message.role,
            message.content,
            message.text,
            user_id=user_id,
            id=message.id,
        )
