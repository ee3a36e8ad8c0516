"""Journal: forty experiences, what they have in common, and how well confidence foretold them."""

import json
from typing import Any

from bottega.cli.demo.doors import Doors
from bottega.cli.demo.guide import Guide

AXIS = "root_cause"
PLATITUDE = "Always write clean code."
TASK = "Orders of customers abroad show the wrong day; maybe a local time is read as UTC"
#: What the members of the largest cluster have in common.
VALUE = (
    "The time zone is the root cause: a local time was written in one time zone and read as UTC, "
    "so the day or the hour was wrong around midnight or when daylight saving time began or ended."
)


async def visit(doors: Doors, guide: Guide) -> None:
    await take_in(doors, guide)
    cluster = await look_back(doors, guide)
    await form_value(doors, guide, cluster)
    await calibrate(doors, guide)
    await begin_again(doors, guide)


async def take_in(doors: Doors, guide: Guide) -> None:
    with guide.step("Experiences of an earlier project are imported", "REST"):
        path = doors.home.examples / "journal" / "experiences.jsonl"
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        taken = await doors.rest.post("/api/journal/import", json={"lines": lines})
    guide.show(f"{taken['imported']} imported: a guess, an action, a prediction, what came of it.")
    guide.add_result(f"{taken['imported']} experiences on a map", "/journal/clusters")


async def look_back(doors: Doors, guide: Guide) -> dict[str, Any]:
    with guide.step("What goes wrong again and again? Alike root causes are grouped", "MCP"):
        found = await doors.agent.call("get_clusters", axis=AXIS)
        cluster: dict[str, Any] = found["clusters"][0]
        members = await doors.agent.call(
            "get_cluster_members", cluster_id=cluster["cluster_id"], limit=2
        )
    sizes = ", ".join(str(each["size"]) for each in found["clusters"])
    guide.show(f"{found['count']} clusters, of {sizes}. From the largest:")
    for member in members["members"]:
        guide.show(f"· {member['root_cause']['description']}")
    return cluster


async def form_value(doors: Doors, guide: Guide, cluster: dict[str, Any]) -> None:
    named = {"cluster_id": cluster["cluster_id"]}
    with guide.step("A value must be borne out by its cluster: a platitude is refused", "MCP"):
        judged = await doors.agent.call("validate_value", text=PLATITUDE, **named)
    guide.show(f"“{PLATITUDE}” {'valid' if judged['valid'] else 'refused'}")
    with guide.step("One that says what its members share is kept", "MCP"):
        await doors.agent.call("store_value", text=VALUE, axis=AXIS, **named)
    guide.show(f"“{VALUE}”")
    guide.add_result("a value, with the experiences it rests on", "/journal/values")


async def calibrate(doors: Doors, guide: Guide) -> None:
    with guide.step("How well did confidence foretell what happened?", "REST"):
        report = await doors.rest.get("/api/journal/calibration")
    overall = report["overall"]
    guide.show(
        f"Brier score {overall['brier_score']:.2f} over {overall['count']} predictions: "
        "0 is perfect, 0.25 is what a coin gets."
    )
    guide.show_rows(
        [(f"{said['mean_confidence']:.0%} sure", came_true(said)) for said in overall["curve"]]
    )
    guide.add_result("confidence against what happened", "/journal/calibration")


async def begin_again(doors: Doors, guide: Guide) -> None:
    with guide.step("The next task begins with what was learned", "MCP"):
        context = await doors.agent.call("assemble_context", query=TASK)
    guide.show(f"Task: {TASK}")
    for item in context["items"][:2]:
        guide.show(f"→ {item['kind']}: {item['content']}")


def came_true(said: dict[str, Any]) -> str:
    return f"{said['confirmed']:.0%} of {said['count']} came true"
