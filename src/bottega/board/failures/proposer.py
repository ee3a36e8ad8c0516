"""Failures become proposals: one for each, at the right time, and never a flood of them.

A proposal waits until the failure was met often enough, a flaky one longer; what a person has
turned down is not proposed again. The proposal of a failure that goes on is brought up to date,
as long as nobody has edited it.
"""

from collections.abc import Awaitable, Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from operator import attrgetter

import structlog

from bottega.board.changes import repository as change_repository
from bottega.board.changes.schemas import ChangeEdit
from bottega.board.changes.service import Changes
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.failures import repository
from bottega.board.failures.proposal import draft_for, is_ours, proposal_id, texts_of
from bottega.board.failures.recorder import MainSpecs, SeenFailure
from bottega.board.failures.tables import ErrorTriage, TestFailure
from bottega.board.failures.triage import RECURRING_AFTER, Decision, FailureClass
from bottega.board.openspec.drafts import NewChange
from bottega.core.services import Core
from bottega.errors import BottegaError

#: A person decides on each of them.
MOST_PROPOSED = 10
MOST_UPDATED = 10
#: Who wrote what nobody wrote.
AUTHOR = "bottega"
#: Where in a rationale our own remarks begin.
NOTE = "Bottega notes:"

log = structlog.get_logger()


@dataclass(slots=True)
class Proposals:
    made: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    held_back: int = 0
    waiting: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FailureCase:
    """A failure, and the changes made for it so far, newest first."""

    seen: SeenFailure
    changes: Sequence[Change]

    @property
    def latest(self) -> Change | None:
        return self.changes[0] if self.changes else None

    @property
    def predecessor(self) -> str | None:
        """An archived change that did not last."""
        return next((one.id for one in self.changes if _was_done(one)), None)

    @property
    def is_free(self) -> bool:
        """No change is under way for it, and none was turned down."""
        return self.latest is None or _was_done(self.latest)

    @property
    def urgency(self) -> tuple[int, int]:
        return self.seen.triage.priority, self.seen.failure.occurrence_count


