"""What to read about the gaps that matter most, at addresses that exist (FR-176)."""

import asyncio
import tomllib
from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from bottega.coach.dashboard.schemas import DashboardMaterials, Recommendation, Resource
from bottega.coach.editor.state import EditorState
from bottega.coach.enums import Stage
from bottega.coach.manners import manners
from bottega.coach.model_calls import AnswerCache, as_json
from bottega.coach.practice import repository as kata_records
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.service import Skills
from bottega.coach.word_index import IndexEntry, WordIndex, stems
from bottega.core.files.languages import language_of
from bottega.core.files.tree import TreeNode, file_paths
from bottega.core.llm.tasks import Answer, Task, Tier
from bottega.core.services import Core

DOCUMENTATION = Path(__file__).with_name("documentation.toml")
#: The provider searches; we only say that it may.
WEB_SEARCH_TOOL = {"type": "web_search_20250305", "name": "web_search"}

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")


#: Pages for one topic.
MOST = 3
#: A related concept says less than the topic itself.
RELATED = 0.4
#: A page of a language that the project does not have.
FOREIGN = 0.4
#: Whoever writes one of them reads the others.
SCRIPTS = ("javascript", "typescript")


class Page(NamedTuple):
    """A page of official documentation."""

    title: str
    url: str
    #: What it teaches, in the words that gaps are called by.
    about: str
    type: Literal["documentation", "tutorial"]
    minutes: int
    #: `python`, `javascript`, `typescript`, or nothing where it holds for all.
    language: str = ""


@cache
def pages() -> tuple[Page, ...]:
    """The pages that we ship."""
    read = tomllib.loads(DOCUMENTATION.read_text(encoding="utf-8"))
    return tuple(Page(**fields) for fields in read["page"])


@cache
def addresses() -> frozenset[str]:
    return frozenset(page.url for page in pages())


@dataclass(frozen=True, slots=True)
class GapToStudy:
    topic: str
    severity: str
    related_concepts: tuple[str, ...] = ()
    frequency: int = 1


@dataclass(frozen=True, slots=True)
class Study:
    gaps: tuple[GapToStudy, ...]
    tech_stack: str
    kata_titles: tuple[str, ...] = ()


class FoundResource(BaseModel):
    type: Literal["documentation", "article", "video", "tutorial"]
    title: str
    url: str
    description: str
    relevance: Literal["direct", "deep_dive", "supplementary"]
    estimated_time: str = Field(description="As people say it: 10 minutes, 2 hours.")


class RecommendedReading(BaseModel):
    knowledge_gap: str
    resources: list[FoundResource]
    study_order: str
    practice_connection: str | None


class LearningMaterials(BaseModel):
    recommendations: list[RecommendedReading]


def prompt(study: Study) -> str:
    return as_json(
        knowledge_gaps=[asdict(gap) for gap in study.gaps],
        tech_stack=study.tech_stack,
        available_katas=study.kata_titles,
    )


@cache
def _index() -> WordIndex:
    return WordIndex({page.url: IndexEntry(page.title, [page.about]) for page in pages()})


def recommend(study: Study) -> LearningMaterials:
    """A topic that our list has nothing about is left out, rather than given something else."""
    found = [(gap, pages_about(gap, study.tech_stack)) for gap in study.gaps]
    return LearningMaterials(
        recommendations=[_recommendation(gap, pages, study) for gap, pages in found if pages]
    )


def pages_about(gap: GapToStudy, tech_stack: str) -> list[Page]:
    topic = dict.fromkeys(stems(gap.topic), 1.0)
    scores = _index().scores(dict.fromkeys(stems(*gap.related_concepts), RELATED) | topic)
    home = _home_languages(tech_stack)
    ranked = sorted(
        (
            (scores[page.url] * (1.0 if page.language in home else FOREIGN), page)
            for page in pages()
        ),
        key=lambda scored: (-scored[0], scored[1].minutes),
    )
    best = ranked[0][0]
    return [page for score, page in ranked[:MOST] if score > 0 and score >= best / 2]


