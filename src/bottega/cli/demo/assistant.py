"""Assistant: a lesson is planned, and a person has a say at every gate."""

from typing import Any

from bottega.cli.demo.doors import Doors
from bottega.cli.demo.guide import Guide
from bottega.errors import BottegaError

COMMAND = "lesson-planning:create-lesson"
REQUEST = "create a lesson on iteration for 3B"
CORRECTION = "There are three EAL pupils now, not two."
SHORTER = "make the starter 5 minutes"
KEPT = "Five-minute starters work best for 3B."
ENDED = ("completed", "failed", "cancelled")
SESSIONS = "/api/assistant/sessions"

Gate = dict[str, Any]
Reply = dict[str, Any]


async def visit(doors: Doors, guide: Guide) -> None:
    with guide.step(f"A teacher asks: {REQUEST}", "REST"):
        order = {"command": COMMAND, "input": REQUEST}
        session = (await doors.rest.post(SESSIONS, json=order))["session_id"]
        turn = await next_word(doors, session)
    revised = False
    while turn["status"] == "paused":
        gate = turn["gate"]
        reply, said = answer(gate, revised=revised)
        revised = revised or gate["kind"] == "adjudication"
        with guide.step(f"It stops for a person: {gate['kind'].replace('_', ' ')}", "REST"):
            await doors.rest.post(f"{SESSIONS}/{session}/reply", json=reply)
            turn = await next_word(doors, session)
        guide.show(said)
    if turn["status"] != "completed":
        raise BottegaError(f"The lesson {turn['status']}: {turn['error']}")
    show_lesson(turn["result"], guide)
    guide.add_result("a lesson, with the decisions that made it", f"/assistant/sessions/{session}")


async def next_word(doors: Doors, session: str) -> dict[str, Any]:
    """The session's turn, once it waits for a person or has ended."""
    while True:
        turn: dict[str, Any] = (await doors.rest.get(f"{SESSIONS}/{session}"))["turn"]
        if turn["status"] in (*ENDED, "paused"):
            return turn
        path = f"/api/runs/{turn['run_id']}/events"
        await doors.rest.get(path, after=turn["position"], wait=5)


def answer(gate: Gate, *, revised: bool) -> tuple[Reply, str]:
    """What the teacher replies, and how the tour tells of it."""
    items = gate["items"]
    match gate["kind"]:
        case "feedforward":
            return {"decision": "modify", "text": CORRECTION}, f"They put right: {CORRECTION}"
        case "reflection":
            said = "Yes, it fits them."
            answers = [{"id": item["id"], "decision": "answer", "text": said} for item in items]
            return {"decision": gate["default"], "items": answers}, f"They look again: {said}"
        case "adjudication" if not revised:
            told = f"{len(items) - 1} sections are accepted, one goes back: {SHORTER}"
            return {"decision": "accept", "items": [judge(section) for section in items]}, told
        case "adjudication":
            return {"decision": gate["default"]}, "What came back is accepted."
        case "memory_capture":
            edited = {"id": items[0]["id"], "decision": "edit", "text": KEPT}
            others = [{"id": item["id"], "decision": "confirm"} for item in items[1:]]
            reply = {"decision": gate["default"], "items": [edited, *others]}
            return reply, f"To be remembered, in their words: {KEPT}"
    return {"decision": gate["default"]}, f"They say: {gate['default']}"


def judge(section: dict[str, Any]) -> Reply:
    if "Starter" in section["title"]:
        return {"id": section["id"], "decision": "revise", "text": SHORTER}
    return {"id": section["id"], "decision": "accept"}


def show_lesson(result: dict[str, Any], guide: Guide) -> None:
    headings = [line for line in result["text"].splitlines() if line.startswith(("# ", "## "))]
    evidence = result["text"].count("[evidence:")
    guide.show(" · ".join(heading.lstrip("# ") for heading in headings), style="bold")
    guide.show(f"{evidence} claims point at lines of the curriculum, each checked.")
