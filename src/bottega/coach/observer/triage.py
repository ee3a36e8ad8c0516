"""One look at a person: snapshot, question, and what follows from the answer."""

from collections.abc import Callable
from datetime import UTC, datetime
from math import inf

import structlog

from bottega.coach.desk.voice import Voice
from bottega.coach.enums import Signal
from bottega.coach.observer.context import TriageContext
from bottega.coach.observer.nudges import Nudges, SentNudge
from bottega.coach.observer.snapshot import take_snapshot
from bottega.coach.observer.state import ObserverState, Suppression
from bottega.coach.observer.wording import for_person
from bottega.coach.prompts.observer_triage import Verdict, known_context, observer_triage
from bottega.coach.protocol.learning import Nudge, NudgeContext
from bottega.core.actions import ActionType
from bottega.core.llm.tasks import Answer
from bottega.core.services import Core

#: FR-140.
SURE_ENOUGH = 0.7

log = structlog.get_logger()


class Triage:
    def __init__(self, core: Core, voice: Voice, nudges: Nudges, now: Callable[[], float]) -> None:
        self._core = core
        self._voice = voice
        self._nudges = nudges
        self._now = now

    async def evaluate(self, state: ObserverState) -> None:
        """FR-147: the state's flag is set by who begins it, and lowered here however it ends."""
        try:
            await self._evaluate(state)
            state.last_evaluation_timestamp = self._now()
        finally:
            state.evaluation_in_progress = False

    async def _evaluate(self, state: ObserverState) -> None:
        context = await take_snapshot(self._core.database, state, self._now())
        answer = await self._core.gateway.call(
            observer_triage, context, session_id=state.session_id
        )
        if not state.active:  # EC-66
            return
        verdict = answer.output
        log.debug("observer.verdict", session=state.session_id, **verdict.model_dump(mode="json"))
        if not verdict.should_nudge or state.muted:  # muted while the model was thinking
            return
        if verdict.signal == Signal.NO_NUDGE:  # EC-67
            log.warning("observer.contradiction", session=state.session_id, why=verdict.reasoning)
        elif verdict.confidence < SURE_ENOUGH:
            await self._hold_back(state, verdict)
        else:
            await self._send(state, context, answer)

    async def _hold_back(self, state: ObserverState, verdict: Verdict) -> None:
        """FR-141."""
        await self._core.actions.log_action(
            state.session_id,
            ActionType.NUDGE_SUPPRESSED,
            {
                "signal": verdict.signal,
                "confidence": verdict.confidence,
                "reason": Suppression.LOW_CONFIDENCE,
            },
        )

    async def _send(
        self, state: ObserverState, context: TriageContext, answer: Answer[Verdict]
    ) -> None:
        """FR-140. Logged and kept even if no window is open to show it (EC-68)."""
        now, verdict = self._now(), answer.output
        state.last_nudge_timestamp = now
        if context.user_idle:
            state.idle_patience = inf
        known = _complete(verdict.suggested_context, context)
        nudge = Nudge(
            signal=verdict.signal,
            confidence=verdict.confidence,
            context=known,
            message=for_person(verdict.signal, context.dreyfus_stage, known),
            offline=answer.offline,
        )
        await self._core.actions.log_action(
            state.session_id,
            ActionType.NUDGE_SENT,
            {"signal": verdict.signal, "confidence": verdict.confidence},
        )
        sent_at = datetime.fromtimestamp(now, UTC)
        self._nudges.add(state.desk.user_id, SentNudge(state.session_id, sent_at, nudge))
        self._voice.say(state.desk, nudge)


def _complete(suggested: NudgeContext, context: TriageContext) -> NudgeContext:
    """A model may leave out what the snapshot knows."""
    said = suggested.model_dump(exclude_none=True)
    return known_context(context).model_copy(update=said)