class Proposer:
    def __init__(self, core: Core, changes: Changes) -> None:
        self._database = core.database
        self._changes = changes
        self._propose_after = core.choices.propose_after

    async def propose_all(
        self, project_id: str, seen: Sequence[SeenFailure], main_specs: MainSpecs
    ) -> Proposals:
        """For all that a report has shown, the most urgent first."""
        done = Proposals()
        cases = await self.cases(project_id, seen)
        cases.sort(key=attrgetter("urgency"), reverse=True)
        free = [case for case in cases if case.is_free and _may_come(case.seen.triage)]
        due = [case for case in free if self._is_due(case.seen)]
        done.waiting, done.held_back = len(free) - len(due), max(0, len(due) - MOST_PROPOSED)
        for case in due[:MOST_PROPOSED]:
            made = self.propose(case, main_specs, by=Actor.SYSTEM)
            done.made += await _attempt(made, case, done.problems)
        for case in [case for case in cases if _has_news(case)][:MOST_UPDATED]:
            updated = self._update(case, main_specs)
            done.updated += await _attempt(updated, case, done.problems)
        return done

    async def cases(self, project_id: str, seen: Sequence[SeenFailure]) -> list[FailureCase]:
        async with self._database.read() as session:
            prints = [one.failure.fingerprint for one in seen]
            made = await repository.changes_for(session, project_id, prints)
        return [FailureCase(one, made.get(one.failure.fingerprint, ())) for one in seen]

    async def propose(
        self, case: FailureCase, main_specs: MainSpecs, *, by: Actor, user_id: str | None = None
    ) -> str:
        """Its id. Whether it is time for it is the caller's business."""
        failure = case.seen.failure
        change_id = await self._adopt(failure, proposal_id(case.seen.facts))
        if change_id is None:
            async with self._database.read() as session:
                taken = await change_repository.ids(session, failure.project_id)
            proposed = await self._changes.propose(
                failure.project_id,
                replace(_draft(case, main_specs), id=_free(proposal_id(case.seen.facts), taken)),
                by=by,
                user_id=user_id,
                fingerprint=failure.fingerprint,
                priority=case.seen.triage.priority,
            )
            change_id = proposed.id
        async with self._database.write() as session:
            _, triage = await repository.hold(session, failure.id)
            triage.change_id = change_id
        return change_id

    async def _adopt(self, failure: TestFailure, change_id: str) -> str | None:
        """A change with this failure's own id of which nobody noted what it is for: the process
        died in between, or the database is a new one."""
        async with self._database.write() as session:
            change = await session.get(Change, (failure.project_id, change_id))
            if change is None or change.fingerprint is not None:
                return None
            change.fingerprint = failure.fingerprint
        return change_id

    def _is_due(self, seen: SeenFailure) -> bool:
        if seen.triage.person_decision is not None:
            return True
        times = seen.failure.occurrence_count
        if seen.failure.classification == FailureClass.FLAKY:
            return times >= max(RECURRING_AFTER, self._propose_after)
        return times >= self._propose_after

    async def _update(self, case: FailureCase, main_specs: MainSpecs) -> str | None:
        """None if the proposal is a person's by now."""
        project_id, failure = case.seen.failure.project_id, case.seen.failure
        change = await self._changes.show(project_id, case.changes[0].id)
        if not is_ours(change.proposal_content, change.design_content):
            await self._note_edited(failure.id, change.id)
            return None
        texts = texts_of(_draft(case, main_specs))
        more_urgent = case.seen.class_before != failure.classification
        edit = ChangeEdit(
            texts=texts,
            base_hashes={name: change.hashes.get(name) for name in texts},
            priority=case.seen.triage.priority if more_urgent else None,
        )
        await self._changes.edit(project_id, change.id, edit, AUTHOR, reason="refreshed")
        return change.id

    async def _note_edited(self, failure_id: str, change_id: str) -> None:
        async with self._database.write() as session:
            failure, triage = await repository.hold(session, failure_id)
            said = (triage.rationale or "").partition(NOTE)[0].strip()
            triage.rationale = (
                f"{said}\n\n{NOTE} a person has edited {change_id}, so its text was left alone. "
                f"The failure is {failure.classification} and was seen "
                f"{failure.occurrence_count} times now."
            ).strip()


def _may_come(triage: ErrorTriage) -> bool:
    """Whether there could be a proposal for it, now or later."""
    if triage.person_decision is not None:
        return triage.person_decision == Decision.NEEDS_SPEC
    return triage.decision != Decision.IGNORE


def _has_news(case: FailureCase) -> bool:
    """For one who reads its proposal: it is another pattern now, or was seen twice as often. To
    write at every run would bury what people wrote under revisions."""
    latest, failure = case.latest, case.seen.failure
    if latest is None or latest.status != ChangeStatus.PROPOSING or latest.missing_since:
        return False
    doubled = failure.occurrence_count.bit_count() == 1
    return doubled or case.seen.class_before != failure.classification


def _was_done(change: Change) -> bool:
    """What was rejected, or put away by hand, had never been approved."""
    return change.status == ChangeStatus.ARCHIVED and change.approved_at is not None


def _draft(case: FailureCase, main_specs: MainSpecs) -> NewChange:
    seen = case.seen
    return draft_for(seen.facts, seen.history, seen.pattern, main_specs, case.predecessor)


def _free(id: str, taken: Collection[str]) -> str:
    return next(
        name for number in count(1) if (name := f"{id}-{number}" if number > 1 else id) not in taken
    )


async def _attempt(
    work: Awaitable[str | None], case: FailureCase, problems: list[str]
) -> list[str]:
    """The report is stored whatever becomes of one proposal."""
    try:
        made = await work
    except BottegaError as error:
        name = case.seen.failure.test_name
        log.warning("board.proposal_failed", test=name, error=error.message)
        problems.append(f"The proposal for {name!r} failed: {error.message}")
        return []
    return [made] if made else []
