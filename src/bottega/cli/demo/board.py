"""Board: a failing test becomes a proposal, approved, claimed by an agent, mended, confirmed."""

from typing import Any

from bottega.cli.demo.doors import Doors
from bottega.cli.demo.failing_test import NAME, mend, run_test
from bottega.cli.demo.guide import Guide
from bottega.errors import BottegaError

#: A failure is proposed when it was met so often.
RUNS = 2


async def visit(doors: Doors, guide: Guide) -> None:
    project_id = await find_project(doors)
    change_id = await fail(doors, guide, project_id)
    await approve(doors, guide, change_id)
    await work(doors, guide)
    await confirm(doors, guide, project_id, change_id)
    guide.leaves("a failure, mended and proven green", "/board/errors")
    guide.leaves("its change, with every step it took", f"/board/changes/{change_id}")


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
    guide.shows(error, style="red")
    change_id = str(brought["proposed"][0])
    guide.shows(f"Once may be chance; after {RUNS} the board proposes a change: {change_id}")
    return change_id


async def approve(doors: Doors, guide: Guide, change_id: str) -> None:
    with guide.step("A person reads the proposal and approves it", "REST"):
        change = await doors.rest.get(f"/api/board/changes/{change_id}")
        await doors.rest.post(f"/api/board/changes/{change_id}/approve")
    guide.shows(change["title"])


async def work(doors: Doors, guide: Guide) -> None:
    agent, project = doors.agent, doors.home.project
    with guide.step("An agent registers and claims the work: a lease that no other holds", "MCP"):
        session = await agent.call("board_register_session", project_path=str(project))
        me = {"session_id": session["session_id"]}
        claim = (await agent.call("board_next_work", **me))["work"]
    held = me | {"change_id": claim["change_id"], "lease_token": claim["lease_token"]}
    guide.shows(f"It gets {len(claim['tasks'])} tasks and lease {claim['lease_token']}.")
    with guide.step("It mends the code, ticks the tasks and hands the change in", "MCP"):
        changed = await mend(project)
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
    guide.shows(f"{changed} is changed; the change is in {done['status']}.")


async def confirm(doors: Doors, guide: Guide, project_id: str, change_id: str) -> None:
    with guide.step("A person confirms the work, and the test is run once more", "REST"):
        await doors.rest.post(f"/api/board/changes/{change_id}/apply")
        error, brought = await report(doors, project_id)
        if error or change_id not in [green["change_id"] for green in brought["green"]]:
            raise BottegaError(f"{NAME} should be green now: {error or brought['green']}")
        change = await doors.rest.get(f"/api/board/changes/{change_id}")
    guide.shows(f"Green: the change is {change['status']}.", style="green")
