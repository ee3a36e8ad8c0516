"""Board: a failing test becomes a proposal, approved, claimed by an agent, mended, confirmed."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from bottega.cli.demo.doors import Doors
from bottega.cli.demo.guide import Guide
from bottega.core.programs import run
from bottega.errors import BottegaError

NAME = "test_the_cents_add_up"
#: Plain Python: a test runner need not be installed here.
TEST = """\
from tally import Trip

trip = Trip(["ada", "ben", "cleo"])
trip.pay("ada", 100, "hotel")
repaid = sum(transfer.amount for transfer in trip.settle())
assert repaid == round(repaid, 2), f"{repaid} is not a sum in whole cents"
"""
TEST_SECONDS = 30
BROKEN = """\
        share = sum(amount for _, amount, _ in self.payments) / len(self.people)
        paid = dict.fromkeys(self.people, 0.0)
        for person, amount, _ in self.payments:
            paid[person] += amount
        return {person: amount - share for person, amount in paid.items()}
"""
FIXED = """\
        paid = dict.fromkeys(self.people, 0)
        for person, amount, _ in self.payments:
            paid[person] += round(amount * 100)
        share, left = divmod(sum(paid.values()), len(self.people))
        owed = {person: share + (n < left) for n, person in enumerate(self.people)}
        return {person: (cents - owed[person]) / 100 for person, cents in paid.items()}
"""
#: The board proposes a change after a failure has been seen this often.
RUNS = 2


async def visit(doors: Doors, guide: Guide) -> None:
    project_id = await find_project(doors)
    change_id = await fail(doors, guide, project_id)
    await approve(doors, guide, change_id)
    await work(doors, guide)
    await confirm(doors, guide, project_id, change_id)
    guide.add_result("a failure, mended and proven green", "/board/errors")
    guide.add_result("its change, with every step it took", f"/board/changes/{change_id}")


async def find_project(doors: Doors) -> str:
    listed = await doors.rest.get("/api/projects")
    return str(listed["projects"][0]["id"])


async def report(doors: Doors, project_id: str) -> tuple[str, dict[str, Any]]:
    outcome = await run_test(doors.home.project)
    brought: dict[str, Any] = await doors.rest.send(
        "/api/board/reports", outcome.junit, "application/xml", project_id=project_id
    )
    return outcome.error, brought


async def fail(doors: Doors, guide: Guide, project_id: str) -> str:
    with guide.step(f"{NAME} fails {RUNS} times; JUnit reports are sent", "REST"):
        for _ in range(RUNS):
            error, brought = await report(doors, project_id)
    guide.show(error, style="red")
    change_id = str(brought["proposed"][0])
    guide.show(f"Once may be chance; after {RUNS} the board proposes a change: {change_id}")
    return change_id


async def approve(doors: Doors, guide: Guide, change_id: str) -> None:
    with guide.step("A person reads the proposal and approves it", "REST"):
        change = await doors.rest.get(f"/api/board/changes/{change_id}")
        await doors.rest.post(f"/api/board/changes/{change_id}/approve")
    guide.show(change["title"])


async def work(doors: Doors, guide: Guide) -> None:
    agent, project = doors.agent, doors.home.project
    with guide.step("An agent registers and claims the work: a lease that no other holds", "MCP"):
        session = await agent.call("board_register_session", project_path=str(project))
        me = {"session_id": session["session_id"]}
        claim = (await agent.call("board_next_work", **me))["work"]
    held = me | {"change_id": claim["change_id"], "lease_token": claim["lease_token"]}
    guide.show(f"It gets {len(claim['tasks'])} tasks and lease {claim['lease_token']}.")
    with guide.step("It mends the code, ticks the tasks and hands the change in", "MCP"):
        changed = await fix(project)
        tasks = [task["id"] for task in claim["tasks"]]
        await agent.call("board_update_tasks", **held, tasks=tasks)
        done = await agent.call(
            "board_complete_work",
            **held,
            result="Balances are kept in whole cents; the remainder is handed out one by one.",
            files_changed=[changed],
            tests=f"{NAME} passes.",
        )
        await agent.call("board_end_session", **me)
    guide.show(f"{changed} is changed; the change is in {done['status']}.")


async def confirm(doors: Doors, guide: Guide, project_id: str, change_id: str) -> None:
    with guide.step("A person confirms the work, and the test is run once more", "REST"):
        await doors.rest.post(f"/api/board/changes/{change_id}/apply")
        error, brought = await report(doors, project_id)
        if error or change_id not in [green["change_id"] for green in brought["green"]]:
            raise BottegaError(f"{NAME} should be green now: {error or brought['green']}")
        change = await doors.rest.get(f"/api/board/changes/{change_id}")
    guide.show(f"Green: the change is {change['status']}.", style="green")


@dataclass(frozen=True)
class TestOutcome:
    #: Empty if it passed.
    error: str
    stack: str

    @property
    def junit(self) -> bytes:
        suite = Element("testsuite", name="tally", tests="1", failures=str(int(bool(self.error))))
        case = SubElement(
            suite, "testcase", classname="tests.test_trip", name=NAME, file="tests/test_trip.py"
        )
        if self.error:
            SubElement(case, "failure", message=self.error).text = self.stack
        return tostring(suite)


async def run_test(project: Path) -> TestOutcome:
    command = (sys.executable, "-c", TEST)
    ended = await run(command, project / "src", TEST_SECONDS)
    if not ended.code:
        return TestOutcome("", "")
    stack = ended.errors.strip()
    return TestOutcome(stack.rpartition("\n")[2], stack)


async def fix(project: Path) -> str:
    """Fix the bug as an agent would; returns the path of the changed file."""
    path = project / "src" / "tally" / "trip.py"
    source = await asyncio.to_thread(path.read_text, "utf-8")
    await asyncio.to_thread(path.write_text, source.replace(BROKEN, FIXED), "utf-8")
    return str(path.relative_to(project))
