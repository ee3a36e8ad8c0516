"""People's decisions on failures: they override the rules', and both are kept to compare.

Queries for lists of failures, and for how often people and rules agree.
"""

import asyncio
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.failures import repository
from bottega.board.failures.proposer import Proposer
from bottega.board.failures.recorder import (
    MainSpecs,
    SeenFailure,
    apply_verdict,
    facts_of,
    history_of,
    read_main_specs,
)
from bottega.board.failures.reports.report import BoardOutcome
from bottega.board.failures.schemas import (
    Agreement,
    FailurePage,
    FailuresRequest,
    FailureSummary,
    FailureView,
    RunView,
    Shown,
    TriageInput,
)
from bottega.board.failures.tables import ErrorTriage, TestFailure
from bottega.board.failures.triage import Decision, FailureClass
from bottega.board.failures.triage import triage as judge
from bottega.board.projects.service import Projects
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.sessions.session import SessionKind
from bottega.errors import Conflict, InvalidInput, NotFound

#: Characters of an error in a list.
SHOWN = 300

_OTHERS = {
    "error": func.substr(TestFailure.error_message, 1, SHOWN).label("error"),
    "change_status": Change.status.label("change_status"),
}
#: What a summary shows, each from the first table that has it.
_OWN = [
    _OTHERS[name]
    if name in _OTHERS
    else getattr(TestFailure if hasattr(TestFailure, name) else ErrorTriage, name)
    for name in FailureSummary.model_fields
]
_OF_CHANGE = and_(Change.project_id == TestFailure.project_id, Change.id == ErrorTriage.change_id)


async def page(session: AsyncSession, wanted: FailuresRequest) -> tuple[list[dict[str, Any]], int]:
    """What fails first, the most urgent before the others, then the newest; and how many."""
    order = (
        TestFailure.is_failing.desc(),
        ErrorTriage.priority.desc(),
        TestFailure.last_seen_at.desc(),
        TestFailure.id,
    )
    conditions = _conditions(wanted)
    found = _joined(select(*_OWN)).where(*conditions).order_by(*order)
    rows = await session.execute(found.limit(wanted.limit).offset(wanted.offset))
    counted = _joined(select(func.count())).where(*conditions)
    return [dict(row) for row in rows.mappings()], await session.scalar(counted) or 0


async def summary(session: AsyncSession, failure_id: str) -> dict[str, Any]:
    found = await session.execute(_joined(select(*_OWN)).where(TestFailure.id == failure_id))
    return dict(found.mappings().one())


async def agreement(session: AsyncSession, project_id: str | None) -> tuple[int, int]:
    """How many failures people decided on, and on how many as the rules had.

    Who approves a proposal, or rejects it, has decided too.
    """
    said = case(
        (ErrorTriage.person_decision.is_not(None), ErrorTriage.person_decision),
        (Change.rejection_reason.is_not(None), Decision.IGNORE.value),
        (Change.approved_at.is_not(None), Decision.NEEDS_SPEC.value),
    )
    agreed = case((said == ErrorTriage.rule_decision, 1), else_=0)
    query = _joined(select(func.count(said), func.sum(case((said.is_not(None), agreed)))))
    if project_id is not None:
        query = query.where(TestFailure.project_id == project_id)
    decided, alike = (await session.execute(query)).one()
    return decided, alike or 0


