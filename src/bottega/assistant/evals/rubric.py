"""Criteria that a model judges, one at a time; without a model they are left out, and say so."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.assistant.evals.playthrough import Played
from bottega.assistant.evals.report import AssistantKind, EvalFinding
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.tasks import Task, Tier
from bottega.errors import BottegaError

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8").removesuffix("\n")

LOWEST, HIGHEST = 1, 5
#: Characters of the document that a judge reads.
LONGEST = 40_000
NO_MODEL = "no model is there to judge"
NOT_WANTED = "judging was switched off"


class ToJudge(BaseModel, frozen=True):
    request: str
    #: What was known of the class, and remembered.
    context: str
    document: str
    criteria: list[str]


class RubricVerdict(BaseModel):
    #: As it was given.
    criterion: str
    score: int = Field(ge=LOWEST, le=HIGHEST)
    reason: str


class Verdicts(BaseModel):
    verdicts: list[RubricVerdict]


def prompt(material: ToJudge) -> str:
    told = material.model_dump()
    told["document"] = material.document[:LONGEST]
    return json.dumps(told, ensure_ascii=False, indent=1)


def offline(material: ToJudge) -> Verdicts:
    """Quality is not for rules to judge: no verdict is better than a made-up one."""
    return Verdicts(verdicts=[])


def in_order(criteria: Sequence[str], verdicts: Verdicts) -> list[RubricVerdict | None]:
    """One for each criterion; a judge may leave one out, or word it differently."""
    by_name = {verdict.criterion.strip().casefold(): verdict for verdict in verdicts.verdicts}
    by_place = dict(enumerate(verdicts.verdicts)) if len(verdicts.verdicts) == len(criteria) else {}
    return [
        by_name.get(criterion.strip().casefold()) or by_place.get(place)
        for place, criterion in enumerate(criteria)
    ]


rubric_judge: Task[ToJudge, Verdicts] = Task(
    "assistant_eval_rubric", Tier.STRONG, INSTRUCTIONS, prompt, Verdicts, offline
)


@dataclass(frozen=True, slots=True)
class Judged:
    findings: list[EvalFinding]
    #: US dollars.
    cost: float = 0.0


async def judge_by_rubric(gateway: Gateway, played: Played, *, wanted: bool = True) -> Judged:
    criteria = played.case.expect.rubric
    if not wanted:
        return _skipped(criteria, NOT_WANTED)
    if gateway.mode.offline:
        return _skipped(criteria, NO_MODEL)
    if not played.text or not criteria:
        return _skipped(criteria, "there is nothing to judge")
    material = ToJudge(
        request=played.case.input,
        context=_context(played),
        document=played.text,
        criteria=list(criteria),
    )
    try:
        answer = await gateway.call(rubric_judge, material, retry=True)
    except BottegaError as error:
        return _skipped(criteria, error.message)
    verdicts = in_order(criteria, answer.output)
    findings = [
        _finding(criterion, None, "the judge gave no verdict")
        if verdict is None
        else _finding(criterion, (verdict.score - LOWEST) / (HIGHEST - LOWEST), verdict.reason)
        for criterion, verdict in zip(criteria, verdicts, strict=True)
    ]
    return Judged(findings, answer.cost)


def _skipped(criteria: list[str], why: str) -> Judged:
    return Judged([_finding(criterion, None, f"skipped: {why}") for criterion in criteria])


def _finding(criterion: str, score: float | None, note: str) -> EvalFinding:
    return EvalFinding(criterion=criterion, kind=AssistantKind.JUDGED, score=score, note=note)


def _context(played: Played) -> str:
    profile = f"classes/{played.case.class_id}.md"
    known = [played.files.get(profile, ""), *played.case.memory.values()]
    return "\n\n".join(text for text in known if text)
