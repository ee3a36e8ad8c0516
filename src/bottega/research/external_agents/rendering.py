"""`agent_render_research_output`: a document from what an agent from outside found.

It goes through the same verification, the same filter and the same writing as our own answers: a
claim that its sources do not bear out is not delivered, whoever made it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel

from bottega.core.clock import new_id
from bottega.core.llm.tasks import Task
from bottega.core.operations import bounded, shaped
from bottega.core.services import Core
from bottega.research.agents.definition import Agent, Depth, StageConfig, StageName
from bottega.research.agents.folders import agent_folders
from bottega.research.pipeline.context import StageContext, StageOutputs, StageServices
from bottega.research.pipeline.schemas import (
    DEFAULT_AGENT,
    AnswerSection,
    AnswerStatus,
    Calibration,
    Claim,
    QueryPlan,
    ResearchOrder,
    SubQuery,
    Synthesis,
    WebSource,
)
from bottega.research.pipeline.views import Taken
from bottega.research.stages.output import output
from bottega.research.stages.verify import verify_answer

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)
T = TypeVar("T")
Line = Annotated[str, bounded(1, 500)]


@dataclass(frozen=True, slots=True)
class DirectCalls:
    core: Core
    session_id: str

    @property
    def offline(self) -> bool:
        return self.core.gateway.mode.offline

    async def ask(self, task: Task[In, Out], input: In, *, max_tokens: int = 4096) -> Out:
        return await self.core.gateway.run(
            task, input, retry=True, session_id=self.session_id, max_tokens=max_tokens
        )

    async def tool(
        self,
        name: str,
        function: Callable[[], Awaitable[T]],
        *,
        input: Mapping[str, Any],
        shown: Callable[[T], str],
        result: type[T],
    ) -> T:
        return await function()


class ClaimInput(BaseModel):
    text: Annotated[str, bounded(1, 2_000)]
    #: References of paragraphs: `315.12(a)`.
    citations: Annotated[list[Line], bounded(0, 20)] = []


class SectionInput(BaseModel):
    heading: Line
    claims: Annotated[list[ClaimInput], bounded(1, 100)]


class WebSourceInput(BaseModel):
    url: Annotated[str, shaped(r"https?://\S{1,2000}", "`https://example.org/page`")]
    title: Line
    excerpt: Annotated[str, bounded(0, 2_000)] = ""


class DocumentInput(BaseModel):
    question: Annotated[str, bounded(1, 20_000)]
    title: Line
    summary: Annotated[list[ClaimInput], bounded(1, 50)]
    sections: Annotated[list[SectionInput], bounded(0, 50)] = []
    web_sources: Annotated[list[WebSourceInput], bounded(0, 50)] = []
    #: What was searched for.
    sub_queries: Annotated[list[Line], bounded(0, 50)] = []
    depth: Depth = Depth.STANDARD


class RenderedDocument(BaseModel):
    status: AnswerStatus
    markdown: str
    output_file_path: str | None
    total_citations: int
    #: References that the library does not have.
    invented: list[str]
    #: What was taken out, and why.
    removed: list[Taken]


class Rendering:
    def __init__(self, services: StageServices) -> None:
        self._services = services

    async def render(
        self,
        session_id: str,
        library: str,
        document: DocumentInput,
        *,
        user_id: str,
        agent: str = DEFAULT_AGENT,
    ) -> RenderedDocument:
        asked = await self._context(session_id, library, document, user_id, agent)
        verified = await verify_answer(asked, _synthesis(document))
        context = replace(asked, known=replace(asked.known, verified=verified))
        delivered = await output(context)
        return RenderedDocument(
            status=delivered.status,
            markdown=delivered.markdown,
            output_file_path=delivered.output_file_path,
            total_citations=delivered.total_citations,
            invented=verified.missing_source_texts,
            removed=[Taken.model_validate(each) for each in delivered.answer["removed"]],
        )

    async def _context(
        self, session_id: str, library: str, document: DocumentInput, user_id: str, agent: str
    ) -> StageContext:
        core = self._services.core
        found = await self._services.libraries.libraries.get(library, user_id)
        loaded = await asyncio.to_thread(lambda: agent_folders(core).load(agent))
        depth, settings = loaded.depth(document.depth)
        return StageContext(
            order=ResearchOrder(question=document.question, library=library, agent=agent),
            agent=loaded,
            stage=_output_stage(loaded),
            depth=depth,
            settings=settings,
            library=found,
            services=self._services,
            run_id=new_id("doc_"),
            session_id=session_id,
            user_id=user_id,
            known=_known(document),
            calls=DirectCalls(core, session_id),
        )


def _output_stage(agent: Agent) -> StageConfig:
    stages = agent.config.stages
    return next((each for each in stages if each.name is StageName.OUTPUT), stages[-1])


def _known(document: DocumentInput) -> StageOutputs:
    web = [
        WebSource(label=f"W{number}", url=each.url, title=each.title, excerpt=each.excerpt)
        for number, each in enumerate(document.web_sources, 1)
    ]
    plan = QueryPlan(
        original_query=document.question,
        clarity_score=1.0,
        recommended_action="proceed",
        sub_queries=[SubQuery(query=each) for each in document.sub_queries],
        depth_mode=document.depth,
    )
    calibration = Calibration(skipped=not web, web_sources=web)
    return StageOutputs(plan=plan, calibration=calibration, synthesis=_synthesis(document))


def _synthesis(document: DocumentInput) -> Synthesis:
    return Synthesis(
        title=document.title,
        summary=_claims(document.summary),
        sections=[
            AnswerSection(heading=each.heading, claims=_claims(each.claims))
            for each in document.sections
        ],
    )


def _claims(claims: Sequence[ClaimInput]) -> list[Claim]:
    return [Claim(text=each.text, citations=each.citations) for each in claims]
