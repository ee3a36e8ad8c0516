"""Work that a message starts and that takes longer than its connection can wait for.

A connection handles its messages in order, so a handler that waited for a model would hold up
every keystroke behind it.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from typing import Any

import structlog

from bottega.core.clock import new_id
from bottega.core.rooms import Incoming
from bottega.errors import BottegaError, TooMany

#: Of one connection. More than a person can want at a time.
AT_ONCE = 16

log = structlog.get_logger()


class Background:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._running: Counter[str] = Counter()

    def run(
        self,
        incoming: Incoming[Any],
        work: Coroutine[Any, Any, object],
        *,
        is_announced: bool = False,
    ) -> None:
        """Start it; what it raises is answered to the sender, as a handler's errors are.

        Unless it is announced: the work itself has sent it to all of the person's windows.
        """
        connection = incoming.connection.id
        if self._running[connection] >= AT_ONCE:
            work.close()
            raise TooMany(
                f"{AT_ONCE} requests of this window are still being worked on; "
                "wait for an answer and send this one again.",
                retry_after=1,
            )
        self._running[connection] += 1
        task = asyncio.create_task(_answering(incoming, work, is_announced), name=incoming.type)
        self._tasks.add(task)

        def forget(done: asyncio.Task[None]) -> None:
            # Cancelled before its first step, the work was never begun.
            work.close()
            self._tasks.discard(done)
            self._running[connection] -= 1
            if not self._running[connection]:
                del self._running[connection]

        task.add_done_callback(forget)

    async def settle(self) -> None:
        """Return when all that is running now is done."""
        await asyncio.gather(*self._tasks)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _answering(
    incoming: Incoming[Any], work: Coroutine[Any, Any, object], is_announced: bool
) -> None:
    try:
        await work
    except BottegaError as error:
        if is_announced:
            return
        log.warning("background.refused", type=incoming.type, why=error.message)
        _reject(incoming, error.type.upper(), error.message, error.details)
    except Exception:
        reference = new_id()
        log.exception("background.failed", type=incoming.type, reference=reference)
        message = f"Something went wrong inside the server; its log has it under {reference}."
        _reject(incoming, "INTERNAL", message, {"reference": reference})


def _reject(incoming: Incoming[Any], code: str, message: str, details: dict[str, Any]) -> None:
    context = {"type": incoming.type, **details}
    problem = {"code": code, "message": message, "context": context}
    incoming.reply("connection:error", problem)
