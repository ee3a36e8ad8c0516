"""What to read about the gaps that matter most, at addresses that exist."""

from collections import Counter
from collections.abc import Collection

from bottega.coach.dashboard.documentation import ADDRESSES
from bottega.coach.dashboard.kept import Kept
from bottega.coach.desk.desk import Desk
from bottega.coach.prompts.learning_materials import (
    WEB_SEARCH_TOOL,
    GapToStudy,
    LearningMaterials,
    Study,
    learning_materials,
)
from bottega.coach.protocol.dashboard import DashboardMaterials, Recommendation, Resource
from bottega.coach.repository import learning
from bottega.coach.skills import Skills
from bottega.coach.stages import Stage
from bottega.core.files.languages import language_of
from bottega.core.files.tree import TreeNode, file_paths
from bottega.core.llm.tasks import Answer
from bottega.core.services import Core

#: FR-175.
GAPS = 5
LANGUAGES = 3
NOT_CODE = {"plaintext", "markdown", "json", "yaml", "toml", "ini", "xml"}


class Materials:
    def __init__(self, core: Core, skills: Skills) -> None:
        self._core = core
        self._skills = skills
        self._kept = Kept(self._look)

    async def find(self, desk: Desk) -> DashboardMaterials | None:
        """`None` where there is nothing to read up on (FR-185)."""
        async with self._core.database.read() as session:
            gaps = await learning.gaps(session, desk.user_id, addressed=False, limit=GAPS)
            katas = await learning.katas(session, desk.user_id)
        if not gaps:
            return None
        stage = await self._skills.stage(desk.user_id)
        study = Study(
            gaps=tuple(
                GapToStudy(gap.topic, gap.severity, tuple(gap.related_concepts), gap.frequency)
                for gap in gaps
            ),
            tech_stack=tech_stack(await desk.files.tree()),
            kata_titles=tuple(kata.title for kata, _ in katas),
        )
        answer = await self._kept.answer(
            (stage, study), user_id=desk.user_id, session_id=desk.session_id
        )
        found = {source.url for source in answer.sources}
        return DashboardMaterials(
            recommendations=with_real_addresses(answer.output, found | ADDRESSES),
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
