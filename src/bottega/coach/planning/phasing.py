"""Phases cut from a plan's own structure, for when there is no model to ask.

Everything in them is there: the steps in the plan, the files in the tree, the lines in the files.
"""

import re
from collections.abc import Sequence

from bottega.coach.enums import Difficulty, FileStyle, HintLevel, LineStyle
from bottega.coach.planning.concepts import concepts_in
from bottega.coach.planning.guidance import (
    FileHintGuidance,
    Guidance,
    HintGuidance,
    LineHintGuidance,
    PhaseGuidance,
)
from bottega.coach.planning.phrasing import Kind, describe, kind_of
from bottega.coach.planning.plan_text import Step, read_steps
from bottega.coach.planning.terrain import Definition, Terrain, named_files
from bottega.coach.prompts.memory_filter import RelevantMemory
from bottega.coach.stages import Stage
from bottega.core.textindex.stopwords import STOP_WORDS

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
QUESTIONS = {
    Kind.UNDERSTAND: "What goes into `{name}`, and what comes out?",
    Kind.PROVE: "Which case of `{name}` is not tested yet?",
    Kind.TELL: "What must someone know who calls `{name}`?",
    Kind.PREPARE: "What does `{name}` need to be there?",
    Kind.CHANGE: "What does `{name}` do today, and who relies on it?",
    Kind.BUILD: "What does `{name}` have to do with the new piece?",
}
HARD_WORDS = re.compile(
    r"\b(?:concurren\w*|async\w*|race|deadlock|migrat\w*|security|authenticat\w*|performance|"
    r"distribut\w*|transaction\w*|protocol|architecture|backward\w*)\b",
    re.IGNORECASE,
)


def cut_phases(
    plan: str, stage: Stage, terrain: Terrain, memories: Sequence[RelevantMemory] = ()
) -> Guidance:
    steps = read_steps(plan)
    phases = [_phase(number, step, stage, terrain) for number, step in enumerate(steps, start=1)]
    return Guidance(
        phases=phases,
        memory_connection=f"You met this before: {memories[0].content}" if memories else None,
        estimated_difficulty=_difficulty(plan, phases),
    )


def _phase(number: int, step: Step, stage: Stage, terrain: Terrain) -> PhaseGuidance:
    kind = kind_of(step.text)
    named = named_files(step.text, terrain.tree)
    places = _places(step.text, named, terrain.definitions)
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


def _places(text: str, files: Sequence[str], definitions: Sequence[Definition]) -> list[Definition]:
    """The definitions that a step names, in its own files if they have them."""
    found: list[Definition] = []
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


def _where(files: Sequence[str], places: Sequence[Definition]) -> str | None:
    if places:
        first = places[0]
        return f"`{first.path}` at `{first.name}` (line {first.start})"
    return f"`{files[0]}`" if files else None


def _file_style(
    path: str, kind: Kind, files: Sequence[str], places: Sequence[Definition]
) -> FileStyle:
    """The one file that a change is about is critical; those with named places are important."""
    if kind == Kind.CHANGE and path == files[0]:
        return FileStyle.CRITICAL
    at_work = path == files[0] or any(place.path == path for place in places)
    return FileStyle.IMPORTANT if at_work else FileStyle.SUGGESTED


def _line_hint(place: Definition, kind: Kind) -> LineHintGuidance:
    return LineHintGuidance(
        path=place.path,
        start=place.start,
        end=place.end,
        style=LineStyle.FOCUS if kind in (Kind.CHANGE, Kind.BUILD) else LineStyle.HINT,
        hover_text=QUESTIONS[kind].format(name=place.name),
    )


def _difficulty(plan: str, phases: Sequence[PhaseGuidance]) -> Difficulty:
    files = {path for phase in phases for path in phase.expected_files}
    hard = {word.lower() for word in HARD_WORDS.findall(plan)}
    weight = len(phases) + len(files) + 3 * len(hard)
    if weight <= 5:
        return Difficulty.BEGINNER
    return Difficulty.INTERMEDIATE if weight <= 12 else Difficulty.ADVANCED
