"""The issues worth doing next: fetched, judged against the learner, ranked."""

from bottega.coach.dashboard.answer_cache import AnswerCache
from bottega.coach.dashboard.issue_assessment import (
    AssessedIssue,
    IssueAssessment,
    OpenGap,
    OpenIssue,
    Profile,
    RecentIssue,
    SkillStage,
    issue_assessment,
)
from bottega.coach.dashboard.schemas import DashboardIssues, PriorityFactors, RankedIssue
from bottega.coach.editor.state import EditorState
from bottega.coach.enums import Stage
from bottega.coach.plans.issues import Issues
from bottega.coach.plans.schemas import Issue, Source
from bottega.coach.skills import repository as skill_records
from bottega.core import clock
from bottega.core.llm.tasks import Answer
from bottega.core.services import Core
from bottega.core.sessions.session import SessionKind, SessionStatus
from bottega.memory.service import SemanticMemories

#: Of each issue's text; fifty of them are enough to read (FR-182).
BODY_CHARACTERS = 2_000
RECENT_SESSIONS = 10


class IssueAssessor:
    def __init__(self, core: Core, memories: SemanticMemories, issues: Issues) -> None:
        self._core = core
        self._memories = memories
        self._issues = issues
        self._answers = AnswerCache(self._judge)

    async def assess(self, editor: EditorState, *, anew: bool = False) -> DashboardIssues:
        """`anew` asks again even if nothing has changed since."""
        listed = await self._issues.list()
        login = await self._issues.login() if listed.source == Source.GITHUB else None
        found = [_open_issue(issue, login) for issue in listed.issues]
        profile = await self._profile(editor, found)
        answer = await self._answers.answer(
            profile, user_id=editor.user_id, session_id=editor.session_id, anew=anew
        )
        return DashboardIssues(
            issues=_known(answer.output.issues, listed.issues),
            offline=answer.offline,
            source=listed.source.value,
        )

    async def _judge(self, profile: Profile, session_id: str | None) -> Answer[IssueAssessment]:
        return await self._core.gateway.call(
            issue_assessment, profile, retry=True, session_id=session_id
        )

    async def _profile(self, editor: EditorState, issues: list[OpenIssue]) -> Profile:
        """FR-174."""
        recent = await self._core.sessions.list(
            user_id=editor.user_id,
            kind=SessionKind.COACHING,
            status=SessionStatus.COMPLETED,
            limit=RECENT_SESSIONS,
        )
        async with self._core.database.read() as session:
            skills = await skill_records.assessments(session, editor.user_id)
            gaps = await skill_records.gaps(session, editor.user_id, addressed=False)
        return Profile(
            issues=tuple(issues),
            skills=tuple(
                SkillStage(row.skill_area, Stage(row.stage), row.confidence) for row in skills
            ),
            recent_sessions=tuple(
                RecentIssue(row.issue_title, clock.iso(row.ended_at) if row.ended_at else None)
                for row in recent
            ),
            gaps=tuple(
                OpenGap(gap.topic, gap.severity, tuple(gap.related_concepts)) for gap in gaps
            ),
            memories=await self._remembered(editor, issues),
        )

    async def _remembered(self, editor: EditorState, issues: list[OpenIssue]) -> tuple[str, ...]:
        """What earlier sessions had to do with these; nothing while memory is away (FR-172)."""
        if not issues:
            return ()
        topics = "; ".join(issue.title for issue in issues)
        found = await self._memories.query_memories(topics[:4_000], user_id=editor.user_id)
        return tuple(memory.content for memory in found)


def _open_issue(issue: Issue, login: str | None) -> OpenIssue:
    return OpenIssue(
        number=issue.number,
        title=issue.title,
        body=issue.body[:BODY_CHARACTERS],
        labels=issue.labels,
        assignees=issue.assignees,
        comments=len(issue.comments),
        user_tagged=login is not None and issue.concerns(login),
    )


def _known(assessed: list[AssessedIssue], listed: list[Issue]) -> list[RankedIssue]:
    """Those that there are, each once, by their own titles, the best first."""
    by_number = {issue.number: issue for issue in listed}
    best: dict[int, AssessedIssue] = {}
    for issue in sorted(assessed, key=lambda issue: -issue.priority_score):
        if issue.number in by_number:
            best.setdefault(issue.number, issue)
    return [
        RankedIssue(
            **issue.model_dump(exclude={"title", "priority_factors"}),
            title=by_number[number].title,
            labels=list(by_number[number].labels),
            priority_factors=PriorityFactors(**issue.priority_factors.model_dump()),
        )
        for number, issue in best.items()
    ]
