"""People's word on failures, over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

import bottega.board.routes.failures as failure_routes
import bottega.board.routes.reports as report_routes
from bottega.board.enums import FailureClass
from bottega.board.intake.judging import facts_of
from bottega.board.intake.views import TriageInput
from bottega.board.repository import failures as repository
from bottega.core.sessions import SessionKind
from bottega.server.errors import handle_errors
from tests.board.clinic import ERROR, ME, Clinic, failing, open_clinic, passing

FAILURES = "/api/board/failures"
REPORTS = "/api/board/reports"
JUNIT = (
    '<testsuite name="pytest"><testcase classname="tests.test_till" name="test_adds_up">'
    '<failure message="AssertionError: 89 != 90">assert 89 == 90</failure></testcase></testsuite>'
)


@pytest.fixture
async def clinic(tmp_path: Path) -> AsyncIterator[Clinic]:
    async with open_clinic(tmp_path) as clinic:
        yield clinic


@pytest.fixture
async def http(clinic: Clinic) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    handle_errors(app)
    app.include_router(report_routes.router(clinic.intake), prefix="/api")
    app.include_router(failure_routes.router(clinic.triage), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


def said(response: httpx.Response, status: int = 200) -> Any:
    assert response.status_code == status, response.text
    return response.json()


async def test_a_report_is_posted_as_it_is(clinic: Clinic, http: httpx.AsyncClient) -> None:
    """BD-640: raw JSON or XML for one project; listed afterwards; refused with what is wrong."""
    place = {"project_id": clinic.project_id}
    xml = {"content-type": "application/xml"}
    posted = said(await http.post(REPORTS, params=place, content=JUNIT, headers=xml), 201)
    assert (posted["report"]["source"], posted["report"]["failed"]) == ("junit", 1)
    assert posted["new_failures"] == 1
    listed = said(await http.get(REPORTS, params=place))
    assert [report["id"] for report in listed["reports"]] == [posted["report"]["id"]]
    refused = said(await http.post(REPORTS, params=place, content="tests passed"), 422)
    assert "no test report" in refused["error"]["message"]
    said(await http.post(REPORTS, content=JUNIT), 422)
    said(await http.post(REPORTS, params={"project_id": "nowhere"}, content=JUNIT), 404)


async def test_failures_are_listed_by_what_one_looks_for(
    clinic: Clinic, http: httpx.AsyncClient
) -> None:
    """BD-641: by project, class, status, decision, time and words; urgent first; page by page."""
    for _ in range(3):
        await clinic.report(failing("adds up"))
    await clinic.report(failing("subtracts", "50% off", error="Error: connect ECONNREFUSED"))
    await clinic.report(passing("subtracts"))

    async def names(**params: Any) -> list[str]:
        page = said(await http.get(FAILURES, params=params))
        return [failure["test_name"] for failure in page["failures"]]

    assert await names() == ["adds up", "50% off", "subtracts"]
    assert await names(project_id=clinic.project_id, classification="RECURRING") == ["adds up"]
    assert await names(status="green") == ["subtracts"]
    assert await names(status="failing", decision="ignore") == ["50% off"]
    assert await names(search="econnrefused TILL sub") == ["subtracts"]
    assert await names(search="50%") == ["50% off"]
    assert await names(since="2020-01-01", search="50%") == ["50% off"]
    assert await names(since="2999-01-01") == []
    fingerprint = (await clinic.failure("subtracts")).fingerprint
    assert await names(fingerprint=fingerprint) == ["subtracts"]
    page = said(await http.get(FAILURES, params={"limit": 1, "offset": 1}))
    assert (len(page["failures"]), page["total"]) == (1, 3)
    said(await http.get(FAILURES, params={"project_id": "nowhere"}), 404)


async def test_a_failure_is_shown_with_its_last_runs(
    clinic: Clinic, http: httpx.AsyncClient
) -> None:
    """BD-642: newest first, each with whether it was this error."""
    await clinic.report(failing("adds up"))
    await clinic.report(passing("adds up"))
    await clinic.report(failing("adds up", error="Error: another"))
    first = (await clinic.failure("adds up")).id
    shown = said(await http.get(f"{FAILURES}/{first}"))
    assert [run["outcome"] for run in shown["runs"]] == ["failed", "passed", "failed"]
    assert [run["same_error"] for run in shown["runs"]] == [True, False, False]
    assert shown["error_message"] == "Error: another"
    assert said(await http.get(f"{FAILURES}/unknown"), 404)["error"]["type"] == "not_found"


async def test_a_persons_decision_stands_above_the_rules(
    clinic: Clinic, http: httpx.AsyncClient
) -> None:
    """BD-643: with reason and priority, kept beside what the rules said, and told."""
    await clinic.report(failing("adds up"))
    failure = await clinic.failure("adds up")
    word = {"decision": "pending", "rationale": "I am looking into it.", "priority": 1}
    shown = said(await http.post(f"{FAILURES}/{failure.id}/triage", json=word))
    assert (shown["decision"], shown["priority"], shown["confidence"]) == ("pending", 1, 1.0)
    assert (shown["rule_decision"], shown["person_decision"]) == ("needs_spec", "pending")
    for _ in range(5):
        assert (await clinic.report(failing("adds up"))).proposed == []
    after = await clinic.failure("adds up")
    assert (after.rationale, after.priority) == ("I am looking into it.", 1)
    assert clinic.heard("errors.triaged")[0]["decision"] == "pending"
    fixed = {"decision": "one_off_fix"}
    refused = said(await http.post(f"{FAILURES}/{failure.id}/triage", json=fixed), 422)
    assert "goes through a proposal" in refused["error"]["message"]
    said(await http.post(f"{FAILURES}/unknown/triage", json=word), 404)


async def test_a_person_can_ask_for_a_proposal_with_their_decision(clinic: Clinic) -> None:
    """BD-643: `needs_spec` does not wait for a second time."""
    await clinic.report(failing("adds up", "subtracts"))
    failure = await clinic.failure("adds up")
    word = TriageInput.model_validate({"decision": "needs_spec", "priority": 5})
    await clinic.triage.triage(failure.id, word, ME)
    await clinic.triage.classify(failure.id, FailureClass.FLAKY, ME)
    [change_id] = (await clinic.report(failing("adds up"))).proposed
    assert (await clinic.change(change_id)).priority == 5


async def test_a_persons_class_stands_until_they_give_it_back(
    clinic: Clinic, http: httpx.AsyncClient
) -> None:
    """BD-644: later reports do not change it; without a class the rules decide again."""
    await clinic.report(failing("adds up"))
    failure = await clinic.failure("adds up")
    path = f"{FAILURES}/{failure.id}/classify"
    shown = said(await http.post(path, json={"classification": "FLAKY"}))
    assert (shown["classification"], shown["priority"]) == ("FLAKY", 3)
    for _ in range(5):
        await clinic.report(failing("adds up"))
    after = await clinic.failure("adds up")
    assert (after.classification, after.classified_by_person) == (FailureClass.FLAKY, True)
    shown = said(await http.post(path))
    assert (shown["classification"], shown["priority"]) == ("PERSISTENT", 5)
    assert shown["classified_by_person"] is False
    said(await http.post(path, json={"classification": "WEIRD"}), 422)


async def test_a_session_is_noted_for_a_failure(clinic: Clinic, http: httpx.AsyncClient) -> None:
    """BD-645: an agent's, and taken away again; another kind of session is refused."""
    await clinic.report(failing("adds up"))
    failure = await clinic.failure("adds up")
    sessions = clinic.desk.house.core.sessions
    agent = await sessions.create(SessionKind.AGENT, clinic.desk.project.path)
    path = f"{FAILURES}/{failure.id}/assign"
    shown = said(await http.post(path, json={"session_id": agent.id}))
    assert shown["assigned_session_id"] == agent.id
    lesson = await sessions.create(SessionKind.COACHING, clinic.desk.project.path)
    said(await http.post(path, json={"session_id": lesson.id}), 404)
    assert said(await http.post(path, json={"session_id": None}))["assigned_session_id"] is None


