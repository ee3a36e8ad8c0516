"""One look at a person: snapshot, question, and what follows from the answer."""

from collections.abc import Callable
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import structlog
from pydantic import BaseModel, Field

from bottega.coach.editor.state import Windows
from bottega.coach.enums import Signal
from bottega.coach.observer.context import TriageContext, format_duration
from bottega.coach.observer.rules import strongest_suspicion
from bottega.coach.observer.schemas import Nudge, NudgeContext, for_person
from bottega.coach.observer.snapshot import take_snapshot
from bottega.coach.observer.state import Nudges, ObserverState, SentNudge, Suppression
from bottega.core.llm.tasks import Answer, Task, Tier
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType

#: FR-140.
SURE_ENOUGH = 0.7

log = structlog.get_logger()

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")


class TriageVerdict(BaseModel):
    should_nudge: bool
    confidence: float = Field(ge=0, le=1)
    signal: Signal
    reasoning: str = Field(description="For the log; never shown to the learner.")
    suggested_context: NudgeContext = Field(description="What the nudge may refer to.")


def prompt(context: TriageContext) -> str:
    return context.model_dump_json()


def offline(context: TriageContext) -> TriageVerdict:
    suspicion = strongest_suspicion(context)
    if suspicion is None:
        return TriageVerdict(
            should_nudge=False,
            confidence=0.0,
            signal=Signal.NO_NUDGE,
            reasoning="No rule sees anything that is worth a word.",
            suggested_context=known_context(context),
        )
    return TriageVerdict(
        should_nudge=True,
        confidence=suspicion.confidence,
        signal=suspicion.signal,
        reasoning=f"By rule: {suspicion.reasoning}.",
        suggested_context=known_context(context, suspicion.file),
    )


def known_context(context: TriageContext, file: str | None = None) -> NudgeContext:
    """What the snapshot itself says of where the learner is, or of another file than that."""
    is_here = file in (None, context.current_file) and context.current_file is not None
    return NudgeContext(
        current_file=file or context.current_file,
        expected_file=context.next_expected_file,
        time_in_file=format_duration(context.in_current_file_for) if is_here else None,
        phase_description=context.current_phase.description if context.current_phase else None,
    )


observer_triage = Task("observer_triage", Tier.FAST, INSTRUCTIONS, prompt, TriageVerdict, offline)


class ObserverTriage:
    def __init__(
        self, core: Core, windows: Windows, nudges: Nudges, now: Callable[[], float]
    ) -> None:
        self._core = core
        self._windows = windows
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

    async def _hold_back(self, state: ObserverState, verdict: TriageVerdict) -> None:
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
        self, state: ObserverState, context: TriageContext, answer: Answer[TriageVerdict]
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
        self._nudges.add(state.editor.user_id, SentNudge(state.session_id, sent_at, nudge))
        self._windows.send(state.editor, nudge)


def _complete(suggested: NudgeContext, context: TriageContext) -> NudgeContext:
    """A model may leave out what the snapshot knows."""
    said = suggested.model_dump(exclude_none=True)
    return known_context(context).model_copy(update=said)
