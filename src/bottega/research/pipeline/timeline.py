"""A run as people follow it: its stages, and under each what it called, found, took and cost;
and what was said at its pauses. Made from the run's events and from nothing else."""

import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bottega.core.runs.run import Happening, RunEvent
from bottega.core.text.words import one_line, shorten
from bottega.research.agents.definition import StageConfig
from bottega.research.pipeline.calls import MODEL_TOOL, SubstepType
from bottega.research.pipeline.state import ResearchEvent

_NAMES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
TOOL_NAMES, STAGE_NAMES = _NAMES["tools"], _NAMES["stages"]
#: The step between two attempts.
REPAIR = "repair"
LONGEST = 100


class StepState(StrEnum):
    #: Not begun.
    AHEAD = "ahead"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    #: It was under way when the run was cancelled.
    STOPPED = "stopped"


class TimelineModel(BaseModel):
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class TimelineStep(TimelineModel):
    #: Unique within the run.
    id: str
    #: In words: `Library search: the hours of the watch`.
    title: str
    state: StepState = StepState.WORKING
    #: US dollars.
    cost: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    started_at: datetime | None = None
    ended_at: datetime | None = None

    def pay(self, told: Mapping[str, Any]) -> None:
        self.cost += told.get("cost") or 0.0
        self.input_tokens += told.get("input_tokens") or 0
        self.output_tokens += told.get("output_tokens") or 0


class SubstepProgress(TimelineStep):
    #: What it found, in a line; a model's answers are for the next stage and not shown.
    result: str = ""


class StageProgress(TimelineStep):
    """A stage, one more attempt at it, or the step that led to that."""

    #: `retrieve`, `repair` …
    name: str
    #: Before a repair: what had failed.
    note: str = ""
    substeps: list[SubstepProgress] = []


class Utterance(TimelineModel):
    """Something that the run or the person said at a pause."""

    by: Literal["run", "person"]
    #: Of a pause: `READY`, `CLARIFYING` …
    kind: str | None = None
    #: Markdown, without the menu that a terminal needs.
    text: str
    at: datetime


class RunTimeline:
    def __init__(self) -> None:
        self.stages: list[StageProgress] = []
        self.talk: list[Utterance] = []
        #: What the last pause offered, by what to reply.
        self._options: dict[str, str] = {}

    @classmethod
    def of(cls, events: Iterable[RunEvent]) -> "RunTimeline":
        story = cls()
        for event in events:
            story.add(event.type, event.payload, event.created_at)
        return story

    def add(self, type: str, told: Mapping[str, Any], at: datetime) -> None:
        """Take in one event of the run."""
        match type:
            case ResearchEvent.STAGE_STARTED:
                self._begin(told["id"], told["name"], STAGE_NAMES.get(told["name"]), at)
            case ResearchEvent.STAGE_COMPLETED if self.stages:
                self._end(StepState.DONE, at)
            case ResearchEvent.STAGE_BLOCKED | Happening.FAILED if self.stages:
                self._end(StepState.FAILED, at)
            case Happening.CANCELLED if self.stages:
                self._end(StepState.STOPPED, at)
            case ResearchEvent.REPAIR_STARTED:
                number = told["iteration"]
                title = f"Repairing the answer, attempt {number}"
                repair = self._begin(f"{REPAIR}-{number}", REPAIR, title, at)
                repair.note = shorten(one_line("; ".join(told["failures"])), LONGEST)
                self._end(StepState.DONE, at)
            case ResearchEvent.SUBSTEP if self.stages:
                self._substep(self.stages[-1], told, at)
            case ResearchEvent.PAUSE_MESSAGE:
                text = told.get("body") or told["text"]
                self._say("run", text, at, kind=told["kind"])
            case Happening.PAUSED:
                options = (told.get("prompt") or {}).get("options", [])
                self._options = {option["key"]: option["label"] for option in options}
            case Happening.REPLIED:
                said = str(told.get("message") or "")
                self._say("person", self._options.get(said.strip(), said), at)

    def ahead(self, stages: Iterable[StageConfig]) -> list[StageProgress]:
        """Those of an agent's stages that have not begun."""
        begun = {stage.name for stage in self.stages}
        return [
            StageProgress(
                id=f"ahead-{stage.id}",
                name=stage.name,
                title=STAGE_NAMES.get(stage.name, stage.name),
                state=StepState.AHEAD,
            )
            for stage in stages
            if stage.name not in begun
        ]

    def _begin(self, id: str, name: str, title: str | None, at: datetime) -> StageProgress:
        self.stages.append(StageProgress(id=id, name=name, title=title or name, started_at=at))
        return self.stages[-1]

    def _end(self, state: StepState, at: datetime) -> None:
        stage = self.stages[-1]
        steps: list[TimelineStep] = [stage, *stage.substeps]
        for each in steps:
            if each.state is StepState.WORKING:
                each.state, each.ended_at = state, at

    def _say(
        self, by: Literal["run", "person"], text: str, at: datetime, kind: str | None = None
    ) -> None:
        self.talk.append(Utterance(by=by, kind=kind, text=text, at=at))

    def _substep(self, stage: StageProgress, told: Mapping[str, Any], at: datetime) -> None:
        name = TOOL_NAMES.get(told["tool"], told["tool"])
        line = next((each for each in stage.substeps if each.id == told["id"]), None)
        if line is None:
            title = f"{name}{_subject(told.get('input') or {})}"
            line = SubstepProgress(id=told["id"], title=title, started_at=at)
            stage.substeps.append(line)
        if told["type"] in (SubstepType.TOOL_RESULT, SubstepType.MODEL_ANSWERED):
            line.state = StepState.FAILED if told.get("is_error") else StepState.DONE
            is_for_people = told["tool"] != MODEL_TOOL
            line.result = (
                shorten(one_line(str(told.get("result") or "")), LONGEST) if is_for_people else ""
            )
            line.ended_at = at
            line.pay(told)
            stage.pay(told)


def _subject(input: Mapping[str, Any]) -> str:
    for key in ("query", "queries", "paragraph_ref", "claim"):
        if input.get(key):
            return f": {shorten(one_line(str(input[key])), LONGEST)}"
    return ""
