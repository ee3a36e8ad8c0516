"""The observer of a session, with a clock that the test moves."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottega.coach.enums import HintLevel, PhaseStatus, Signal
from bottega.coach.observer.schemas import NudgeContext
from bottega.coach.observer.service import Observer
from bottega.coach.observer.triage import TriageVerdict
from bottega.coach.plans.repository import NewPhase
from bottega.core.sessions.actions import ActionType
from tests.coach.builders import CoachApp, open_coach

ORDERS = "src/bakery/orders.py"
PRICES = "src/bakery/prices.py"
README = "README.md"


class MovingClock:
    """Begins now, so that it agrees with what the database writes, and moves when told to."""

    def __init__(self) -> None:
        self._now = time.time()
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + seconds, woken))
        await woken

    @property
    def sleeping(self) -> int:
        return sum(not woken.done() for _, woken in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Wake everyone whose time comes, in order, and let each go on until it sleeps again."""
        await asyncio.sleep(0)
        end = self._now + seconds
        while due := sorted(
            (moment, number)
            for number, (moment, woken) in enumerate(self._sleepers)
            if moment <= end and not woken.done()
        ):
            moment, number = due[0]
            self._now = max(self._now, moment)
            self._sleepers[number][1].set_result(None)
            await asyncio.sleep(0)
        self._now = end


@dataclass
class ObservedSession:
    app: CoachApp
    observer: Observer
    clock: MovingClock
    session_id: str = ""

    async def start_session(self) -> str:
        self.session_id = (await self.app.start_session()).id
        return self.session_id

    async def begin_phase(self, *expected: str) -> None:
        await self.app.add_plan(
            NewPhase(
                1,
                "Make the total exact",
                "Find out where the cent goes missing",
                HintLevel.FILE,
                expected_files=expected or (ORDERS,),
                status=PhaseStatus.ACTIVE,
            )
        )

    async def log(self, type: ActionType, **data: Any) -> None:
        """The person does something; whatever the observer makes of it is over afterwards."""
        await self.app.core.actions.log_action(self.session_id, type, data)
        await self.observer.settled()

    async def open(self, path: str) -> None:
        await self.log(ActionType.FILE_OPEN, path=path)

    async def edit(self, path: str, times: int = 1) -> None:
        for _ in range(times):
            self.observer.edited(self.app.editor, path)
        await self.observer.settled()

    async def calls(self) -> int:
        """How often the model was asked, or the rules."""
        return (await self.app.core.ledger.totals(self.session_id)).total.calls

    async def logged(self, type: ActionType) -> list[dict[str, Any]]:
        actions = await self.app.actions(self.session_id)
        return [action.data or {} for action in actions if action.action_type == type]

    async def suppressed(self) -> list[dict[str, Any]]:
        return await self.logged(ActionType.NUDGE_SUPPRESSED)


@asynccontextmanager
async def open_observed(
    root: Path, *, start: bool = True, **options: Any
) -> AsyncIterator[ObservedSession]:
    """An app with an observer, and a session unless `start` says otherwise."""
    async with open_coach(root, **options) as app:
        clock = MovingClock()
        observer = Observer(app.core, app.editors, app.windows, now=clock.now, sleep=clock.sleep)
        await observer.start()
        try:
            observed = ObservedSession(app, observer, clock)
            if start:
                await observed.start_session()
            yield observed
        finally:
            await observer.stop()


def verdict(
    signal: Signal = Signal.WRONG_FILE,
    confidence: float = 0.85,
    *,
    should_nudge: bool = True,
    **context: str | None,
) -> TriageVerdict:
    return TriageVerdict(
        should_nudge=should_nudge,
        confidence=confidence,
        signal=signal,
        reasoning="as scripted",
        suggested_context=NudgeContext(**context),
    )


QUIET = verdict(Signal.NO_NUDGE, 0.1, should_nudge=False)
