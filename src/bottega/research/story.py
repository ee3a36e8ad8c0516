"""A run as people follow it: its stages, and under each what it called, found, took and cost;
and what was said at its pauses. Made from the run's events and from nothing else."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bottega.core.runs.run import Happening, RunEvent
from bottega.research.agents.definition import StageConfig
from bottega.research.pipeline.state import Moment
from bottega.research.pipeline.substeps import MODEL_TOOL, SubstepType

TOOL_NAMES = {
    "orch_web_search": "Web search",
    "orch_kb_search": "Library search",
    "orch_hop_retrieve": "Following citations",
    "orch_get_paragraphs": "Reading paragraphs",
    "orch_citation_verify": "Checking citations",
    "orch_entity_verify": "Checking what is named",
    "orch_relation_verify": "Checking relations",
    "orch_contradiction_check": "Looking for contradictions",
    "orch_write_output": "Writing the document",
    # By a model, or by our own code where there is none.
    MODEL_TOOL: "Working it out",
}
STAGE_NAMES = {
    "analyze_query": "Understanding the question",
    "websearch_calibration": "Looking around on the web",
    "retrieve": "Finding paragraphs",
    "synthesize": "Writing the answer",
    "verify": "Verifying every claim",
    "output": "Putting it together",
}
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


class Told(BaseModel):
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class Step(Told):
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


class SubstepProgress(Step):
    #: What it found, in a line; a model's answers are for the next stage and not shown.
    result: str = ""


class StageProgress(Step):
    """A stage, one more attempt at it, or the step that led to that."""

    #: `retrieve`, `repair` …
    name: str
    #: Before a repair: what had failed.
    note: str = ""
    substeps: list[SubstepProgress] = []


class Utterance(Told):
    """Something that the run or the person said at a pause."""

    by: Literal["run", "person"]
    #: Of a pause: `READY`, `CLARIFYING` …
    kind: str | None = None
    #: Markdown, without the menu that a terminal needs.
    text: str
    at: datetime


class Story:
    def __init__(self) -> None:
        self.stages: list[StageProgress] = []
        self.talk: list[Utterance] = []
        #: What the last pause offered, by what to reply.
        self._options: dict[str, str] = {}

    @classmethod
    def of(cls, events: Iterable[RunEvent]) -> "Story":
        story = cls()
        for event in events:
            story.add(event.type, event.payload, event.created_at)
        return story

    def add(self, type: str, told: Mapping[str, Any], at: datetime) -> None:
        """Take in one event of the run."""
        match type:
            case Moment.STAGE_STARTED:
                self._begin(told["id"], told["name"], STAGE_NAMES.get(told["name"]), at)
            case Moment.STAGE_COMPLETED if self.stages:
                self._end(StepState.DONE, at)
            case Moment.STAGE_BLOCKED | Happening.FAILED if self.stages:
                self._end(StepState.FAILED, at)
            case Happening.CANCELLED if self.stages:
                self._end(StepState.STOPPED, at)
            case Moment.REPAIR_STARTED:
                number = told["iteration"]
                title = f"Repairing the answer, attempt {number}"
                repair = self._begin(f"{REPAIR}-{number}", REPAIR, title, at)
                repair.note = _short("; ".join(told["failures"]))
                self._end(StepState.DONE, at)
            case Moment.SUBSTEP if self.stages:
                self._substep(self.stages[-1], told, at)
            case Moment.PAUSE_MESSAGE:
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
        steps: list[Step] = [stage, *stage.substeps]
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
            line.result = _short(str(told.get("result") or "")) if is_for_people else ""
            line.ended_at = at
            line.pay(told)
            stage.pay(told)
        elif told["type"] == SubstepType.STATUS:
            line.title, line.state = _short(str(told.get("result") or name)), StepState.DONE


def _subject(input: Mapping[str, Any]) -> str:
    for key in ("query", "queries", "paragraph_ref", "claim"):
        if input.get(key):
            return f": {_short(str(input[key]))}"
    return ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
