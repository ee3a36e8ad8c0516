"""Model-judged criteria; without a model they are left out, and say so."""

from dataclasses import dataclass

from bottega.assistant.evals.findings import Finding, Kind
from bottega.assistant.evals.playing import Played
from bottega.assistant.evals.rubric import HIGHEST, LOWEST, ToJudge, in_order, rubric_judge
from bottega.core.llm.gateway import Gateway
from bottega.errors import BottegaError

NO_MODEL = "no model is there to judge"
NOT_WANTED = "judging was switched off"


@dataclass(frozen=True, slots=True)
class Judged:
    findings: list[Finding]
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


def _finding(criterion: str, score: float | None, note: str) -> Finding:
    return Finding(criterion=criterion, kind=Kind.JUDGED, score=score, note=note)


def _context(played: Played) -> str:
    profile = f"classes/{played.case.class_id}.md"
    known = [played.files.get(profile, ""), *played.case.memory.values()]
    return "\n\n".join(text for text in known if text)
