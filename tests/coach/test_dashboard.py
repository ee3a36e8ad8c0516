"""The dashboard: what it shows at once, and what arrives after."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from bottega.coach.background import Background
from bottega.coach.dashboard import operations
from bottega.coach.dashboard.service import Dashboard
from bottega.coach.editor.schemas import Empty
from bottega.coach.enums import HintLevel, Period, ProgressType, Severity, Stage
from bottega.coach.plans import repository as plans
from bottega.coach.plans.issues import Issues
from bottega.coach.plans.repository import NewPhase
from bottega.coach.practice import repository as kata_records
from bottega.coach.skills import repository as skill_records
from bottega.core import clock
from bottega.core.llm.ledger import CallMetadata
from bottega.core.llm.testing import LoopbackApi, Received
from bottega.core.rooms import Incoming
from bottega.core.sessions.session import Session, SessionKind, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.memory.schemas import MemoryInput
from tests.coach.builders import CoachApp, open_coach
from tests.coach.doors import Recipient, bind, messages
from tests.coach.test_issues import Gh, failing, printing

LISTED = [
    {"number": 4, "title": "Cents get lost", "body": "x" * 5_000, "labels": [{"name": "bug"}]},
    {"number": 9, "title": "Rename the till", "body": "", "assignees": [{"login": "cleo"}]},
]
NO_REMOTE = "no git remotes found\n"
CHOSEN = {
    "issues": [
        {
            "number": number,
            "title": "made up",
            "summary": "Look at the sums.",
            "suitability": "good_fit",
            "suitability_reason": "It is small.",
            "estimated_difficulty": "beginner",
            "relevant_skills": ["Python"],
            "priority_score": score,
            "priority_factors": {
                "user_tagged": False,
                "similar_to_recent_work": False,
                "addresses_knowledge_gap": True,
                "team_urgency": "low",
            },
            "learning_opportunities": ["Money"],
        }
        for number, score in ((9, 0.4), (4, 0.9), (777, 1.0))
    ]
}


def dashboard_of(app: CoachApp, gh: str | Path = "gh-that-is-not-installed") -> Dashboard:
    issues = Issues(app.project, str(gh))
    return Dashboard(app.core, app.memory.memories, app.skills, app.windows, issues)


def for_task(word: str) -> Any:
    """Requests whose instructions have this word in them."""

    def accepts(request: Received) -> bool:
        return word in json.dumps(request.body.get("system", ""))

    return accepts


ISSUES = for_task("You pick work")
MATERIALS = for_task("librarian")


async def add_gap(app: CoachApp, topic: str, severity: Severity = Severity.HIGH) -> None:
    session_id = app.editor.session_id or (await app.start_session()).id
    async with app.core.database.write() as session:
        await skill_records.record_gap(session, LOCAL_USER, session_id, topic, severity, "seen")


async def past_session(app: CoachApp, days_ago: float, minutes: int, number: int) -> Session:
    """One that was completed so long ago."""
    row = await app.core.sessions.create(
        SessionKind.COACHING, app.editors.project, issue_number=number
    )
    await app.core.sessions.end(row.id, SessionStatus.COMPLETED, user_id=LOCAL_USER)
    ended = clock.now() - timedelta(days=days_ago)
    async with app.core.database.write() as session:
        await session.execute(
            update(Session)
            .where(Session.id == row.id)
            .values(started_at=ended - timedelta(minutes=minutes), ended_at=ended)
        )
    return row


@pytest.mark.requirement("SC-091", "EC-88")
async def test_a_fresh_install_shows_zeros_and_empty_lists(app: CoachApp) -> None:
    await dashboard_of(app).show(app.editor, Period.ALL)
    [shown] = app.of_type("dashboard:state")
    assert shown["dreyfus"] == shown["inProgressSessions"] == shown["katas"] == []
    numbers = {name: value for name, value in shown["stats"].items() if name != "period"}
    assert set(numbers.values()) == {0}
    assert len(numbers) == 7
    assert app.of_type("dashboard:dreyfus") == [{"skillAreas": [], "overallStage": "novice"}]


@pytest.mark.requirement("FR-168", "FR-169", "SC-082")
async def test_everything_that_the_database_knows_is_shown_at_once(app: CoachApp) -> None:
    """And nobody is asked for it."""
    row = await app.start_session()
    plan = await app.add_plan(NewPhase(1, "Look", "…", HintLevel.FILE))
    async with app.core.database.write() as session:
        await plans.add_progress(session, plan.phases[0].id, ProgressType.HINT_USED)
        await plans.add_progress(session, plan.phases[0].id, ProgressType.HINT_ESCALATED)
        gap, _ = await skill_records.record_gap(
            session, LOCAL_USER, row.id, "Money", Severity.HIGH, "seen"
        )
        await skill_records.record_gap(session, LOCAL_USER, row.id, "Loops", Severity.LOW, "seen")
        await skill_records.address_gap(session, gap.id)
        kata = await kata_records.add_kata(
            session,
            gap.id,
            title="Till",
            description="…",
            scaffolding_code="",
            constraints=[{"title": "No floats", "description": "…", "minLevel": 3}],
        )
        for level in (2, 6, 4):
            await kata_records.append_attempt(session, kata.id, {"code": "…", "level": level})
        await skill_records.assess(session, LOCAL_USER, "Python", Stage.COMPETENT, 0.5, "seen")
    call = CallMetadata("model", "hash", 100, cost_estimate=0.25)
    app.core.ledger.log_api_call(row.id, "coach", call)
    app.core.ledger.log_api_call(None, "explain", call)

    await dashboard_of(app).show(app.editor, Period.ALL)
    [shown] = app.of_type("dashboard:state")
    assert shown["stats"] == {
        "period": "all",
        "sessionsCompleted": 0,
        "totalCoachingMinutes": 0,
        "issuesWorkedOn": 1,
        "knowledgeGapsIdentified": 2,
        "knowledgeGapsAddressed": 1,
        "hintsUsed": 1,
        "apiCostTotal": 0.5,
    }
    assert [skill["stage"] for skill in shown["dreyfus"]] == ["competent"]
    [under_way] = shown["inProgressSessions"]
    assert (under_way["id"], under_way["issueNumber"]) == (row.id, 7)
    [practice] = shown["katas"]
    assert practice == {
        "id": kata.id,
        "title": "Till",
        "topic": "Money",
        "attemptsCount": 3,
        "bestLevel": 6,
        "solved": False,
        "constraintCount": 1,
    }
    [radar] = app.of_type("dashboard:dreyfus")
    assert radar == {
        "skillAreas": [{"name": "Python", "stage": "competent", "score": 0.5}],
        "overallStage": "competent",
    }


@pytest.mark.requirement("FR-170", "SC-083")
@pytest.mark.parametrize(
    ("period", "sessions", "minutes", "issues"),
    [(Period.WEEK, 1, 30, 1), (Period.MONTH, 2, 75, 1), (Period.ALL, 3, 135, 2)],
)
async def test_the_numbers_are_of_the_period_asked_for(
    tmp_path: Path, database_url: str, period: Period, sessions: int, minutes: int, issues: int
) -> None:
    """On both databases."""
    async with open_coach(tmp_path, database_url=database_url) as app:
        await past_session(app, 2, 30, number=4)
        await past_session(app, 20, 45, number=4)
        await past_session(app, 90, 60, number=5)
        state = await dashboard_of(app).state(app.editor, period)
    assert state.stats.sessions_completed == sessions
    assert state.stats.total_coaching_minutes == minutes
    assert state.stats.issues_worked_on == issues


async def test_another_users_work_is_not_shown(app: CoachApp) -> None:
    other = (await app.core.users.create("cleo")).id
    await past_session(app, 1, 30, number=4)
    state = await dashboard_of(app).state(app.editors.of(other), Period.ALL)
    assert state.stats.sessions_completed == 0
    assert state.stats.api_cost_total == 0


@pytest.mark.requirement("SC-084", "FR-171", "FR-172", "FR-173", "FR-174", "FR-182", "EC-89")
async def test_issues_are_chosen_by_the_model_and_only_real_ones_are_shown(
    tmp_path: Path,
) -> None:
    """Ranked, with their own titles."""
    gh = Gh(tmp_path, printing(LISTED))
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        await add_gap(app, "Money")
        memory = MemoryInput(content="Cents were lost before, in the till", tags=["money"])
        await app.memory.memories.add_memories([memory], "s", app.editors.project)
        api.reply(json=CHOSEN)
        assert await dashboard_of(app, gh.path).show_issues(app.editor)

        [shown] = app.of_type("dashboard:issues")
        assert [issue["number"] for issue in shown["issues"]] == [4, 9]
        assert [issue["title"] for issue in shown["issues"]] == [
            "Cents get lost",
            "Rename the till",
        ]
        assert [issue["labels"] for issue in shown["issues"]] == [["bug"], []]
        assert (shown["offline"], shown["source"]) == (False, "github")
        assert gh.asked[0]["arguments"][:4] == ["issue", "list", "--state", "open"]
        told = json.dumps(api.requests[0].body["messages"])
        assert "Cents were lost before" in told
        assert "Money" in told
        assert "x" * 2_000 in told
        assert "x" * 2_001 not in told
        assert "sonnet" in api.requests[0].body["model"]


@pytest.mark.requirement("SC-089")
async def test_with_memory_away_the_issues_still_arrive(tmp_path: Path) -> None:
    """Chroma does not answer, and nothing is remembered."""
    gh = Gh(tmp_path, printing(LISTED))
    async with open_coach(tmp_path, chromadb_url="http://127.0.0.1:1") as app:
        assert await dashboard_of(app, gh.path).show_issues(app.editor)
        [shown] = app.of_type("dashboard:issues")
    assert {issue["number"] for issue in shown["issues"]} == {4, 9}
    assert shown["offline"]


@pytest.mark.requirement("SC-090", "FR-179")
async def test_when_gh_fails_a_readable_message_arrives_and_no_model_is_asked(
    tmp_path: Path,
) -> None:
    gh = Gh(tmp_path, failing(NO_REMOTE, 1))
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        assert not await dashboard_of(app, gh.path).show_issues(app.editor)
        [shown] = app.of_type("dashboard:issues_error")
        assert "No GitHub remote found" in shown["error"]
        assert api.requests == []


@pytest.mark.requirement("EC-84")
async def test_a_project_without_open_issues_shows_an_empty_list(tmp_path: Path) -> None:
    gh = Gh(tmp_path, printing([]))
    async with open_coach(tmp_path) as app:
        assert await dashboard_of(app, gh.path).show_issues(app.editor)
        assert app.of_type("dashboard:issues")[0]["issues"] == []


@pytest.mark.requirement("FR-178")
async def test_a_transient_failure_is_tried_once_more(tmp_path: Path) -> None:
    """For issues and for materials; a second failure is told."""
    gh = Gh(tmp_path, printing(LISTED))
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        await add_gap(app, "Money")
        dashboard = dashboard_of(app, gh.path)
        api.reply(status=500, when=ISSUES)
        api.reply(json=CHOSEN, when=ISSUES)
        assert await dashboard.show_issues(app.editor)

        api.reply(status=500, times=2, when=MATERIALS)
        assert not await dashboard.show_materials(app.editor)
        assert app.of_type("dashboard:materials_error")[0]["error"]
        assert len(api.requests) == 4


@pytest.mark.requirement("FR-175", "FR-176", "FR-181", "SC-086")
async def test_materials_come_from_a_search_and_are_for_the_worst_gaps(tmp_path: Path) -> None:
    """The tool is on the wire; an invented address is left out."""
    found, invented = "https://found.example/money", "https://invented.example/x"
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        for number in range(7):
            await add_gap(app, f"Topic {number}", Severity.LOW if number else Severity.HIGH)

        def resource(url: str) -> dict[str, str]:
            words = {"title": "t", "description": "d", "estimated_time": "1 hour"}
            return {"type": "article", "relevance": "direct", "url": url, **words}

        api.reply(
            search=((found, "Money"),),
            json={
                "recommendations": [
                    {
                        "knowledge_gap": "Topic 0",
                        "resources": [resource(found), resource(invented)],
                        "study_order": "as it comes",
                        "practice_connection": None,
                    }
                ]
            },
        )
        assert await dashboard_of(app).show_materials(app.editor)
        [shown] = app.of_type("dashboard:materials")
        urls = [r["url"] for r in shown["recommendations"][0]["resources"]]
        assert urls == [found]
        request = api.requests[0].body
        assert any(tool.get("name") == "web_search" for tool in request["tools"])
        asked = json.dumps(request["messages"])
        assert asked.count("Topic ") == 5
        assert "Topic 0" in asked


@pytest.mark.requirement("FR-185", "EC-85", "EC-86")
@pytest.mark.parametrize("addressed", [False, True])
async def test_without_an_open_gap_nobody_is_asked_for_materials(
    tmp_path: Path, addressed: bool
) -> None:
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        if addressed:
            await add_gap(app, "Money")
            async with app.core.database.write() as session:
                [gap] = await skill_records.gaps(session, LOCAL_USER)
                await skill_records.address_gap(session, gap.id)
        assert not await dashboard_of(app).show_materials(app.editor)
        assert api.requests == []
        assert app.of_type("dashboard:materials") == []
        assert app.of_type("dashboard:materials_error") == []


@pytest.mark.requirement("EC-87")
async def test_offline_the_official_documentation_is_recommended(app: CoachApp) -> None:
    """Without a search there is what we ship."""
    await add_gap(app, "Floating point money")
    assert await dashboard_of(app).show_materials(app.editor)
    [shown] = app.of_type("dashboard:materials")
    assert shown["offline"]
    assert "floatingpoint" in shown["recommendations"][0]["resources"][0]["url"]


@pytest.mark.requirement("FR-177", "SC-087", "FR-186")
async def test_issues_and_materials_are_worked_out_side_by_side(tmp_path: Path) -> None:
    """Both calls are on their way at once; what is known came first."""
    gh = Gh(tmp_path, printing(LISTED))
    hold = asyncio.Event()
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        await add_gap(app, "Money")
        row = app.editor.require_session()
        api.reply(json=CHOSEN, hold=hold, when=ISSUES)
        api.reply(json={"recommendations": []}, hold=hold, when=MATERIALS)
        window, background = Recipient(), Background()
        [request, _] = messages(
            bind(app, operations, background=background, dashboard=dashboard_of(app, gh.path))
        )
        await request.handle(
            Incoming(request.type, request.schema.model_validate({"statsPeriod": "7d"}), window)
        )
        await api.received(2)
        assert [heard.type for heard in app.broadcasts] == ["dashboard:state", "dashboard:dreyfus"]
        assert app.of_type("dashboard:state")[0]["stats"]["period"] == "7d"

        hold.set()
        await background.settle()
        assert app.of_type("dashboard:issues")
        assert app.of_type("dashboard:materials")
        [logged] = [a for a in await app.actions(row) if a.action_type == "dashboard_loaded"]
    assert logged.data == {"statsPeriod": "7d", "issuesLoaded": True, "materialsLoaded": True}


@pytest.mark.requirement("FR-186")
async def test_loading_is_logged_when_everything_failed_too(tmp_path: Path) -> None:
    gh = Gh(tmp_path, failing(NO_REMOTE, 1))
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        await add_gap(app, "Money")
        row = app.editor.require_session()
        api.reply(status=400, times=2)
        await dashboard_of(app, gh.path).follow_up(app.editor, Period.ALL)
        [logged] = [a for a in await app.actions(row) if a.action_type == "dashboard_loaded"]
    assert logged.data == {"statsPeriod": "all", "issuesLoaded": False, "materialsLoaded": False}


@pytest.mark.requirement("FR-180", "SC-088", "EC-90", "EC-91")
async def test_a_refresh_brings_the_issues_and_nothing_else(tmp_path: Path) -> None:
    """Also while two first loads are under way."""
    gh = Gh(tmp_path, printing(LISTED))
    async with open_coach(tmp_path) as app:
        window, background = Recipient(), Background()
        [request, refresh] = messages(
            bind(app, operations, background=background, dashboard=dashboard_of(app, gh.path))
        )
        await refresh.handle(Incoming(refresh.type, Empty(), window))
        await background.settle()
        assert [heard.type for heard in app.broadcasts] == ["dashboard:issues"]

        for _ in range(2):
            asked = request.schema.model_validate({})
            await request.handle(Incoming(request.type, asked, window))
        await refresh.handle(Incoming(refresh.type, Empty(), window))
        await background.settle()
        assert len(app.of_type("dashboard:state")) == 2
        assert len(app.of_type("dashboard:issues")) == 4


@pytest.mark.requirement("FR-173", "FR-180")
async def test_a_dashboard_that_is_opened_again_asks_the_model_only_for_what_is_new(
    tmp_path: Path,
) -> None:
    """A refresh asks in any case, and so does whatever has changed since."""
    gh = Gh(tmp_path, printing(LISTED))
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        await add_gap(app, "Money")
        api.reply(json=CHOSEN, when=ISSUES, times=3)
        api.reply(json={"recommendations": []}, when=MATERIALS, times=2)
        dashboard = dashboard_of(app, gh.path)

        async def asked() -> tuple[int, int]:
            await dashboard.follow_up(app.editor, Period.ALL)
            return sum(map(ISSUES, api.requests)), sum(map(MATERIALS, api.requests))

        assert await asked() == (1, 1)
        assert await asked() == (1, 1)
        assert await dashboard.show_issues(app.editor, anew=True)
        assert await asked() == (2, 1)
        await add_gap(app, "Time zones")
        assert await asked() == (3, 2)
        assert app.of_type("dashboard:issues")[0] == app.of_type("dashboard:issues")[1]
