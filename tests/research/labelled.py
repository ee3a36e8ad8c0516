"""Labelled questions to the example standards, and the way through all stages without a run."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bottega.research.agents.definition import Depth, StageName
from bottega.research.pipeline.context import Repair, StageOutputs
from bottega.research.pipeline.schemas import (
    Calibration,
    Delivered,
    Output,
    QueryPlan,
    Retrieval,
    Synthesis,
    Verified,
)
from bottega.research.service import STAGES
from tests.research.builders import ResearchApp
from tests.research.direct_calls import DirectCalls, stage_context

FILE = Path(__file__).parent / "data" / "answer_questions.jsonl"


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    answerable: bool
    #: inside (in the library's words), reworded (in others), near (its words, absent facts), far.
    domain: str
    #: The paragraphs with the answer; any of them is enough.
    refs: list[str]
    #: Others that belong to the matter, so that citing them is no mistake.
    also: list[str]
    #: tuning or held_out
    split: str


def questions(split: str | None = None) -> list[Asked]:
    asked = [Asked(**json.loads(line)) for line in FILE.read_text("utf-8").splitlines()]
    return [each for each in asked if split in (None, each.split)]


async def answer(
    app: ResearchApp,
    question: str,
    depth: Depth = Depth.QUICK,
    calls: DirectCalls | None = None,
) -> StageOutputs:
    """All that a run of the shipped agent would know at its end, repairs included."""
    calls = calls or DirectCalls(app.core)
    known = StageOutputs()

    async def take(name: StageName, repair: Repair | None = None) -> None:
        nonlocal known
        context = stage_context(
            app, question, stage=name, depth=depth, known=known, calls=calls, repair=repair
        )
        known = _with(known, await STAGES[name](context))

    for name in (StageName.ANALYZE, StageName.CALIBRATE, StageName.RETRIEVE, StageName.SYNTHESIZE):
        await take(name)
    repairs = stage_context(app, question, depth=depth).settings.repair_iterations
    for iteration in range(repairs + 1):
        if known.synthesis is None or known.synthesis.cannot_answer:
            break
        await take(StageName.VERIFY)
        assert known.verified is not None
        if known.verified.all_passed or iteration == repairs:
            break
        repair = Repair(iteration + 1, known.verified.failures, known.synthesis)
        await take(StageName.SYNTHESIZE, repair)
    await take(StageName.OUTPUT)
    return known


#: Under which name the run knows what a stage gives.
KNOWN_AS: dict[type[Output], str] = {
    QueryPlan: "plan",
    Calibration: "calibration",
    Retrieval: "retrieval",
    Synthesis: "synthesis",
    Verified: "verified",
    Delivered: "delivered",
}


def _with(known: StageOutputs, output: Output) -> StageOutputs:
    changes: dict[str, Any] = {KNOWN_AS[type(output)]: output}
    return replace(known, **changes)
