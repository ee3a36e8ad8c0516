"""What a run has come to, worked out from its event list and from nothing else.

The order of the list decides, never a clock. A state is immutable: one more event makes another.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from pydantic_core import to_jsonable_python

from bottega.core.runs.run import Happening, RunEvent
from bottega.research.agents.definition import StageName
from bottega.research.pipeline.orders import ExitReason

#: How many sub-queries tell what a run is about.
SUB_QUERIES_TOLD = 5


class Moment(StrEnum):
    """The events that a research run emits, beside those that every run has."""

    STAGE_STARTED = "stage_started"
    STAGE_COMPLETED = "stage_completed"
    #: An output lacks a key that the agent requires.
    STAGE_BLOCKED = "stage_blocked"
    REPAIR_STARTED = "repair_started"
    SUBSTEP = "substep"
    PAUSE_MESSAGE = "pause_message"
    RESUMED = "resumed"
    PLAN_MODIFIED = "plan_modified"
    #: The person seems to want to leave, and is asked whether that is so.
    BREAKOUT_PENDING = "breakout_pending"
    BREAKOUT = "breakout"


@dataclass(frozen=True, slots=True)
class PipelineState:
    run_id: str = ""
    agent: str | None = None
    question: str | None = None
    #: By stage: the newest output, without the bulky parts.
    stage_outputs: Mapping[int, dict[str, Any]] = field(default_factory=dict)
    stage_names: Mapping[int, str] = field(default_factory=dict)
    #: In the order in which they were first completed.
    completed_stages: Sequence[int] = ()
    current_stage: int | None = None
    #: Waiting for a person.
    is_paused: bool = False
    #: Asked to leave, and not answered yet.
    is_breakout_pending: bool = False
    #: What the person said that made it so.
    breakout_message: str | None = None
    repairs: int = 0
    #: US dollars by stage, all its iterations together.
    costs: Mapping[int, float] = field(default_factory=dict)
    #: Unset while the run is under way.
    exit_reason: ExitReason | None = None
    #: `{type, message, details}`.
    error: Mapping[str, Any] | None = None
    #: The position of the newest event.
    position: int = 0

    @property
    def cost(self) -> float:
        return sum(self.costs.values())

    @property
    def was_partial(self) -> bool:
        """No answer was delivered, be it a refusal."""
        return self.output_of(StageName.OUTPUT) is None

    @property
    def original_query(self) -> str | None:
        plan = self.output_of(StageName.ANALYZE) or {}
        return plan.get("original_query") or self.question

    @property
    def sub_query_texts(self) -> list[str]:
        """The first few of the plan as it stands."""
        calibration = self.output_of(StageName.CALIBRATE) or {}
        plan = calibration.get("query_plan_refined") or self.output_of(StageName.ANALYZE) or {}
        texts = [sub_query["query"] for sub_query in plan.get("sub_queries", [])]
        return texts[:SUB_QUERIES_TOLD]

    def output_of(self, name: StageName) -> dict[str, Any] | None:
        """What a completed stage gave, wherever the agent has put it."""
        for stage, output in self.stage_outputs.items():
            if self.stage_names.get(stage) == name:
                return output
        return None

    def after(self, event: RunEvent) -> "PipelineState":
        """The state when one more thing has happened."""
        state = replace(self, position=event.position)
        told = event.payload
        match event.type:
            case Happening.QUEUED:
                order = told.get("input") or {}
                question, agent = order.get("question"), order.get("agent")
                return replace(state, run_id=event.run_id, question=question, agent=agent)
            case Moment.STAGE_STARTED:
                return replace(state, current_stage=told["stage"])
            case Moment.STAGE_COMPLETED:
                return state._completed(told)
            case Moment.SUBSTEP if cost := told.get("cost"):
                # Of every call, so those of a stage that failed and of a pause are among them.
                paid = state.costs.get(told["stage"], 0.0) + cost
                return replace(state, costs={**state.costs, told["stage"]: paid})
            case Moment.PLAN_MODIFIED:
                return state._with_output(told)
            case Moment.REPAIR_STARTED:
                return replace(state, repairs=state.repairs + 1)
            case Happening.PAUSED:
                return replace(state, is_paused=True)
            case Happening.REPLIED | Happening.EXPIRED:
                return replace(state, is_paused=False)
            case Moment.RESUMED:
                return replace(state, is_paused=False, is_breakout_pending=False)
            case Moment.BREAKOUT_PENDING:
                message = told["user_message"]
                return replace(state, is_breakout_pending=True, breakout_message=message)
            case Moment.BREAKOUT:
                return state.ended(ExitReason.BREAKOUT)
            case Happening.COMPLETED:
                output = told.get("output") or {}
                return state.ended(ExitReason(output.get("exit_reason", ExitReason.COMPLETED)))
            case Happening.FAILED:
                return state.ended(ExitReason.ERROR, told.get("error"))
            case Happening.CANCELLED:
                return state.ended(ExitReason.CANCELLED)
        return state

    def ended(self, reason: ExitReason, error: Mapping[str, Any] | None = None) -> "PipelineState":
        return replace(
            self, exit_reason=reason, error=error, is_paused=False, is_breakout_pending=False
        )

    def _completed(self, told: Mapping[str, Any]) -> "PipelineState":
        state, stage, completed = self._with_output(told), told["stage"], self.completed_stages
        if stage in completed:
            return state
        return replace(state, completed_stages=(*completed, stage))

    def _with_output(self, told: Mapping[str, Any]) -> "PipelineState":
        stage = told["stage"]
        return replace(
            self,
            stage_outputs={**self.stage_outputs, stage: told["output"]},
            stage_names={**self.stage_names, stage: told["name"]},
        )

    def to_json(self) -> dict[str, Any]:
        """For `pipeline-state.json` and the doors."""
        shown: dict[str, Any] = to_jsonable_python(
            {each.name: getattr(self, each.name) for each in fields(self)}, fallback=dict
        )
        return shown | {
            "cost": self.cost,
            "was_partial": self.was_partial,
            "original_query": self.original_query,
        }


def state_of(events: Iterable[RunEvent]) -> PipelineState:
    """The state that a run's whole event list adds up to."""
    state = PipelineState()
    for event in events:
        state = state.after(event)
    return state
