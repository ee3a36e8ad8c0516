"""What a run tells, on its way into the list: events that come together go in together.

A transaction takes milliseconds, and steps that are awaited together tell of themselves at the
same moment. Whoever comes while one is under way waits for it, and the next takes along all that
has gathered by then.
"""

import asyncio

from bottega.core.runs.history import Draft, History


class Outbox:
    def __init__(self, run_id: str, history: History) -> None:
        self._run_id = run_id
        self._history = history
        self._waiting: list[Draft] = []
        self._writing = asyncio.Lock()

    async def put(self, draft: Draft) -> None:
        """Return when it is in the list."""
        self._waiting.append(draft)
        async with self._writing:
            await asyncio.sleep(0)  # for those who come at this very moment
            if not any(draft is other for other in self._waiting):
                return  # somebody took it along
            batch, self._waiting = self._waiting, []
            try:
                await self._history.tell(self._run_id, batch)
            except BaseException:
                # Those who wait write their own; recording twice is once.
                self._waiting = [*batch, *self._waiting]
                raise
