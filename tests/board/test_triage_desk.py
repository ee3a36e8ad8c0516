"""People's word on failures, over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI

from bottega.board.failures import operations
from bottega.board.failures import repository as repository
from bottega.board.failures.recorder import facts_of
from bottega.board.failures.schemas import TriageInput
from bottega.board.failures.triage import FailureClass
from bottega.board.routes import router
from bottega.core.operations import Bound, operations_of
from bottega.core.sessions.session import SessionKind
from bottega.server.errors import handle_errors
from bottega.server.rest import operation_router
from tests.board.project_board import (
    ERROR,
    ME,
    ReportedBoard,
    failing,
    open_reported_board,
    passing,
)

FAILURES = "/api/board/failures"
REPORTS = "/api/board/reports"
JUNIT = (
    '<testsuite name="pytest"><testcase classname="tests.test_till" name="test_adds_up">'
    '<failure message="AssertionError: 89 != 90">assert 89 == 90</failure></testcase></testsuite>'
)


@pytest.fixture
async def board(tmp_path: Path) -> AsyncIterator[ReportedBoard]:
    async with open_reported_board(tmp_path) as board:
        yield board


@pytest.fixture
async def http(board: ReportedBoard) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    handle_errors(app)
    app.include_router(router(cast("Any", board)), prefix="/api")
    bound = [Bound(board, operations_of(operations))]
    app.include_router(operation_router(bound, "board"), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


def said(response: httpx.Response, status: int = 200) -> Any:
    assert response.status_code == status, response.text
    return response.json()


@pytest.mark.requirement("BD-640")
async def test_a_report_is_posted_as_it_is(board: ReportedBoard, http: httpx.AsyncClient) -> None:
    """Raw JSON or XML for one project; listed afterwards; refused with what is wrong."""
    place = {"project_id": board.project_id}
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


@pytest.mark.requirement("BD-641")
async def test_failures_are_listed_by_what_one_looks_for(
    board: ReportedBoard, http: httpx.AsyncClient
) -> None:
    """By project, class, status, decision, time and words; urgent first; page by page."""
    for _ in range(3):
        await board.report(failing("adds up"))
    await board.report(failing("subtracts", "50% off", error="Error: connect ECONNREFUSED"))
    await board.report(passing("subtracts"))

    async def names(**params: Any) -> list[str]:
        page = said(await http.get(FAILURES, params=params))
        return [failure["test_name"] for failure in page["failures"]]

    assert await names() == ["adds up", "50% off", "subtracts"]
    assert await names(project_id=board.project_id, classification="RECURRING") == ["adds up"]
    assert await names(status="green") == ["subtracts"]
    assert await names(status="failing", decision="ignore") == ["50% off"]
    assert await names(search="econnrefused TILL sub") == ["subtracts"]
    assert await names(search="50%") == ["50% off"]
    assert await names(since="2020-01-01", search="50%") == ["50% off"]
    assert await names(since="2999-01-01") == []
    fingerprint = (await board.failure("subtracts")).fingerprint
    assert await names(fingerprint=fingerprint) == ["subtracts"]
    page = said(await http.get(FAILURES, params={"limit": 1, "offset": 1}))
    assert (len(page["failures"]), page["total"]) == (1, 3)
    said(await http.get(FAILURES, params={"project_id": "nowhere"}), 404)


@pytest.mark.requirement("BD-642")
async def test_a_failure_is_shown_with_its_last_runs(
    board: ReportedBoard, http: httpx.AsyncClient
) -> None:
    """Newest first, each with whether it was this error."""
    await board.report(failing("adds up"))
    await board.report(passing("adds up"))
    await board.report(failing("adds up", error="Error: another"))
    first = (await board.failure("adds up")).id
    shown = said(await http.get(f"{FAILURES}/{first}"))
    assert [run["outcome"] for run in shown["runs"]] == ["failed", "passed", "failed"]
    assert [run["same_error"] for run in shown["runs"]] == [True, False, False]
    assert shown["error_message"] == "Error: another"
    assert said(await http.get(f"{FAILURES}/unknown"), 404)["error"]["type"] == "not_found"


@pytest.mark.requirement("BD-643")
async def test_a_persons_decision_stands_above_the_rules(
    board: ReportedBoard, http: httpx.AsyncClient
) -> None:
    """With reason and priority, kept beside what the rules said, and told."""
    await board.report(failing("adds up"))
    failure = await board.failure("adds up")
    word = {"decision": "pending", "rationale": "I am looking into it.", "priority": 1}
    shown = said(await http.post(f"{FAILURES}/{failure.id}/triage", json=word))
    assert (shown["decision"], shown["priority"], shown["confidence"]) == ("pending", 1, 1.0)
    assert (shown["rule_decision"], shown["person_decision"]) == ("needs_spec", "pending")
    for _ in range(5):
        assert (await board.report(failing("adds up"))).proposed == []
    after = await board.failure("adds up")
    assert (after.rationale, after.priority) == ("I am looking into it.", 1)
    assert board.heard("errors.triaged")[0]["decision"] == "pending"
    fixed = {"decision": "one_off_fix"}
    refused = said(await http.post(f"{FAILURES}/{failure.id}/triage", json=fixed), 422)
    assert "goes through a proposal" in refused["error"]["message"]
    said(await http.post(f"{FAILURES}/unknown/triage", json=word), 404)


@pytest.mark.requirement("BD-643")
async def test_a_person_can_ask_for_a_proposal_with_their_decision(board: ReportedBoard) -> None:
    """`needs_spec` does not wait for a second time."""
    await board.report(failing("adds up", "subtracts"))
    failure = await board.failure("adds up")
    word = TriageInput.model_validate({"decision": "needs_spec", "priority": 5})
    await board.triage.triage(failure.id, word, ME)
    await board.triage.classify(failure.id, FailureClass.FLAKY, ME)
    [change_id] = (await board.report(failing("adds up"))).proposed
    assert (await board.row(change_id)).priority == 5


@pytest.mark.requirement("BD-644")
async def test_a_persons_class_stands_until_they_give_it_back(
    board: ReportedBoard, http: httpx.AsyncClient
) -> None:
    """Later reports do not change it; without a class the rules decide again."""
    await board.report(failing("adds up"))
    failure = await board.failure("adds up")
    path = f"{FAILURES}/{failure.id}/classify"
    shown = said(await http.post(path, json={"classification": "FLAKY"}))
    assert (shown["classification"], shown["priority"]) == ("FLAKY", 3)
    for _ in range(5):
        await board.report(failing("adds up"))
    after = await board.failure("adds up")
    assert (after.classification, after.classified_by_person) == (FailureClass.FLAKY, True)
    shown = said(await http.post(path))
    assert (shown["classification"], shown["priority"]) == ("PERSISTENT", 5)
    assert shown["classified_by_person"] is False
    said(await http.post(path, json={"classification": "WEIRD"}), 422)


@pytest.mark.requirement("BD-645")
async def test_a_session_is_noted_for_a_failure(
    board: ReportedBoard, http: httpx.AsyncClient
) -> None:
    """An agent's, and taken away again; another kind of session is refused."""
    await board.report(failing("adds up"))
    failure = await board.failure("adds up")
    sessions = board.app.core.sessions
    agent = await sessions.create(SessionKind.AGENT, board.project.path)
    path = f"{FAILURES}/{failure.id}/assign"
    shown = said(await http.post(path, json={"session_id": agent.id}))
    assert shown["assigned_session_id"] == agent.id
    lesson = await sessions.create(SessionKind.COACHING, board.project.path)
    said(await http.post(path, json={"session_id": lesson.id}), 404)
    assert said(await http.post(path, json={"session_id": None}))["assigned_session_id"] is None


