"""Research runs as every door shows them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from bottega.core.runs import Run, RunEvent, RunStatus
from bottega.research.agents.definition import Depth, StageConfig
from bottega.research.answering.answer import Answer
from bottega.research.pipeline.orders import ExitReason, ResearchOrder, ResearchOutcome
from bottega.research.pipeline.outputs import AnswerStatus
from bottega.research.pipeline.state import state_of
from bottega.research.story import StageProgress, Story, Utterance


class View(BaseModel):
    # What is shown is shown whole: no field is ever left out.
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class WaitingOption(View):
    #: What to reply.
    key: str
    label: str


class Waiting(View):
    """What a paused run asks."""

    #: `READY`, `CLARIFYING`, `CALIBRATED` …
    kind: str
    #: Markdown, with the options as a menu.
    text: str
    #: The same without the menu, for those who show the options themselves.
    body: str
    options: list[WaitingOption] = []
    #: What can be written in the place of an option.
    otherwise: str = ""
    #: Send it back with the reply, so that it answers this question and no later one.
    key: str


class ResearchRunView(View):
    id: str
    session_id: str | None
    status: RunStatus
    question: str
    library: str
    agent: str
    depth: Depth | None
    follow_up_of: str | None
    waiting_for: Waiting | None
    #: Once it has ended.
    exit_reason: ExitReason | None = None
    answer_status: AnswerStatus | None = None
    #: US dollars; while it goes on, only where one run is shown.
    cost: float = 0.0
    error: dict[str, Any] | None
    created_at: datetime
    ended_at: datetime | None
    #: The newest event's, to follow it from.
    position: int

    @classmethod
    def of(cls, run: Run, cost: float | None = None) -> "ResearchRunView":
        order = ResearchOrder.model_validate(run.input)
        outcome = ResearchOutcome.model_validate(run.output) if run.output else None
        return cls(
            id=run.id,
            session_id=run.session_id,
            status=run.status,
            question=order.question,
            library=order.library,
            agent=order.agent,
            depth=order.depth,
            follow_up_of=order.follow_up_of,
            waiting_for=_waiting(run),
            exit_reason=outcome.exit_reason if outcome else _reason(run),
            answer_status=outcome.status if outcome else None,
            cost=outcome.cost if outcome else cost or 0.0,
            error=run.error,
            created_at=run.created_at,
            ended_at=run.ended_at,
            position=run.position,
        )


class RunState(ResearchRunView):
    """One run, with how far it is."""

    state: dict[str, Any]
    #: In order, those that are still ahead last.
    stages: list[StageProgress]
    #: What was said at its pauses.
    talk: list[Utterance]

    @classmethod
    def showing(
        cls, run: Run, events: Sequence[RunEvent], planned: Sequence[StageConfig] = ()
    ) -> "RunState":
        """With the stages that its agent has planned, as long as it goes on."""
        state, story = state_of(events), Story.of(events)
        view = ResearchRunView.of(run, state.cost)
        ahead = [] if run.status.is_final else story.ahead(planned)
        return cls(
            **dict(view),
            state=state.to_json(),
            stages=[*story.stages, *ahead],
            talk=story.talk,
        )


class ResearchAnswer(Answer):
    """An answer as data: sections, claims, citations, verification."""


class AnswerView(View):
    run_id: str
    exit_reason: ExitReason
    status: AnswerStatus | None
    #: The document; empty after a breakout.
    markdown: str
    #: The same as data; null after a breakout.
    answer: ResearchAnswer | None
    output_file_path: str | None
    cost: float
    open_question: str | None

    @classmethod
    def of(cls, run_id: str, outcome: ResearchOutcome) -> "AnswerView":
        answer = ResearchAnswer.model_validate(outcome.answer) if outcome.answer else None
        return cls(run_id=run_id, **{**dict(outcome), "answer": answer})


def _waiting(run: Run) -> Waiting | None:
    if run.waiting_for is None:
        return None
    prompt = run.waiting_for["prompt"] or {}
    text = prompt.get("text", run.waiting_for["reason"])
    return Waiting(
        kind=prompt.get("kind", ""),
        text=text,
        body=prompt.get("body", text),
        options=prompt.get("options", []),
        otherwise=prompt.get("otherwise", ""),
        key=run.waiting_for["key"],
    )


def _reason(run: Run) -> ExitReason | None:
    if run.status is RunStatus.FAILED:
        return ExitReason.ERROR
    return ExitReason.CANCELLED if run.status is RunStatus.CANCELLED else None
