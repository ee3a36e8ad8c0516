"""All there is to do, planned or broken, in one list; and the numbers to steer by."""

import asyncio
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, cast

from bottega.board.changes.service import matching
from bottega.board.changes.states import LEASED, ChangeStatus
from bottega.board.changes.sync import Sync
from bottega.board.failures.triage import FailureClass
from bottega.board.projects.service import Projects
from bottega.board.projects.tables import Project
from bottega.board.queue.leases import STALE_AFTER
from bottega.board.work import repository
from bottega.board.work.repository import WorkName
from bottega.board.work.schemas import (
    BoardStats,
    ProjectLoad,
    Recommended,
    WorkItem,
    WorkPage,
    WorkRequest,
)
from bottega.core import clock
from bottega.core.services import Core

if TYPE_CHECKING:
    from bottega.board.changes.tables import Change

#: Up to so many open changes → sessions that make sense for them.
PARALLELISM = (
    (0, Recommended(least=0, most=0)),
    (2, Recommended(least=1, most=1)),
    (10, Recommended(least=2, most=3)),
)
MANY = Recommended(least=4, most=None)


class WorkList:
    def __init__(self, core: Core, projects: Projects, sync: Sync) -> None:
        self._database = core.database
        self._projects = projects
        self._sync = sync

    async def list(self, query: WorkRequest) -> WorkPage:
        """The newest activity first, or the most urgent. A search forgives mistyped words."""
        if query.project_id is not None:
            await self._projects.get(query.project_id)
        await self._sync.settled()
        async with self._database.read() as session:
            if query.search and query.search.strip():
                named = await repository.names(session, query)
                found = await asyncio.to_thread(_search, named, query.search)
                chosen = found[query.offset : query.offset + query.limit]
                rows = await repository.some(session, query, chosen) if chosen else []
                total = len(found)
            else:
                rows, total = await repository.page(session, query)
        return WorkPage(items=[WorkItem.model_validate(row) for row in rows], total=total)

    async def stats(self, project_id: str | None = None) -> BoardStats:
        """Of one project, or of all of them."""
        projects = await self._projects.list()
        if project_id is not None:
            projects = [await self._projects.get(project_id)]
        await self._sync.settled()
        async with self._database.read() as session:
            changes = await repository.changes_by_status(session)
            failures = await repository.failures_by_class(session, project_id)
            agents = await repository.active_sessions(session, clock.now() - STALE_AFTER)
        by_project: defaultdict[str, Counter[ChangeStatus]] = defaultdict(Counter)
        for owner, status, number in changes:
            by_project[owner][ChangeStatus(status)] += number
        loads = [_load(one, by_project[one.id], agents.get(one.id, 0)) for one in projects]
        counts = sum((by_project[one.id] for one in projects), Counter[ChangeStatus]())
        failing = Counter({FailureClass(name): n for name, fails, n in failures if fails})
        return BoardStats(
            changes={status: counts[status] for status in ChangeStatus},
            failures={name: failing[name] for name in FailureClass},
            failing=failing.total(),
            green=sum(number for _, fails, number in failures if not fails),
            queue_depth=counts[ChangeStatus.APPROVED],
            active_sessions=sum(load.active_sessions for load in loads),
            waiting_for_approval=counts[ChangeStatus.PROPOSING],
            waiting_for_review=counts[ChangeStatus.REVIEW],
            projects=loads,
        )


def recommend(open_changes: int) -> Recommended:
    """By the specification's table."""
    return next((fitting for most, fitting in PARALLELISM if open_changes <= most), MANY)


def _load(project: Project, counts: Counter[ChangeStatus], agents: int) -> ProjectLoad:
    queued, under_way = counts[ChangeStatus.APPROVED], sum(counts[status] for status in LEASED)
    return ProjectLoad(
        project_id=project.id,
        name=project.name,
        queue_depth=queued,
        under_way=under_way,
        active_sessions=agents,
        recommended_sessions=recommend(queued + under_way),
    )


def _search(named: list[WorkName], words: str) -> list[WorkName]:
    # It asks for nothing but a title and an id, which these have too.
    return cast("list[WorkName]", matching(cast("list[Change]", named), words))
