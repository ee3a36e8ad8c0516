"""The runs of a session put into its conversation: what they asked, were told and answered.

A run goes on by itself, also while nobody listens and after a restart. Its events are the truth;
the conversation is brought up to them whenever somebody looks. A message's id comes from the event
it tells of: however often a run is told, by however many processes, each thing is said once.
"""

import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from bottega.core.runs import Run, RunEvent
from bottega.core.runs.run import Happening
from bottega.core.services import Core
from bottega.research.pipeline.schemas import KIND, ExitReason, ResearchOrder, ResearchOutcome
from bottega.research.pipeline.state import ResearchEvent

#: Of one session, the newest.
MOST_RUNS = 100
PAGE = 1_000


@dataclass(frozen=True, slots=True)
class RunMessage:
    id: str
    role: Literal["user", "assistant"]
    content: dict[str, Any]
    text: str


def message_of(event: RunEvent) -> RunMessage | None:
    """What the event has to say to people, if anything."""
    match event.type:
        case Happening.QUEUED:
            order = ResearchOrder.model_validate(event.payload["input"])
            about = {"agent": order.agent, "library": order.library}
            return _message(event, "user", "question", order.question, about)
        case ResearchEvent.PAUSE_MESSAGE:
            told = event.payload
            about = {"stage": told["stage"], "kind": told["kind"]}
            return _message(event, "assistant", "pause", told["text"], about)
        case Happening.REPLIED:
            return _message(event, "user", "reply", str(event.payload.get("message") or ""))
        case Happening.COMPLETED:
            return _completed(event)
        case Happening.FAILED:
            return _failed(event)
        case Happening.CANCELLED:
            text = "The research was cancelled. What it had found by then is kept."
            return _message(event, "assistant", "info", text)
    return None


def _completed(event: RunEvent) -> RunMessage:
    outcome = ResearchOutcome.model_validate(event.payload["output"])
    if outcome.exit_reason is ExitReason.BREAKOUT:
        text = "You have left the research. What it had found by then is kept, and I know of it."
        if outcome.open_question is None:
            text += " What would you like to know?"
        return _message(event, "assistant", "info", text, {"open_question": outcome.open_question})
    about = {"status": outcome.status, "output_file_path": outcome.output_file_path}
    return _message(event, "assistant", "answer", outcome.markdown, about)


def _failed(event: RunEvent) -> RunMessage:
    error = event.payload.get("error") or {}
    text = (
        f"The research had to stop: {error.get('message', 'for an unknown reason.')}\n\n"
        "What was found before is kept. You can ask again, or go on without it."
    )
    return _message(event, "assistant", "error", text, {"error": error.get("type")})


def _message(
    event: RunEvent,
    role: Literal["user", "assistant"],
    type: str,
    text: str,
    about: dict[str, Any] | None = None,
) -> RunMessage:
    content = {"type": type, "run_id": event.run_id, **(about or {})}
    return RunMessage(_id_of(event), role, content, text)


def _id_of(event: RunEvent) -> str:
    """As every message's: `msg-{milliseconds}-{12 hex digits}`."""
    mark = hashlib.sha256(f"{event.run_id}:{event.position}".encode()).hexdigest()[:12]
    return f"msg-{round(event.created_at.timestamp() * 1000)}-{mark}"


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
                if (said := message_of(event)) is not None:
                    await self._core.conversations.append(
                        run.session_id,
                        said.role,
                        said.content,
                        said.text,
                        user_id=user_id,
                        id=said.id,
                    )
                self._told[run.id] = event.position
