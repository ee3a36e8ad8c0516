"""A plan cut into phases: the model's task, its output, and the same without a model (FR-112).

Without a model everything in a phase is there already: the steps in the plan, the files in the
tree, the lines in the files. What is said of it is shorter, the further the learner is.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.coach.enums import Difficulty, FileStyle, HintLevel, LineStyle, Stage
from bottega.coach.manners import manners
from bottega.coach.model_calls import as_json
from bottega.coach.plans.plan_context import CodeDefinition, PlanContext, named_files
from bottega.coach.plans.plan_text import PlanStep, passages, plain, read_steps, unnumbered
from bottega.coach.skills.concepts import concepts_in
from bottega.core.llm.tasks import Task, Tier
from bottega.core.text.words import STOP_WORDS


class StepKind(StrEnum):
    """What sort of work a step is."""

    UNDERSTAND = "understand"
    PROVE = "prove"
    TELL = "tell"
    PREPARE = "prepare"
    CHANGE = "change"
    BUILD = "build"


ADVICE = Path(__file__).with_name("advice.toml")
WRITING = r"(?:add|write|create|extend|update)\W+(?:\w+\W+){0,3}?"
#: "Add a test" is about the test, not about adding.
VERBS = (
    (StepKind.PROVE, rf"{WRITING}tests?|tests?|reproduce|verify|check that|prove"),
    (StepKind.TELL, rf"{WRITING}(?:docs?|documentation|readme|changelog|comments?)|document"),
    (
        StepKind.CHANGE,
        r"fix|change|replace|rename|refactor|move|remove|update|convert|switch|migrate",
    ),
    (StepKind.BUILD, r"add|implement|create|write|build|introduce|extend|support|make"),
    (StepKind.PREPARE, r"install|configure|set up|setup|scaffold"),
    (
        StepKind.UNDERSTAND,
        r"read|find|locate|understand|investigate|explore|trace|look|study|review",
    ),
)


@dataclass(frozen=True, slots=True)
class Advice:
    why: str
    first: str
    done: str
    watch: str
    #: Asked at a place in the code, with its `{name}`.
    question: str


@cache
def _advice(kind: StepKind) -> Advice:
    return Advice(**tomllib.loads(ADVICE.read_text(encoding="utf-8"))[kind])


#: Fenced, to its end or to the end of the step.
CODE_BLOCK = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
LONGEST_GOAL = 280
LONGEST_OPENING = 400


def kind_of(text: str) -> StepKind:
    """By what the step says first; where two start at the same word, the narrower one."""
    opening = " ".join(text[:LONGEST_OPENING].lower().split()[:30])
    found = [(re.search(rf"\b(?:{verbs})\b", opening), kind) for kind, verbs in VERBS]
    starts = [(match.start(), kind) for match, kind in found if match]
    return min(starts, key=lambda start: start[0])[1] if starts else StepKind.BUILD


def describe(text: str, kind: StepKind, stage: Stage, place: str | None) -> str:
    """The phase's description; `place` says where to begin."""
    goal, advice = goal_of(text), _advice(kind)
    begin = f"Open {place} and {advice.first}." if place else f"{_capital(advice.first)}."
    match stage:
        case Stage.NOVICE:
            return (
                f"{goal}\n\nWhy now: {advice.why}\n\nYour first step: {begin} "
                f"On the way, {advice.watch}.\n\nYou are done when {advice.done}."
            )
        case Stage.ADVANCED_BEGINNER:
            return f"{goal} {begin} You are done when {advice.done}."
        case Stage.COMPETENT:
            where = f" Start from {place}." if place else ""
            return f"{goal}{where} {_capital(advice.watch)}."
        case Stage.PROFICIENT:
            return f"{_first_sentence(goal)} {_capital(advice.watch)}."
        case Stage.EXPERT:
            return _first_sentence(goal)


def goal_of(text: str) -> str:
    """The step in its own words, as prose. Code in a plan is not for the learner to copy."""
    said = [plain(unnumbered(passage)) for passage in passages(CODE_BLOCK.sub("", text))]
    words = ". ".join(_capital(one.rstrip(" .")) for one in said if one).replace(":. ", ": ")
    if len(words) > LONGEST_GOAL:
        words = words[:LONGEST_GOAL].rsplit(" ", 1)[0].rstrip(",;:. ") + "…"
    if not words:
        return "Do this step as the plan shows it."
    return words if words[-1] in "…!?" else f"{words}."


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?…])\s", text, maxsplit=1)[0]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


HINT_LEVELS = {
    Stage.NOVICE: HintLevel.LINE,
    Stage.ADVANCED_BEGINNER: HintLevel.REGION,
    Stage.COMPETENT: HintLevel.FILE,
    Stage.PROFICIENT: HintLevel.NONE,
    Stage.EXPERT: HintLevel.NONE,
}
MOST_FILES = 6
MOST_LINE_HINTS = 5
#: A name that is defined more often than this says nothing about where to look.
MOST_PLACES = 2
#: An everyday word of fewer letters is taken for a name only when it is marked as code.
SHORTEST_NAME = 4
NAME = re.compile(r"[A-Za-z_$][\w$]*")
#: A name is not endless: hostile text must not be read over and over.
MARKED = re.compile(r"`([^`\n]{1,200})`|\b([A-Za-z_$][\w$]{0,80})\(\)")
HARD_WORDS = re.compile(
    r"\b(?:concurren\w*|async\w*|race|deadlock|migrat\w*|security|authenticat\w*|performance|"
    r"distribut\w*|transaction\w*|protocol|architecture|backward\w*)\b",
    re.IGNORECASE,
)

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")


class Relevance(StrEnum):
    DIRECT = "direct"
    RELATED = "related"
    CONTEXTUAL = "contextual"