def _joined(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    return (
        query.select_from(TestFailure)
        .join(ErrorTriage, ErrorTriage.test_failure_id == TestFailure.id)
        .outerjoin(Change, _OF_CHANGE)
    )


def _conditions(wanted: FailuresRequest) -> list[ColumnElement[bool]]:
    columns = {
        TestFailure.project_id: wanted.project_id,
        TestFailure.classification: wanted.classification,
        TestFailure.is_failing: wanted.status and wanted.status is Shown.FAILING,
        ErrorTriage.decision: wanted.decision,
        TestFailure.fingerprint: wanted.fingerprint,
    }
    found = [column == value for column, value in columns.items() if value is not None]
    if wanted.since is not None:
        found.append(TestFailure.last_seen_at >= wanted.since)
    for word in (wanted.search or "").split():
        text = TestFailure.test_id + " " + TestFailure.error_message
        found.append(text.icontains(word, autoescape=True))
    return found


class FailureTriage:
    def __init__(self, core: Core, projects: Projects, proposer: Proposer) -> None:
        self._database = core.database
        self._bus = core.bus
        self._sessions = core.sessions
        self._projects = projects
        self._proposer = proposer

    async def list(self, wanted: FailuresRequest) -> FailurePage:
        """What fails first, then by urgency."""
        if wanted.project_id is not None:
            await self._projects.get(wanted.project_id)
        async with self._database.read() as session:
            rows, total = await page(session, wanted)
        return FailurePage(
            failures=[FailureSummary.model_validate(row) for row in rows], total=total
        )

    async def show(self, failure_id: str) -> FailureView:
        """With its last runs."""
        async with self._database.read() as session:
            failure, _ = await repository.get(session, failure_id)
            own = await summary(session, failure_id)
            runs = await repository.runs(session, failure.project_id, failure.test_id)
        return FailureView(
            **own,
            error_message=failure.error_message,
            stack_trace=failure.stack_trace,
            runs=[
                RunView(
                    report_id=run.report_id,
                    outcome=BoardOutcome(run.outcome),
                    duration_ms=run.duration_ms,
                    same_error=run.fingerprint == failure.fingerprint,
                    reported_at=moment,
                )
                for run, moment in runs
            ],
        )

    async def triage(self, failure_id: str, said: TriageInput, user_id: str) -> FailureView:
        """Decide what becomes of it. `needs_spec` is proposed with the next report."""
        if said.decision is Decision.ONE_OFF_FIX:
            raise InvalidInput(
                "Nothing here is fixed in passing: every fix goes through a proposal. Choose "
                "needs_spec, ignore or pending."
            )
        async with self._database.write() as session:
            failure, triage = await repository.hold(session, failure_id)
            _decide(triage, said)
        await self._publish(failure, user_id, decision=said.decision, priority=triage.priority)
        return await self.show(failure_id)

    async def classify(
        self, failure_id: str, classification: FailureClass | None, user_id: str
    ) -> FailureView:
        """A person's class stands; without one the rules classify it again."""
        main_specs = await self._promises(failure_id)
        async with self._database.write() as session:
            failure, triage = await repository.hold(session, failure_id)
            failure.classified_by_person = classification is not None
            if classification is not None:
                failure.classification = classification
                if triage.person_decision is None:
                    triage.priority = FailureClass(classification).priority
            else:
                seen = await _seen(session, failure, triage)
                features = main_specs.features
                verdict = await asyncio.to_thread(judge, seen.facts, seen.history, features)
                apply_verdict(failure, triage, verdict, clock.now())
            triage.updated_at = clock.now()
        await self._publish(failure, user_id, classification=failure.classification)
        return await self.show(failure_id)

    async def assign(self, failure_id: str, session_id: str | None, user_id: str) -> FailureView:
        """Note which agent's session looks into it."""
        if session_id is not None:
            agent = await self._sessions.get(session_id, user_id=user_id)
            if agent.kind != SessionKind.AGENT:
                raise NotFound(f"There is no agent session {session_id!r}.")
        async with self._database.write() as session:
            failure, triage = await repository.hold(session, failure_id)
            triage.assigned_session_id, triage.updated_at = session_id, clock.now()
        await self._publish(failure, user_id, assigned_session_id=session_id)
        return await self.show(failure_id)

    async def propose(self, failure_id: str, user_id: str) -> FailureView:
        """Now, however often it was met, and also if it was turned down before."""
        main_specs = await self._promises(failure_id)
        async with self._database.read() as session:
            seen = await _seen(session, *await repository.get(session, failure_id))
        [case] = await self._proposer.cases(seen.failure.project_id, [seen])
        if (latest := case.latest) is not None and latest.status != ChangeStatus.ARCHIVED:
            raise Conflict(
                f"There is a change for it already: {latest.id!r}, which is {latest.status}.",
                change_id=latest.id,
                status=latest.status,
            )
        change_id = await self._proposer.propose(case, main_specs, by=Actor.USER, user_id=user_id)
        async with self._database.write() as session:
            failure, triage = await repository.hold(session, failure_id)
            _decide(triage, TriageInput(decision=Decision.NEEDS_SPEC))
        await self._publish(failure, user_id, decision=Decision.NEEDS_SPEC, change_id=change_id)
        return await self.show(failure_id)

    async def agreement(self, project_id: str | None = None) -> Agreement:
        if project_id is not None:
            await self._projects.get(project_id)
        async with self._database.read() as session:
            decided, agreed = await agreement(session, project_id)
        return Agreement(
            decided=decided, agreed=agreed, share=agreed / decided if decided else None
        )

    async def _promises(self, failure_id: str) -> MainSpecs:
        async with self._database.read() as session:
            failure, _ = await repository.get(session, failure_id)
        project = await self._projects.get(failure.project_id)
        return await asyncio.to_thread(read_main_specs, Path(project.path))

    async def _publish(self, failure: TestFailure, user_id: str, **said: Any) -> None:
        project = await self._projects.get(failure.project_id)
        facts = {"project_id": project.id, "failure_id": failure.id, "by": user_id}
        payload = {**facts, "test_name": failure.test_name, **said}
        self._bus.publish(Event("errors.triaged", payload, project.path))


def _decide(triage: ErrorTriage, said: TriageInput) -> None:
    triage.decision = triage.person_decision = said.decision
    triage.confidence = 1.0
    triage.rationale = said.rationale or triage.rationale
    triage.priority = said.priority or triage.priority
    triage.updated_at = clock.now()


async def _seen(session: AsyncSession, failure: TestFailure, triage: ErrorTriage) -> SeenFailure:
    """As a report would show it, from what is stored."""
    outcomes = await repository.last_outcomes(session, failure.project_id, [failure.test_id])
    history = history_of(failure, outcomes.get(failure.test_id, []))
    facts = facts_of(failure, await repository.source_of(session, failure.last_report_id))
    return SeenFailure(facts, failure, triage, history, False, failure.classification)