def _home_languages(tech_stack: str) -> set[str]:
    """Those of the project, and none: what holds for all languages."""
    spoken = {language.strip() for language in tech_stack.lower().split(",")}
    return {"", *spoken, *(SCRIPTS if spoken & set(SCRIPTS) else ())}


def _recommendation(gap: GapToStudy, pages: list[Page], study: Study) -> RecommendedReading:
    titles = [page.title for page in pages]
    wanted = stems(gap.topic, *gap.related_concepts)
    kata = next((title for title in study.kata_titles if stems(title) & wanted), None)
    return RecommendedReading(
        knowledge_gap=gap.topic,
        resources=[_resource(page, first=page is pages[0]) for page in pages],
        study_order=" → ".join(titles) if len(titles) > 1 else f"Just this one: {titles[0]}",
        practice_connection=f"Then try the kata “{kata}”." if kata else None,
    )


def _resource(page: Page, *, first: bool) -> FoundResource:
    return FoundResource(
        type=page.type,
        title=page.title,
        url=page.url,
        description=f"Official {page.type}; covers {', '.join(page.about.split()[:5])}.",
        relevance="direct" if first else "supplementary",
        estimated_time=f"{page.minutes} minutes",
    )


@cache
def learning_materials(stage: Stage) -> Task[Study, LearningMaterials]:
    instructions = INSTRUCTIONS.format(stage=stage.words, reading=manners("reading")[stage])
    return Task(
        "learning_materials", Tier.STRONG, instructions, prompt, LearningMaterials, recommend
    )


#: FR-175.
GAPS = 5
LANGUAGES = 3
NOT_CODE = {"plaintext", "markdown", "json", "yaml", "toml", "ini", "xml"}


class Materials:
    def __init__(self, core: Core, skills: Skills) -> None:
        self._core = core
        self._skills = skills
        self._answers = AnswerCache(self._look)

    async def find(self, editor: EditorState) -> DashboardMaterials | None:
        """`None` where there is nothing to read up on (FR-185)."""
        async with self._core.database.read() as session:
            gaps = await skill_records.gaps(session, editor.user_id, addressed=False, limit=GAPS)
            katas = await kata_records.katas(session, editor.user_id)
        if not gaps:
            return None
        stage = await self._skills.stage(editor.user_id)
        study = Study(
            gaps=tuple(
                GapToStudy(gap.topic, gap.severity, tuple(gap.related_concepts), gap.frequency)
                for gap in gaps
            ),
            tech_stack=tech_stack(await editor.files.tree()),
            kata_titles=tuple(kata.title for kata, _ in katas),
        )
        answer = await self._answers.answer(
            (stage, study), user_id=editor.user_id, session_id=editor.session_id
        )
        found = {source.url for source in answer.sources}
        return DashboardMaterials(
            recommendations=with_real_addresses(
                answer.output, found | await asyncio.to_thread(addresses)
            ),
            offline=answer.offline,
        )

    async def _look(
        self, wanted: tuple[Stage, Study], session_id: str | None
    ) -> Answer[LearningMaterials]:
        stage, study = wanted
        return await self._core.gateway.call(
            learning_materials(stage),
            study,
            retry=True,
            session_id=session_id,
            tools=[WEB_SEARCH_TOOL],
        )


def with_real_addresses(
    materials: LearningMaterials, known: Collection[str]
) -> list[Recommendation]:
    """Without the resources whose address no search returned and we do not ship (SC-086)."""
    return [
        Recommendation(
            knowledge_gap=recommended.knowledge_gap,
            resources=[
                Resource(**resource.model_dump())
                for resource in recommended.resources
                if resource.url in known
            ],
            study_order=recommended.study_order,
            practice_connection=recommended.practice_connection,
        )
        for recommended in materials.recommendations
    ]


def tech_stack(tree: TreeNode) -> str:
    """The project's main languages, the most used first."""
    counts = Counter(language_of(path) for path in file_paths(tree))
    code = [name for name, _ in counts.most_common() if name not in NOT_CODE]
    return ", ".join(code[:LANGUAGES])
