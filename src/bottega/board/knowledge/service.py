"""The three tiers as the rest of the board and its doors get them."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

import structlog

from bottega.board.enums import Tier
from bottega.board.knowledge import context, scoring
from bottega.board.knowledge.audience import is_for
from bottega.board.knowledge.context import ContextItem, MemoryContext
from bottega.board.knowledge.index import KnowledgeIndex
from bottega.board.knowledge.items import NewKnowledge, ProjectItem, Recorded
from bottega.board.knowledge.keeping import Keeping
from bottega.board.knowledge.outcomes import Outcomes
from bottega.board.knowledge.promotion import Promotion
from bottega.board.knowledge.recalled import GlobalKnowledgeStore, ProjectMemoryStore
from bottega.board.knowledge.recording import Recording, check_category
from bottega.board.repository import knowledge as repository
from bottega.board.tables import Change
from bottega.core.services import Core

DEFAULT_BUDGET = 4_000
MOST_GLOBAL = 10
#: Looked through for ten that fit the agent.
CANDIDATES = 1_000
MOST_OF_PROJECT = 200
MOST_OF_TASK = 100

log = structlog.get_logger()


class Knowledge:
    def __init__(self, core: Core) -> None:
        database, embedder = core.database, core.embedder
        self._database = database
        self._index = KnowledgeIndex(database, core.vectors, embedder)
        self._recording = Recording(database, self._index, embedder)
        self._promotion = Promotion(database, self._index, self._recording, embedder)
        self._outcomes = Outcomes(database)
        #: For people.
        self.keeping = Keeping(database, self._index, self._recording, self._promotion)
        #: For recall.
        self.project_store = ProjectMemoryStore(database, self._index)
        self.global_store = GlobalKnowledgeStore(database, self._index)
        self._restoring: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self.project_store.start()
        await self.global_store.start()
        # Behind the open door: it loads the embedder.
        self._restoring = asyncio.create_task(self._restore(), name="restore knowledge")

    async def stop(self) -> None:
        if self._restoring is not None:
            self._restoring.cancel()
            with suppress(asyncio.CancelledError):
                await self._restoring
        await self.project_store.stop()
        await self.global_store.stop()

    async def record(self, new: NewKnowledge) -> Recorded:
        check_category(new.tier, new.category)
        if new.tier is Tier.TASK:
            return await self._recording.task(new)
        if new.tier is Tier.GLOBAL:
            return await self._recording.everywhere(new)
        recorded = await self._recording.project(new)
        await self._promotion.consider(recorded.item.id)
        return recorded

    async def context(
        self,
        project_id: str,
        change_id: str,
        agent_type: str,
        budget_tokens: int = DEFAULT_BUDGET,
    ) -> MemoryContext:
        """What an agent of that type should know before it works on the change."""
        async with self._database.read() as session:
            known = await repository.worth_knowing_everywhere(
                session, scoring.HANDED_OVER_FROM, scoring.SUCCESS_NEEDED, CANDIDATES
            )
            here = await repository.worth_knowing_here(
                session, project_id, scoring.HANDED_OVER_FROM, MOST_OF_PROJECT
            )
            attempts = await repository.attempts(session, project_id, change_id, limit=MOST_OF_TASK)
        fitting = [row for row in known if is_for(agent_type, row.tags, row.title)][:MOST_GLOBAL]
        said = {row.content for row in fitting}
        candidates = {
            Tier.GLOBAL: [context.of_global(row) for row in fitting],
            Tier.PROJECT: [context.of_project(row) for row in here if row.content not in said],
            Tier.TASK: [context.of_task(row) for row in attempts],
        }
        return context.assemble(candidates, budget_tokens)

    async def used(self, change: Change, items: Iterable[ContextItem]) -> None:
        """Note that this was handed over with the change."""
        await self._outcomes.used(change, items)

    async def outcome(self, project_id: str, change_id: str, helped: bool) -> None:
        """The change was applied (or its test turned green), or it failed."""
        moved = await self._outcomes.outcome(project_id, change_id, helped)
        if helped:
            for item_id in moved:
                await self._promotion.consider(item_id)

    async def promote(self, project_id: str, change_id: str) -> list[ProjectItem]:
        """The change is applied: what was learned with it is its project's from now on."""
        return await self._promotion.of_change(project_id, change_id)

    async def restore_vectors(self) -> int:
        """Make again what the vector store has lost; returns how many."""
        return await self._index.restore()

    async def _restore(self) -> None:
        try:
            await self.restore_vectors()
        except Exception:
            # Rows are the truth: searching is all that waits for the next start.
            log.exception("board.knowledge_not_restored")