async def test_a_failure_is_proposed_when_a_person_says_so(
    clinic: Clinic, http: httpx.AsyncClient
) -> None:
    """BD-646: at the first time already, valid, in that person's name, and not twice."""
    await clinic.report(failing("adds up"))
    failure = await clinic.failure("adds up")
    shown = said(await http.post(f"{FAILURES}/{failure.id}/propose"))
    change = await clinic.change(shown["change_id"])
    assert change.fingerprint == failure.fingerprint
    assert ERROR in (change.design_content or "")
    assert "npx playwright test" in change.tasks_content
    validation = await clinic.desk.changes.validation(clinic.project_id, change.id)
    assert validation.valid, validation.issues
    [step] = await clinic.desk.history(change.id)
    assert (step.triggered_by, step.trigger_user_id) == ("user", ME)
    twice = said(await http.post(f"{FAILURES}/{failure.id}/propose"), 409)
    assert twice["error"]["change_id"] == change.id


async def test_a_proposal_from_the_database_knows_as_much_as_one_from_the_report(
    clinic: Clinic,
) -> None:
    """BD-646: suite, project and runner are told from what is stored."""
    test = {
        "file": "e2e/till.spec.ts",
        "line": 7,
        "titles": ["Till", "cash", "adds up"],
        "project": "chromium",
        "status": "failed",
        "error": {"message": ERROR, "stack": "at till.spec.ts"},
    }
    await clinic.report([test])
    found = await clinic.failure("adds up")
    async with clinic.desk.house.core.database.read() as session:
        row, _ = await repository.get(session, found.id)
        facts = facts_of(row, await repository.source_of(session, row.last_report_id))
    assert (facts.suite, facts.project, facts.runner) == ("Till › cash", "chromium", "playwright")


async def test_agreement_of_rules_and_people_is_tracked(
    clinic: Clinic, http: httpx.AsyncClient
) -> None:
    """BD-647: by their triage, and by what they did with the proposals."""
    path = f"{FAILURES}/agreement"
    assert said(await http.get(path)) == {"decided": 0, "agreed": 0, "share": None}
    for _ in range(2):
        await clinic.report(failing("a", "b", "c", "d"))
    changes = {name: str((await clinic.failure(name)).change_id) for name in "abcd"}
    await clinic.desk.changes.approve(clinic.project_id, changes["a"], ME)
    await clinic.desk.changes.reject(clinic.project_id, changes["b"], ME, "Not worth it.")
    third = (await clinic.failure("c")).id
    said(await http.post(f"{FAILURES}/{third}/triage", json={"decision": "needs_spec"}))
    counted = said(await http.get(path, params={"project_id": clinic.project_id}))
    assert (counted["decided"], counted["agreed"]) == (3, 2)
    assert counted["share"] == pytest.approx(2 / 3)
