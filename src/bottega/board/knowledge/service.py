"""The three tiers as the rest of the board and its doors get them."""

import asyncio
from collections.abc import Iterable

import structlog

from bottega.board.changes.states import LEASED, Actor, ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.knowledge import repository
from bottega.board.knowledge.context import (
    ContextItem,
    MemoryContext,
    assemble,
    candidates_of,
)
from bottega.board.knowledge.curation import Curation
from bottega.board.knowledge.outcomes import SUCCESS_NEEDED, decide_uses, note_uses
from bottega.board.knowledge.promotion import Promotion
from bottega.board.knowledge.recorder import Recorder, check_category
from bottega.board.knowledge.schemas import (
    DEFAULT_BUDGET,
    BoardTier,
    NewKnowledge,
    ProjectItem,
    Recorded,
)
from bottega.board.knowledge.tables import HANDED_OVER_FROM
from bottega.board.knowledge.texts import is_for
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.trust.admission import admit
from bottega.core.trust.scanner import HIDDEN
from bottega.memory.admission import refuse_trivia
from bottega.memory.index import MemoryIndex

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
        index = MemoryIndex(database, core.text_index, core.vectors, embedder, core.refiner)
        self._recorder = Recorder(database, index, embedder)
        self._promotion = Promotion(database, index, self._recorder, embedder)
        #: For people.
        self.curation = Curation(database, index, self._recorder, self._promotion)

    async def record(self, new: NewKnowledge) -> Recorded:
        check_category(new.tier, new.category)
        new = admit(new, "knowledge")
        if new.key is not None:  # in which brackets are no letters
            new = new.model_copy(update={"key": new.key.replace(HIDDEN, HIDDEN.strip("[]"))})
        if new.tier is BoardTier.TASK:
            return await self._recorder.task(new)
        refuse_trivia(new.content)
        if new.tier is BoardTier.GLOBAL:
            return await self._recorder.everywhere(new)
        recorded = await self._recorder.project(new)
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
                session, HANDED_OVER_FROM, SUCCESS_NEEDED, CANDIDATES
            )
            here = await repository.worth_knowing_here(
                session, project_id, HANDED_OVER_FROM, MOST_OF_PROJECT
            )
            attempts = await repository.attempts(session, project_id, change_id, limit=MOST_OF_TASK)
        fitting = [row for row in known if is_for(agent_type, row.tags, row.title)][:MOST_GLOBAL]
        said = {row.content for row in fitting}
        candidates = {
            BoardTier.GLOBAL: candidates_of(fitting),
            BoardTier.PROJECT: candidates_of(row for row in here if row.content not in said),
            BoardTier.TASK: candidates_of(attempts),
        }
        return assemble(candidates, budget_tokens)

    async def used(self, change: Change, items: Iterable[ContextItem]) -> None:
        """Note that this was handed over with the change."""
        await note_uses(self._database, change, items)

    async def outcome(self, project_id: str, change_id: str, helped: bool) -> None:
        """The change was applied (or its test turned green), or it failed."""
        moved = await decide_uses(self._database, project_id, change_id, helped)
        if helped:
            for item_id in moved:
                await self._promotion.consider(item_id)

    async def promote(self, project_id: str, change_id: str) -> list[ProjectItem]:
        """The change is applied: what was learned with it is its project's from now on."""
        return await self._promotion.of_change(project_id, change_id)


FINISHED = {ChangeStatus.REVIEW, ChangeStatus.APPLIED}


class Lessons:
    def __init__(self, core: Core, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._learning: set[asyncio.Task[None]] = set()
        # Once, however many servers share the database.
        core.bus.on("specs.moved", self._on_move, own_only=True)

    async def stop(self) -> None:
        """Return when what was heard is learned."""
        await asyncio.gather(*self._learning, return_exceptions=True)

    def _on_move(self, event: Event) -> None:
        helped = has_helped(
            event.payload["from_state"], event.payload["to_state"], event.payload["triggered_by"]
        )
        if helped is None:
            return
        work = self._learn(event.payload["project_id"], event.payload["change_id"], helped)
        task = asyncio.create_task(work)
        self._learning.add(task)
        task.add_done_callback(self._learning.discard)

    async def _learn(self, project_id: str, change_id: str, helped: bool) -> None:
        try:
            await self._knowledge.outcome(project_id, change_id, helped)
            if helped:
                await self._knowledge.promote(project_id, change_id)
        except Exception:
            log.exception("board.nothing_learned", project=project_id, change=change_id)


def has_helped(before: str | None, after: str, by: str) -> bool | None:
    """What a move says about what was handed over with the change; `None` for nothing."""
    if after == ChangeStatus.APPLIED:
        return True
    if after != ChangeStatus.APPROVED:
        return None
    if before in FINISHED or (before in LEASED and by == Actor.AGENT):
        return False
    return None
