"""Research with small stages of its own, so that the orchestrator is what is seen."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.tasks import Task, Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.core.runs import Run, RunEvent
from bottega.errors import Unavailable
from bottega.research.agents.definition import Depth, StageName
from bottega.research.pipeline.context import StageContext, StageFunction
from bottega.research.pipeline.schemas import (
    AnswerStatus,
    Calibration,
    Claim,
    Delivered,
    QueryPlan,
    ResearchOrder,
    Retrieval,
    SubQuery,
    Synthesis,
    VerificationScores,
    Verified,
)
from bottega.research.pipeline.service import ResearchRuns, SwitchOn
from bottega.research.service import STAGES
from bottega.research.stages.revise import revise_plan
from tests.research.builders import ResearchApp, open_research
from tests.research.direct_calls import parts_of

PATIENCE = 20.0

DUES = ResearchOrder(question="What are the harbour dues?", library="harbour")


class Said(BaseModel):
    text: str


def task(name: str) -> Task[str, Said]:
    return Task(
        name,
        Tier.STRONG,
        f"You {name}.",
        lambda asked: f"{name}: {asked}",
        Said,
        lambda asked: Said(text=f"{name} {asked}"),
    )


PLAN, CALIBRATE, WRITE, REVISE = map(task, ("plan", "calibrate", "write", "revise"))


@dataclass
class Script:
    """What the small stages do; `ran` tells what they did."""

    clarity: float = 0.9
    web: bool = False
    answerable: bool = True
    cannot_answer: str | None = None
    synthesis: str | None = None
    #: That the plan chooses; without, the one that it is made at.
    depth: Depth | None = None
    #: Of each verification in turn; the last one repeats.
    passes: list[bool] = field(default_factory=lambda: [True])
    searches: int = 2
    broken_search: bool = False
    #: What the verification asks a model through, by itself.
    judge: Gateway | None = None
    ran: list[tuple[StageName, StageContext]] = field(default_factory=list)

    def stages(self) -> Mapping[StageName, StageFunction]:
        return {
            StageName.ANALYZE: self.analyze,
            StageName.CALIBRATE: self.calibrate,
            StageName.RETRIEVE: self.retrieve,
            StageName.SYNTHESIZE: self.synthesize,
            StageName.VERIFY: self.verify,
            StageName.OUTPUT: self.output,
        }

    @property
    def names(self) -> list[StageName]:
        return [name for name, _ in self.ran]

    async def analyze(self, context: StageContext) -> QueryPlan:
        self.ran.append((StageName.ANALYZE, context))
        said = await context.calls.ask(PLAN, context.order.question)
        return QueryPlan(
            original_query=context.order.question,
            clarity_score=self.clarity,
            recommended_action="proceed",
            sub_queries=[SubQuery(query=said.text)],
            depth_mode=self.depth or context.depth,
        )

    async def revise(self, context: StageContext, text: str) -> QueryPlan:
        said = await context.calls.ask(REVISE, text)
        depth = "deep" if "deep" in text else context.known.current_plan.depth_mode
        changes = {"sub_queries": [SubQuery(query=said.text)], "depth_mode": depth}
        plan = context.known.current_plan.model_dump() | changes
        return QueryPlan.model_validate(plan)

    async def calibrate(self, context: StageContext) -> Calibration:
        self.ran.append((StageName.CALIBRATE, context))
        if not self.web:
            return Calibration(skipped=True, skip_reason="No web search is set up.")
        await context.calls.ask(CALIBRATE, context.order.question)
        return Calibration(skipped=False)

    async def search(self, context: StageContext, number: int) -> list[str]:
        # The first to start is the last to end.
        for _ in range(self.searches - number):
            await asyncio.sleep(0)
        if self.broken_search:
            raise Unavailable("The index is away.")
        return [f"paragraph {number}"]

    async def retrieve(self, context: StageContext) -> Retrieval:
        self.ran.append((StageName.RETRIEVE, context))

        found = await asyncio.gather(
            *(
                context.calls.tool(
                    "orch_kb_search",
                    partial(self.search, context, number),
                    input={"query": f"query {number}"},
                    shown=lambda hits: f"{len(hits)} found: {hits[0]}",
                    result=list[str],
                )
                for number in range(self.searches)
            )
        )
        return Retrieval(
            total_paragraphs_found=len(found),
            unique_after_dedup=len(found),
            answerable=self.answerable,
            reasons=[] if self.answerable else ["Nothing about that."],
        )

    async def synthesize(self, context: StageContext) -> Synthesis:
        self.ran.append((StageName.SYNTHESIZE, context))
        asked = context.order.question
        if context.repair:
            asked += f" again {context.repair.iteration}: {'; '.join(context.repair.failures)}"
        said = await context.calls.ask(WRITE, asked)
        return Synthesis(
            title="Dues",
            summary=[Claim(text=said.text, citations=["101.1"])],
            key_findings=[said.text],
            cannot_answer=self.cannot_answer,
            synthesis=said.text if self.synthesis is None else self.synthesis,
            citations_used=["101.1"],
        )

    async def verify(self, context: StageContext) -> Verified:
        iteration = context.repair.iteration if context.repair else 0
        self.ran.append((StageName.VERIFY, context))

        async def judge() -> bool:
            if self.judge is not None:
                await self.judge.run(WRITE, "judge this")
            return self.passes[min(iteration, len(self.passes) - 1)]

        passed = await context.calls.tool(
            "orch_citation_verify", judge, input={"claims": 1}, shown=str, result=bool
        )
        score = 1.0 if passed else 0.5
        return Verified(
            verification_scores=VerificationScores(
                entity_grounding=1,
                citation_accuracy=score,
                relation_preservation=1,
                contradictions=0,
            ),
            all_passed=passed,
            source_texts={"101.1": "The dues are 5 marks."},
            failures=[] if passed else [f"Claim 1 is not borne out ({iteration})."],
        )

    async def output(self, context: StageContext) -> Delivered:
        self.ran.append((StageName.OUTPUT, context))
        known = context.known
        if known.verified is None:
            status = AnswerStatus.REFUSED
        else:
            status = AnswerStatus.VERIFIED if known.verified.all_passed else AnswerStatus.UNVERIFIED
        text = known.synthesis.synthesis if known.synthesis else "Not in the library."
        return Delivered(
            answer_delivered=True,
            status=status,
            total_citations=1,
            markdown=f"# {text}",
            answer={"question": context.order.question, "summary": [{"text": text}]},
        )


@dataclass
class ScriptedResearch:
    app: ResearchApp
    script: Script
    runs: ResearchRuns

    async def start(self, order: ResearchOrder = DUES, **changes: Any) -> Run:
        return await self.runs.start(order.model_copy(update=changes))

    async def settled(self, run: Run) -> Run:
        async with asyncio.timeout(PATIENCE):
            return await self.runs.wait_until_settled(run.id)

    async def finish(self, order: ResearchOrder = DUES, **changes: Any) -> Run:
        """Start it without pauses, and wait for its end."""
        run = await self.start(order, auto_proceed=True, **changes)
        return await self.settled(run)

    async def say(self, run: Run, text: str) -> Run:
        """Reply, and wait until it needs somebody again."""
        await self.runs.reply(run.id, text)
        return await self.settled(run)

    async def events(self, run: Run, *types: str) -> list[RunEvent]:
        events = await self.runs.history(run.id)
        return [event for event in events if not types or event.type in types]


@asynccontextmanager
async def open_scripted_research(
    root: Path,
    script: Script | None = None,
    *,
    database_url: str | None = None,
    api: LoopbackApi | None = None,
    switch_on: SwitchOn | None = None,
    real: bool = False,
) -> AsyncIterator[ScriptedResearch]:
    """With the stages of a script, or with the `real` ones."""
    script = script or Script()
    async with open_research(root, database_url=database_url, api=api) as app:
        runs = ResearchRuns(
            parts_of(app),
            STAGES if real else script.stages(),
            revise=revise_plan if real else script.revise,
            switch_on=switch_on,
        )
        try:
            yield ScriptedResearch(app, script, runs)
        finally:
            await app.core.runs.stop()
            await runs.stop()
            await app.core.gateway.close()
