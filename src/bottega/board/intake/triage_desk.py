"""People's word on failures. It stands above the rules', and both are kept to be compared."""

import asyncio
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.enums import Actor, ChangeStatus, Decision, FailureClass, Outcome
from bottega.board.failures.patterns import Pattern
from bottega.board.intake.judging import Promises, facts_of, history_of, judge, read_promises
from bottega.board.intake.proposer import Proposer
from bottega.board.intake.recorder import Seen, apply_judgement
from bottega.board.intake.views import (
    Agreement,
    FailurePage,
    FailureSummary,
    FailureView,
    RunView,
    TriageInput,
)
from bottega.board.projects import Projects
from bottega.board.repository import failure_lists
from bottega.board.repository import failures as repository
from bottega.board.repository.failure_lists import FailureFilter
from bottega.board.tables import ErrorTriage, TestFailure
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.sessions import SessionKind
from bottega.errors import Conflict, InvalidInput, NotFound


class TriageDesk:
    def __init__(self, core: Core, projects: Projects, proposer: Proposer) -> None:
        self._database = core.database
        self._bus = core.bus
        self._sessions = core.sessions
        self._projects = projects
        self._proposer = proposer

    async def list(self, wanted: FailureFilter, limit: int = 50, offset: int = 0) -> FailurePage:
        """What fails first, then by urgency."""
        if wanted.project_id is not None:
            await self._projects.get(wanted.project_id)
        async with self._database.read() as session:
            rows, total = await failure_lists.page(session, wanted, limit, offset)
        return FailurePage(
            failures=[FailureSummary.model_validate(row) for row in rows], total=total
        )

    async def show(self, failure_id: str) -> FailureView:
        """With its last runs."""
        async with self._database.read() as session:
            failure, _ = await repository.get(session, failure_id)
            own = await failure_lists.summary(session, failure_id)
            runs = await repository.runs(session, failure.project_id, failure.test_id)
        return FailureView(
            **own,
            error_message=failure.error_message,
            stack_trace=failure.stack_trace,
            runs=[
                RunView(
                    report_id=run.report_id,
                    outcome=Outcome(run.outcome),
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
        await self._tell(failure, user_id, decision=said.decision, priority=triage.priority)
        return await self.show(failure_id)

    async def classify(
        self, failure_id: str, classification: FailureClass | None, user_id: str
    ) -> FailureView:
        """A person's class stands; without one the rules classify it again."""
        promises = await self._promises(failure_id)
        async with self._database.write() as session:
            failure, triage = await repository.hold(session, failure_id)
            failure.classified_by_person = classification is not None
            if classification is not None:
                failure.classification = classification
                if triage.person_decision is None:
                    triage.priority = Pattern(classification).priority
            else:
                seen = await _seen(session, failure, triage)
                judged = await asyncio.to_thread(judge, seen.facts, seen.history, promises)
                apply_judgement(failure, triage, judged, clock.now())
            triage.updated_at = clock.now()
        await self._tell(failure, user_id, classification=failure.classification)
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
        await self._tell(failure, user_id, assigned_session_id=session_id)
        return await self.show(failure_id)

    async def propose(self, failure_id: str, user_id: str) -> FailureView:
        """Now, however often it was met, and also if it was turned down before."""
        promises = await self._promises(failure_id)
        async with self._database.read() as session:
            seen = await _seen(session, *await repository.get(session, failure_id))
        [case] = await self._proposer.cases(seen.failure.project_id, [seen])
        if (latest := case.latest) is not None and latest.status != ChangeStatus.ARCHIVED:
            raise Conflict(
                f"There is a change for it already: {latest.id!r}, which is {latest.status}.",
                change_id=latest.id,
                status=latest.status,
            )
        change_id = await self._proposer.propose(case, promises, by=Actor.USER, user_id=user_id)
        async with self._database.write() as session:
            failure, triage = await repository.hold(session, failure_id)
            _decide(triage, TriageInput(decision=Decision.NEEDS_SPEC))
        await self._tell(failure, user_id, decision=Decision.NEEDS_SPEC, change_id=change_id)
        return await self.show(failure_id)

    async def agreement(self, project_id: str | None = None) -> Agreement:
        if project_id is not None:
            await self._projects.get(project_id)
        async with self._database.read() as session:
            decided, agreed = await failure_lists.agreement(session, project_id)
        return Agreement(
            decided=decided, agreed=agreed, share=agreed / decided if decided else None
        )

    async def _promises(self, failure_id: str) -> Promises:
        async with self._database.read() as session:
            failure, _ = await repository.get(session, failure_id)
        project = await self._projects.get(failure.project_id)
        return await asyncio.to_thread(read_promises, Path(project.path))

    async def _tell(self, failure: TestFailure, user_id: str, **said: Any) -> None:
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


async def _seen(session: AsyncSession, failure: TestFailure, triage: ErrorTriage) -> Seen:
    """As a report would show it, from what is stored."""
    outcomes = await repository.last_outcomes(session, failure.project_id, [failure.test_id])
    history = history_of(failure, outcomes.get(failure.test_id, []))
    facts = facts_of(failure, await repository.source_of(session, failure.last_report_id))
    return Seen(facts, failure, triage, history, False, failure.classification)
