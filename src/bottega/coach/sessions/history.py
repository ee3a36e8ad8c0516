"""Past sessions: every action, model call and hint in order and in words; listed, replayed, and
written up as a report.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.enums import PhaseStatus
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import PlanWithPhases
from bottega.coach.plans.tables import Phase, Plan, ProgressEvent
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.tables import KataSpec
from bottega.coach.sessions.schemas import MomentView, Replay, SessionLine
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.tables import KnowledgeGap
from bottega.core import clock
from bottega.core.llm.ledger import FAILED, ApiCall
from bottega.core.services import Core
from bottega.core.sessions.actions import Action, ActionType
from bottega.core.sessions.session import Session, SessionKind
from bottega.core.text.words import one_line
from bottega.errors import NotFound

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Moment:
    at: datetime
    #: An action's type, `model_call`, or a progress event's type.
    kind: str
    #: What happened, for a person.
    text: str
    data: Data


def timeline(
    actions: Sequence[Action], calls: Sequence[ApiCall], progress: Sequence[ProgressEvent]
) -> list[Moment]:
    """All of it, oldest first."""
    moments = [
        *(Moment(row.created_at, row.action_type, _words(row), row.data or {}) for row in actions),
        *(Moment(row.created_at, "model_call", _call(row), _cost(row)) for row in calls),
        *(
            Moment(row.created_at, row.event_type, _progress(row), row.data or {})
            for row in progress
        ),
    ]
    return sorted(moments, key=lambda moment: moment.at)


def _words(action: Action) -> str:
    data = action.data or {}
    say = WORDS.get(ActionType(action.action_type))
    return say(data) if say else action.action_type.replace("_", " ")


def _signed(number: object) -> str:
    return f"{number:+d}" if isinstance(number, int) else "?"


def _phase(data: Data) -> str:
    return f"phase {data.get('phaseNumber', '?')}: {data.get('title', '')}"


def _nudge(data: Data) -> str:
    signal = str(data.get("signal") or "nudge").replace("_", " ")
    sure = data.get("confidence")
    return f"{signal}, {sure:.0%} sure" if isinstance(sure, int | float) else signal


def _outcome(what: str, data: Data) -> str:
    return f"{what}: {data.get('error')}" if data.get("success") is False else what


WORDS: dict[ActionType, Callable[[Data], str]] = {
    ActionType.FILE_OPEN: lambda d: f"opened {d.get('path')}",
    ActionType.FILE_SAVE: lambda d: f"saved {d.get('path')} ({d.get('charCount', '?')} characters)",
    ActionType.FILE_CLOSE: lambda d: f"closed {d.get('path')}",
    ActionType.BUFFER_SUMMARY: lambda d: (
        f"edited {d.get('path')}: {d.get('editCount', '?')} edits, "
        f"{_signed(d.get('charDelta'))} characters"
    ),
    ActionType.BUFFER_SIGNIFICANT_CHANGE: lambda d: (
        f"changed much of {d.get('path')}: {_signed(d.get('delta'))} characters"
    ),
    ActionType.TAB_SWITCH: lambda d: f"switched to {d.get('toPath')}",
    ActionType.SELECTION: lambda d: (
        f"selected {d.get('textLength', '?')} characters in {d.get('path')}"
    ),
    ActionType.HINT_LEVEL_CHANGE: lambda d: (
        f"set hints to {d.get('level')} (was {d.get('previousLevel')})"
    ),
    ActionType.EXPLAIN_REQUESTED: lambda d: f"asked what {d.get('path')} does here",
    ActionType.REVIEW_REQUESTED: lambda d: (
        "submitted a kata" if d.get("kataId") else "asked for a review"
    ),
    ActionType.IDLE_START: lambda _: "went quiet",
    ActionType.IDLE_END: lambda _: "came back",
    ActionType.SESSION_STARTED: lambda d: (
        f"began work on issue {d['issueNumber']}" if d.get("issueNumber") else "began work"
    ),
    ActionType.SESSION_RESUMED: lambda _: "took the session up again",
    ActionType.SESSION_ENDED: lambda d: f"session {d.get('status', 'ended')}",
    ActionType.PHASE_STARTED: lambda d: f"started {_phase(d)}",
    ActionType.PHASE_COMPLETED: lambda d: f"completed {_phase(d)}",
    ActionType.COACHING_MESSAGE: lambda d: (
        f"Paige: {str(d.get('messageType', 'message')).replace('_', ' ')}"
    ),
    ActionType.NUDGE_SENT: lambda d: f"Paige nudged: {_nudge(d)}",
    ActionType.NUDGE_SUPPRESSED: lambda d: (
        f"Paige held back ({str(d.get('reason')).replace('_', ' ')})"
    ),
    ActionType.OBSERVER_MUTED: lambda d: (
        "muted the observer" if d.get("muted") else "unmuted the observer"
    ),
    ActionType.MCP_TOOL_CALL: lambda d: f"agent called {d.get('toolName')}",
    ActionType.DECORATIONS_APPLIED: lambda d: f"lines marked in {d.get('path')}",
    ActionType.FILE_HINTS_APPLIED: lambda d: (
        f"files pointed at: {', '.join(map(str, d.get('paths') or []))}"
    ),
    ActionType.EXPLAIN_COMPLETED: lambda d: _outcome(f"explained {d.get('path')}", d),
    ActionType.REVIEW_COMPLETED: lambda d: _outcome(
        f"reviewed: level {d['level']}" if d.get("level") else "reviewed", d
    ),
    ActionType.DASHBOARD_LOADED: lambda _: "looked at the dashboard",
}


def _call(call: ApiCall) -> str:
    what = call.call_type.replace("_", " ")
    if call.latency_ms == FAILED:
        return f"asked {call.model}: {what} failed"
    return f"asked {call.model}: {what}"


def _cost(call: ApiCall) -> dict[str, Any]:
    return {
        "latencyMs": call.latency_ms,
        "inputTokens": call.input_tokens,
        "outputTokens": call.output_tokens,
        "cost": call.cost_estimate,
        **({"error": call.error} if call.error else {}),
    }


def _progress(event: ProgressEvent) -> str:
    path = (event.data or {}).get("path")
    what = event.event_type.replace("_", " ")
    return f"{what}: {path}" if path else what


#: The word that stands for the newest session.
LAST = "last"

MARKS = {PhaseStatus.COMPLETE: "x", PhaseStatus.ACTIVE: "~", PhaseStatus.PENDING: " "}
#: Too many of them, and no story: left out of the report, kept in the replay.
NOISE = {
    ActionType.SELECTION,
    ActionType.TAB_SWITCH,
    ActionType.MCP_TOOL_CALL,
    ActionType.NUDGE_SUPPRESSED,
    ActionType.DECORATIONS_APPLIED,
    ActionType.FILE_HINTS_APPLIED,
    "model_call",
}


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """Everything that is kept of one session."""

    session: Session
    plan: PlanWithPhases | None
    moments: Sequence[Moment]
    gaps: Sequence[KnowledgeGap]
    katas: Sequence[tuple[KataSpec, KnowledgeGap]]
    cost: float

    @property
    def minutes(self) -> float:
        return minutes_of(self.session, clock.now())


class SessionHistory:
    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def project(self) -> str:
        return str(self._core.files.root)

    async def sessions(self, user_id: str, limit: int = 20) -> list[SessionLine]:
        """Newest first."""
        rows = await self._core.sessions.list(
            user_id=user_id, kind=SessionKind.COACHING, project_dir=self.project, limit=limit
        )
        async with self._core.database.read() as session:
            statuses = await _phase_statuses(session, [row.id for row in rows])
        return [_line(row, statuses.get(row.id, [])) for row in rows]

    async def replay(self, user_id: str, session_id: str) -> Replay:
        record = await self.record(user_id, session_id)
        start = record.session.started_at
        statuses = [phase.status for phase in record.plan.phases] if record.plan else []
        return Replay(
            session=_line(record.session, statuses),
            moments=[
                MomentView(
                    at=clock.iso(moment.at),
                    offset_ms=round((moment.at - start).total_seconds() * 1000),
                    kind=moment.kind,
                    text=moment.text,
                    data=dict(moment.data),
                )
                for moment in record.moments
            ],
        )

    async def report(self, user_id: str, session_id: str) -> str:
        """The session as a page of markdown."""
        return report(await self.record(user_id, session_id))

    async def record(self, user_id: str, session_id: str) -> SessionRecord:
        await self._core.ledger.flush()
        row = await self._find(user_id, session_id)
        async with self._core.database.read() as session:
            actions = await session.scalars(select(Action).filter_by(session_id=row.id))
            calls = (await session.scalars(select(ApiCall).filter_by(session_id=row.id))).all()
            progress = await plans.progress_of_session(session, row.id)
            gaps = await skill_records.gaps(session, user_id, session_id=row.id)
            katas = await kata_records.katas(session, user_id)
            mine = {gap.id for gap in gaps}
            return SessionRecord(
                session=row,
                plan=await plans.latest(session, row.id),
                moments=timeline(actions.all(), calls, progress),
                gaps=gaps,
                katas=[pair for pair in katas if pair[1].id in mine],
                cost=sum(call.cost_estimate for call in calls),
            )

    async def _find(self, user_id: str, session_id: str) -> Session:
        if session_id != LAST:
            row = await self._core.sessions.get(session_id, user_id=user_id)
            if row.kind != SessionKind.COACHING:
                raise NotFound(f"Session {session_id!r} is no coaching session, but {row.kind}.")
            return row
        newest = await self._core.sessions.list(
            user_id=user_id, kind=SessionKind.COACHING, project_dir=self.project, limit=1
        )
        if not newest:
            raise NotFound("There is no coaching session yet in this project. Start one first.")
        return newest[0]


def minutes_of(session: Session, now: datetime) -> float:
    return round(((session.ended_at or now) - session.started_at).total_seconds() / 60, 1)


def _line(row: Session, statuses: Sequence[str]) -> SessionLine:
    return SessionLine(
        id=row.id,
        issue_number=row.issue_number,
        issue_title=row.issue_title,
        status=row.status,
        started_at=clock.iso(row.started_at),
        ended_at=clock.iso(row.ended_at) if row.ended_at else None,
        minutes=minutes_of(row, clock.now()),
        phases_completed=sum(status == PhaseStatus.COMPLETE for status in statuses),
        phases_total=len(statuses),
    )


async def _phase_statuses(session: AsyncSession, ids: Sequence[str]) -> dict[str, list[str]]:
    """Of each session's latest plan."""
    query = (
        select(Plan.session_id, Plan.id, Phase.status)
        .join(Phase, Phase.plan_id == Plan.id)
        .where(Plan.session_id.in_(ids))
        .order_by(Plan.created_at, Plan.id)
    )
    newest: dict[str, str] = {}
    statuses: dict[str, list[str]] = {}
    for session_id, plan_id, status in (await session.execute(query)).all():
        if newest.get(session_id) != plan_id:
            newest[session_id], statuses[session_id] = plan_id, []
        statuses[session_id].append(status)
    return statuses


