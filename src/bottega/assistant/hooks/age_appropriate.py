"""Holds what pupils will read to the age in their class's profile.

Aborts on what must not reach them: words and topics that are not for their age, praise of what
harms, insults, a text that is far above them. Notes what the teacher should know: a topic
that needs care, a text that is some years too hard, a tone that is too childish. The teacher's own
parts may name hard topics; only strong language and the like are stopped there.

Lists and measures judge; a model, where there is one, adds what they miss and dismisses what is
harmless in its context, except what suits no age.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.assistant.curriculum.pointers import stands_in
from bottega.assistant.guardrails.suitability import (
    Aspect,
    Concern,
    PartOfText,
    Severity,
    YearGroup,
    judge,
    parts_of,
    year_group,
)
from bottega.assistant.hooks.surroundings import ask_fast
from bottega.assistant.loop.hooks import Hook, HookAbort
from bottega.assistant.loop.turn import Turn
from bottega.assistant.workspace.service import workspace_for
from bottega.assistant.workspace.view import CLASSES
from bottega.core.llm.tasks import Task, Tier

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")
#: Where no class is known: what suits none of them is found all the same.
OLDEST = YearGroup("any year group", 17, 18)
_FOR_PUPILS = re.compile(r"\b(?:pupil|student|learner)s?[-\s]facing\b", re.IGNORECASE)


class AgeFinding(BaseModel):
    quote: str = Field(description="copied exactly from one of the texts")
    concern: str
    severity: Severity


class AgeReview(BaseModel):
    findings: list[AgeFinding] = []
    dismissed: list[int] = Field(default=[], description="numbers of flags that are harmless")


@dataclass(frozen=True, slots=True)
class AgeInput:
    #: `S3, ages 13 to 15`.
    year_group: str
    youngest: int
    parts: Sequence[PartOfText]
    flagged: Sequence[Concern] = ()


def prompt(asked: AgeInput) -> str:
    return json.dumps(
        {
            "year_group": asked.year_group,
            "youngest_age": asked.youngest,
            "texts": [{"heading": part.heading, "text": part.text} for part in asked.parts],
            "flags": [
                {"number": number, "quote": each.quote, "flag": each.text}
                for number, each in enumerate(asked.flagged, 1)
            ],
        },
        ensure_ascii=False,
    )


def offline(_: AgeInput) -> AgeReview:
    """Nothing beyond the lists, whose flags all stand."""
    return AgeReview()


age_appropriate = Task("age_appropriate", Tier.FAST, INSTRUCTIONS, prompt, AgeReview, offline)


class AgeCheck(BaseModel):
    year_group: str
    age: int
    concerns: list[Concern] = []
    notes: list[str] = []

    def of(self, severity: Severity) -> list[Concern]:
        return [each for each in self.concerns if each.severity is severity]


class AgeAppropriate(Hook):
    name = "age-appropriate"

    async def post_loop(self, turn: Turn) -> None:
        check = await turn.steps.step("age check", self._check, turn)
        for note in (*check.notes, *map(str, check.of(Severity.NOTE))):
            turn.note(self.name, note)
        if stopped := check.of(Severity.ABORT):
            listed = "\n".join(f"- {each}" for each in stopped)
            raise HookAbort(self.name, f"Not for pupils of {check.year_group}:\n{listed}")

    async def _check(self, turn: Turn) -> AgeCheck:
        """In a step: profiles change, and models may be asked."""
        found, notes = await _year_group(turn)
        year = found or OLDEST
        is_all_for_pupils = _is_for_pupils(turn)
        concerns = await asyncio.to_thread(
            judge, turn.output, year.youngest, is_all_for_pupils=is_all_for_pupils
        )
        if found is None:  # how hard a text may be depends on who reads it
            concerns = [each for each in concerns if each.aspect is Aspect.TOPIC]
        parts = parts_of(turn.output, is_all_for_pupils=is_all_for_pupils)
        concerns = await _reviewed(
            turn, year, [each for each in parts if each.is_for_pupils], concerns
        )
        check = AgeCheck(year_group=year.name, age=year.youngest, concerns=concerns, notes=notes)
        _trace(turn, check)
        return check


async def _year_group(turn: Turn) -> tuple[YearGroup | None, list[str]]:
    workspace = workspace_for(turn.core, turn.user_id, turn.plugin)
    class_id = turn.class_id
    if class_id is None:
        class_id = (await workspace.view(turn.input)).class_id
    if class_id is None:
        return None, ["No class is named, so only what suits no pupil was looked for."]
    path = f"{CLASSES}/{class_id}.md"
    profile = await workspace.read(path) if await workspace.exists(path) else ""
    found = year_group(profile)
    if found is None:
        missing = f"{path} names no year group. Add one, such as “S3, ages 13 to 15”: "
        return None, [f"{missing}only what suits no pupil was looked for."]
    return found, []


def _is_for_pupils(turn: Turn) -> bool:
    """Whether the agent or the command says that all it writes is for pupils."""
    described = [turn.agent.meta.description]
    if turn.command is not None:
        described.append(turn.command.meta.description)
    return any(_FOR_PUPILS.search(each) for each in described)


async def _reviewed(
    turn: Turn, year: YearGroup, parts: Sequence[PartOfText], concerns: list[Concern]
) -> list[Concern]:
    """What a model makes of it. It cannot dismiss what is measured, nor what suits no age."""
    if turn.offline or not parts:
        return concerns
    open_to_it = [each for each in concerns if each.aspect is Aspect.TOPIC and not each.is_final]
    asked = AgeInput(year.name, year.youngest, parts, open_to_it)
    review = (await ask_fast(turn, age_appropriate, asked)).output
    dismissed = [each for number, each in enumerate(open_to_it, 1) if number in review.dismissed]
    kept = [each for each in concerns if each not in dismissed]
    added = [concern for each in review.findings if (concern := _grounded(each, parts))]
    return [*kept, *added]


def _grounded(finding: AgeFinding, parts: Sequence[PartOfText]) -> Concern | None:
    """A finding about words that do not stand there is none."""
    for part in parts:
        if stands_in(finding.quote, part.text):
            return Concern(
                aspect=Aspect.TOPIC,
                severity=finding.severity,
                text=f"“{finding.quote}”: {finding.concern}",
                heading=part.heading,
                line=part.line,
                quote=finding.quote,
            )
    return None


def _trace(turn: Turn, check: AgeCheck) -> None:
    turn.trace(
        "age check",
        {
            "bottega.age.year_group": check.year_group,
            "bottega.age.youngest": check.age,
            "bottega.age.concerns": [each.model_dump(mode="json") for each in check.concerns],
        },
    )