class RelevantMemory(BaseModel):
    content: str = Field(description="The memory's own text.")
    relevance: Relevance
    connection: str
    use_in_coaching: str


class FileHintGuidance(BaseModel):
    path: str
    style: FileStyle


class LineHintGuidance(BaseModel):
    path: str
    start: int = Field(ge=1)
    end: int = Field(ge=1)
    style: LineStyle
    hover_text: str


class HintGuidance(BaseModel):
    file_hints: list[FileHintGuidance]
    line_hints: list[LineHintGuidance]


class PhaseGuidance(BaseModel):
    number: int = Field(ge=1)
    title: str
    description: str = Field(description="What the learner reads: what to do, and why.")
    expected_files: list[str] = Field(description="Paths that the phase should change.")
    hint_level: HintLevel
    hints: HintGuidance
    knowledge_gap_opportunities: list[str] = Field(
        description="What the phase is a chance to learn, each in a few words."
    )


class Guidance(BaseModel):
    phases: list[PhaseGuidance]
    memory_connection: str | None = Field(
        description="How this resembles earlier work, in a sentence; null if it does not."
    )
    estimated_difficulty: Difficulty


def cut_phases(
    plan: str, stage: Stage, context: PlanContext, memories: Sequence[RelevantMemory] = ()
) -> Guidance:
    steps = read_steps(plan)
    phases = [_phase(number, step, stage, context) for number, step in enumerate(steps, start=1)]
    return Guidance(
        phases=phases,
        memory_connection=f"You met this before: {memories[0].content}" if memories else None,
        estimated_difficulty=_difficulty(plan, phases),
    )


def _phase(number: int, step: PlanStep, stage: Stage, context: PlanContext) -> PhaseGuidance:
    kind = kind_of(step.text)
    named = named_files(step.text, context.tree)
    places = _places(step.text, named, context.definitions)
    files = list(dict.fromkeys([*named, *(place.path for place in places)]))[:MOST_FILES]
    return PhaseGuidance(
        number=number,
        title=step.title,
        description=describe(step.text, kind, stage, _where(files, places)),
        expected_files=files,
        hint_level=HINT_LEVELS[stage],
        hints=HintGuidance(
            file_hints=[
                FileHintGuidance(path=path, style=_file_style(path, kind, files, places))
                for path in files
            ],
            line_hints=[_line_hint(place, kind) for place in places],
        ),
        knowledge_gap_opportunities=concepts_in(step.text),
    )


def _places(
    text: str, files: Sequence[str], definitions: Sequence[CodeDefinition]
) -> list[CodeDefinition]:
    """The definitions that a step names, in its own files if they have them."""
    found: list[CodeDefinition] = []
    for name in _names_in(text):
        everywhere = [place for place in definitions if place.name == name]
        places = [place for place in everywhere if place.path in files] or everywhere
        if len(places) <= MOST_PLACES:
            found += places
    return found[:MOST_LINE_HINTS]


def _names_in(text: str) -> list[str]:
    marked = [word for found in MARKED.findall(text) for word in NAME.findall("".join(found))]
    plain = [
        word
        for word in NAME.findall(text)
        if len(word) >= SHORTEST_NAME and word.lower() not in STOP_WORDS
    ]
    return list(dict.fromkeys([*marked, *plain]))


def _where(files: Sequence[str], places: Sequence[CodeDefinition]) -> str | None:
    if places:
        first = places[0]
        return f"`{first.path}` at `{first.name}` (line {first.start})"
    return f"`{files[0]}`" if files else None


def _file_style(
    path: str, kind: StepKind, files: Sequence[str], places: Sequence[CodeDefinition]
) -> FileStyle:
    """The one file that a change is about is critical; those with named places are important."""
    if kind == StepKind.CHANGE and path == files[0]:
        return FileStyle.CRITICAL
    at_work = path == files[0] or any(place.path == path for place in places)
    return FileStyle.IMPORTANT if at_work else FileStyle.SUGGESTED


def _line_hint(place: CodeDefinition, kind: StepKind) -> LineHintGuidance:
    return LineHintGuidance(
        path=place.path,
        start=place.start,
        end=place.end,
        style=LineStyle.FOCUS if kind in (StepKind.CHANGE, StepKind.BUILD) else LineStyle.HINT,
        hover_text=_advice(kind).question.format(name=place.name),
    )


def _difficulty(plan: str, phases: Sequence[PhaseGuidance]) -> Difficulty:
    files = {path for phase in phases for path in phase.expected_files}
    hard = {word.lower() for word in HARD_WORDS.findall(plan)}
    weight = len(phases) + len(files) + 3 * len(hard)
    if weight <= 5:
        return Difficulty.BEGINNER
    return Difficulty.INTERMEDIATE if weight <= 12 else Difficulty.ADVANCED


@dataclass(frozen=True, slots=True)
class PlanInput:
    plan: str
    stage: Stage
    memories: Sequence[RelevantMemory] = ()
    context: PlanContext = field(default_factory=PlanContext)


def prompt(asked: PlanInput) -> str:
    return as_json(
        plan=asked.plan,
        dreyfus_stage=asked.stage,
        relevant_memories=[
            memory.model_dump(include={"content", "connection", "use_in_coaching"})
            for memory in asked.memories
        ],
        project_files=list(asked.context.tree),
        definitions=[asdict(definition) for definition in asked.context.definitions],
    )


def offline(asked: PlanInput) -> Guidance:
    return cut_phases(asked.plan, asked.stage, asked.context, asked.memories)


@cache
def coach_phases(stage: Stage) -> Task[PlanInput, Guidance]:
    instructions = INSTRUCTIONS.format(stage=stage.words, manner=manners("lessons")[stage])
    return Task("coach_agent", Tier.STRONG, instructions, prompt, Guidance, offline)