def report(record: SessionRecord) -> str:
    sections = [_head(record), _phases(record), _timeline(record), _learned(record)]
    return "\n\n".join("\n".join(section) for section in map(list, sections) if section) + "\n"


def _head(record: SessionRecord) -> Iterator[str]:
    session = record.session
    number = f"#{session.issue_number} " if session.issue_number else ""
    yield f"# {number}{one_line(session.issue_title or session.title or 'Coaching session')}"
    yield ""
    yield f"- Session `{session.id}`, {session.status}"
    yield f"- Begun {session.started_at:%Y-%m-%d %H:%M} UTC, {record.minutes:g} minutes"
    if record.cost:
        yield f"- Models: ${record.cost:.4f}"
    if record.plan and record.plan.plan.memory_connection:
        yield f"- Reminded of: {one_line(record.plan.plan.memory_connection)}"


def _phases(record: SessionRecord) -> Iterator[str]:
    if record.plan is None or not record.plan.phases:
        return
    yield "## Phases"
    yield ""
    for phase in record.plan.phases:
        mark = MARKS[PhaseStatus(phase.status)]
        yield f"- [{mark}] **{phase.number}. {one_line(phase.title)}**"
        yield ""
        yield from (f"  {line}".rstrip() for line in phase.description.splitlines())


def _timeline(record: SessionRecord) -> Iterator[str]:
    moments = [moment for moment in record.moments if moment.kind not in NOISE]
    if not moments:
        return
    yield "## How it went"
    yield ""
    for moment in moments:
        yield f"- {moment.at:%H:%M} {one_line(moment.text)}"


def _learned(record: SessionRecord) -> Iterator[str]:
    if not record.gaps:
        return
    yield "## To practise"
    yield ""
    for gap in record.gaps:
        state = "addressed" if gap.addressed else f"{gap.severity}, met {_times(gap.frequency)}"
        yield f"- **{one_line(gap.topic)}** ({state}): {one_line(gap.evidence)}"
        for kata, of in record.katas:
            if of.id == gap.id:
                yield f"  - Kata: {one_line(kata.title)}, tried {_times(len(kata.user_attempts))}"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
