"""What a run has come to, worked out from its event list and from nothing else; and the files that
it leaves behind for people and for the rest of the conversation.

The order of the list decides, never a clock. A state is immutable: one more event makes another.

The event list is the truth; `pipeline-state.json` follows it. The answer itself is long and
stands in the conversation; `pipeline-summary.json` is small, is kept beside it whatever becomes of
the transcript, and is read anew for every later turn. A run that ended early leaves what it had.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import structlog
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import to_jsonable_python

from bottega.core.files.sandbox import Sandbox
from bottega.core.runs.run import Happening, RunEvent
from bottega.core.services import Core
from bottega.core.text.words import one_line, shorten
from bottega.errors import BottegaError
from bottega.research.agents.definition import StageName
from bottega.research.pipeline.schemas import AnswerStatus, ExitReason, VerificationScores
from bottega.research.sessions.files import SessionFolder, session_folder

#: How many sub-queries tell what a run is about.
SUB_QUERIES_TOLD = 5


class ResearchEvent(StrEnum):
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
            case ResearchEvent.STAGE_STARTED:
                return replace(state, current_stage=told["stage"])
            case ResearchEvent.STAGE_COMPLETED:
                return state._completed(told)
            case ResearchEvent.SUBSTEP if cost := told.get("cost"):
                # Of every call, so those of a stage that failed and of a pause are among them.
                paid = state.costs.get(told["stage"], 0.0) + cost
                return replace(state, costs={**state.costs, told["stage"]: paid})
            case ResearchEvent.PLAN_MODIFIED:
                return state._with_output(told)
            case ResearchEvent.REPAIR_STARTED:
                return replace(state, repairs=state.repairs + 1)
            case Happening.PAUSED:
                return replace(state, is_paused=True)
            case Happening.REPLIED | Happening.EXPIRED:
                return replace(state, is_paused=False)
            case ResearchEvent.RESUMED:
                return replace(state, is_paused=False, is_breakout_pending=False)
            case ResearchEvent.BREAKOUT_PENDING:
                message = told["user_message"]
                return replace(state, is_breakout_pending=True, breakout_message=message)
            case ResearchEvent.BREAKOUT:
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


MOST_ITEMS = 8
LONGEST_ITEM = 240
LONGEST_QUESTION = 400
log = structlog.get_logger()
PAGE = 1_000


class EndedAs(StrEnum):
    """How a run ended; or that it waits, for one that has not."""

    COMPLETED = "completed"
    PAUSED = "paused"
    ERROR = "error"
    BREAKOUT = "breakout"
    CANCELLED = "cancelled"


def _cut(length: int) -> BeforeValidator:
    def cut(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        # A half of a surrogate pair, as JSON may bring it, cannot be written.
        return shorten(one_line(value.encode(errors="replace").decode()), length)

    return BeforeValidator(cut)


def _first(items: Any) -> Any:
    return items[:MOST_ITEMS] if isinstance(items, list) else items


Item = Annotated[str, _cut(LONGEST_ITEM)]
Items = Annotated[list[Item], BeforeValidator(_first)]


class PipelineSummary(BaseModel):
    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )

    run_id: str = ""
    original_query: Annotated[str, _cut(LONGEST_QUESTION)] = ""
    #: What it set out to look for.
    sub_queries: Items = []
    #: What the web added to the plan.
    calibration: Item = ""
    #: What the library gave.
    retrieval: Item = ""
    key_findings: Items = []
    conclusions: Items = []
    verification_scores: VerificationScores | None = None
    answer_status: AnswerStatus | None = None
    completed_stages: list[int] = Field(default=[], max_length=100)
    #: No answer was delivered.
    was_partial: bool = True
    exit_reason: EndedAs
    error: Item | None = None


def summarise(
    state: PipelineState, exit_reason: ExitReason | EndedAs | None = None
) -> PipelineSummary:
    """From whatever stages there are; without a reason, the state's own."""
    synthesis = state.output_of(StageName.SYNTHESIZE) or {}
    verified = state.output_of(StageName.VERIFY) or {}
    delivered = state.output_of(StageName.OUTPUT) or {}
    return PipelineSummary(
        run_id=state.run_id,
        original_query=state.original_query or "",
        sub_queries=state.sub_query_texts,
        calibration=_told_calibration(state.output_of(StageName.CALIBRATE)),
        retrieval=_told_retrieval(state.output_of(StageName.RETRIEVE)),
        key_findings=synthesis.get("key_findings") or [],
        conclusions=synthesis.get("conclusions") or [],
        verification_scores=verified.get("verification_scores"),
        answer_status=delivered.get("status"),
        completed_stages=list(state.completed_stages),
        was_partial=state.was_partial,
        exit_reason=EndedAs(exit_reason or state.exit_reason or EndedAs.PAUSED),
        error=state.error["message"] if state.error else None,
    )