@pytest.mark.requirement("BD-646")
async def test_a_failure_is_proposed_when_a_person_says_so(
    board: ReportedBoard, http: httpx.AsyncClient
) -> None:
    """At the first time already, valid, in that person's name, and not twice."""
    await board.report(failing("adds up"))
    failure = await board.failure("adds up")
    shown = said(await http.post(f"{FAILURES}/{failure.id}/propose"))
    change = await board.row(shown["change_id"])
    assert change.fingerprint == failure.fingerprint
    assert ERROR in (change.design_content or "")
    assert "npx playwright test" in change.tasks_content
    validation = await board.changes.validation(board.project_id, change.id)
    assert validation.valid, validation.issues
    [step] = await board.history(change.id)
    assert (step.triggered_by, step.trigger_user_id) == ("user", ME)
    twice = said(await http.post(f"{FAILURES}/{failure.id}/propose"), 409)
    assert twice["error"]["change_id"] == change.id


@pytest.mark.requirement("BD-646")
async def test_a_proposal_from_the_database_knows_as_much_as_one_from_the_report(
    board: ReportedBoard,
) -> None:
    """Suite, project and runner are told from what is stored."""
    test = {
        "file": "e2e/till.spec.ts",
        "line": 7,
        "titles": ["Till", "cash", "adds up"],
        "project": "chromium",
        "status": "failed",
        "error": {"message": ERROR, "stack": "at till.spec.ts"},
    }
    await board.report([test])
    found = await board.failure("adds up")
    async with board.app.core.database.read() as session:
        row, _ = await repository.get(session, found.id)
        facts = facts_of(row, await repository.source_of(session, row.last_report_id))
    assert (facts.suite, facts.project, facts.runner) == ("Till › cash", "chromium", "playwright")


@pytest.mark.requirement("BD-647")
async def test_agreement_of_rules_and_people_is_tracked(
    board: ReportedBoard, http: httpx.AsyncClient
) -> None:
    """By their triage, and by what they did with the proposals."""
    path = f"{FAILURES}/agreement"
    assert said(await http.get(path)) == {"decided": 0, "agreed": 0, "share": None}
    for _ in range(2):
        await board.report(failing("a", "b", "c", "d"))
    changes = {name: str((await board.failure(name)).change_id) for name in "abcd"}
    await board.changes.approve(board.project_id, changes["a"], ME)
    await board.changes.reject(board.project_id, changes["b"], ME, "Not worth it.")
    third = (await board.failure("c")).id
    said(await http.post(f"{FAILURES}/{third}/triage", json={"decision": "needs_spec"}))
    counted = said(await http.get(path, params={"project_id": board.project_id}))
    assert (counted["decided"], counted["agreed"]) == (3, 2)
    assert counted["share"] == pytest.approx(2 / 3)