async def write_summary(folder: SessionFolder, summary: PipelineSummary) -> None:
    """Put it in the place of the one before, all at once."""
    text = summary.model_dump_json(by_alias=True, exclude_none=True, indent=2)
    await _put(folder, folder.summary, text)


async def read_summary(folder: SessionFolder) -> PipelineSummary | None:
    """The newest; `None` without one, or when the file cannot be understood."""
    if not await asyncio.to_thread(folder.summary.is_file):
        return None
    try:
        file = await Sandbox(folder.path).read_text(folder.summary)
        return PipelineSummary.model_validate_json(file.content)
    except (ValidationError, BottegaError) as error:
        log.warning("research.summary_unreadable", path=str(folder.summary), error=str(error))
        return None


def _told_calibration(output: dict[str, Any] | None) -> str:
    if output is None:
        return ""
    if output.get("skipped"):
        return f"Not searched on the web: {output.get('skip_reason') or 'no reason given'}"
    return f"{len(output.get('web_sources', []))} pages on the web were looked at."


def _told_retrieval(output: dict[str, Any] | None) -> str:
    if output is None:
        return ""
    if not output.get("answerable", True):
        return "The library does not hold an answer. " + " ".join(output.get("reasons", []))
    covered = ", ".join(output.get("standards_covered", []))
    return f"{output.get('unique_after_dedup', 0)} paragraphs from {covered or 'the library'}."


async def read_events(core: Core, run_id: str) -> list[RunEvent]:
    """All of a run's events, in order."""
    read: list[RunEvent] = []
    position = 0
    while events := await core.runs.events(run_id, after=position, limit=PAGE):
        read += events
        position = events[-1].position
    return read


async def read_state(core: Core, run_id: str) -> PipelineState:
    """The state of a run, from all of its events."""
    return state_of(await read_events(core, run_id))


async def show_run(core: Core, run_id: str, session_id: str | None) -> None:
    """Write `pipeline-state.json` for a run that waits."""
    if session_id is not None:
        await _write(core, session_id, await read_state(core, run_id))


async def close_run(
    core: Core,
    run_id: str,
    session_id: str | None,
    reason: ExitReason,
    error: Mapping[str, Any] | None = None,
) -> None:
    """Write what a run leaves behind, however it ended: its state and its summary."""
    if session_id is not None:
        state = await read_state(core, run_id)
        await _write(core, session_id, state.ended(reason, error))


async def _write(core: Core, session_id: str, state: PipelineState) -> None:
    folder = session_folder(core.choices.data_dir, session_id)
    try:
        text = json.dumps(state.to_json(), ensure_ascii=False, indent=2)
        await _put(folder, folder.state, text)
        if state.exit_reason is not None:
            await write_summary(folder, summarise(state, state.exit_reason))
    except (OSError, BottegaError) as error:
        # A full disk takes nothing from the run: all of it is in the database.
        log.warning("research.files_not_written", session=session_id, error=str(error))


async def _put(folder: SessionFolder, path: Path, text: str) -> None:
    await asyncio.to_thread(folder.path.mkdir, parents=True, exist_ok=True)
    await Sandbox(folder.path).write(path, text + "\n")
