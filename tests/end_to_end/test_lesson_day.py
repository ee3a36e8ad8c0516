"""A teacher plans "a lesson on iteration for 3B" through the real server: gates, skills, evidence,
a revision, memory; the next day it is remembered, found, gone on with and handed to the reviewer.

On SQLite and on PostgreSQL, without a model and with one on the real wire.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from bottega.core.llm.testing import LoopbackApi, Received
from tests.conftest import Postgres
from tests.end_to_end.answers import expecting
from tests.end_to_end.conftest import DEADLINE, RunningServer, Start

REQUEST = "create a lesson on iteration for 3B"
CORRECTION = "There are three EAL pupils now, not two."
SHORTER = "make the starter 5 minutes"
KEPT = "Five-minute starters work best for 3B."
ENDED = ("completed", "failed", "cancelled")
CURRICULUM = (
    Path(__file__).parents[2]
    / "src/bottega/assistant/shipped/plugins/lesson-planning/workspace/curriculum/cfe-computing.md"
)


@dataclass
class Teacher:
    http: httpx.AsyncClient
    #: What was asked of them, in order.
    asked: list[dict[str, Any]] = field(default_factory=list)
    revised: bool = False

    async def call(self, method: str, path: str, **options: Any) -> Any:
        response = await self.http.request(method, f"/api/assistant{path}", **options)
        assert response.is_success, response.text
        return response.json()

    async def plan(self, command: str, said: str) -> dict[str, Any]:
        turn = await self.call("POST", "/sessions", json={"command": command, "input": said})
        return await self.go_through(turn["session_id"])

    async def say(self, session: str, said: str) -> dict[str, Any]:
        await self.call("POST", f"/sessions/{session}/messages", json={"text": said})
        return await self.go_through(session)

    async def go_through(self, session: str) -> dict[str, Any]:
        """Answer every gate; the turn when it has ended."""
        async with asyncio.timeout(DEADLINE):
            while True:
                turn: dict[str, Any] = (await self.call("GET", f"/sessions/{session}"))["turn"]
                if turn["status"] in ENDED:
                    assert turn["status"] == "completed", turn["error"]
                    return turn
                if turn["status"] == "paused":
                    self.asked.append(turn["gate"])
                    reply = self.answer(turn["gate"])
                    await self.call("POST", f"/sessions/{session}/reply", json=reply)
                else:
                    path = f"/api/runs/{turn['run_id']}/events"
                    await self.http.get(path, params={"after": turn["position"], "wait": 5})

    def answer(self, gate: dict[str, Any]) -> dict[str, Any]:
        items = gate["items"]
        match gate["kind"]:
            case "feedforward" if not self.revised:
                return {"decision": "modify", "text": CORRECTION}
            case "reflection":
                answers = [
                    {"id": item["id"], "decision": "answer", "text": "Yes, it fits them."}
                    for item in items
                ]
                return {"decision": gate["default"], "items": answers}
            case "adjudication" if not self.revised:
                self.revised = True
                starter = next(item for item in items if "Starter" in item["title"])
                change = {"id": starter["id"], "decision": "revise", "text": SHORTER}
                return {"decision": "accept", "items": [change]}
            case "memory_capture":
                edited = {"id": items[0]["id"], "decision": "edit", "text": KEPT}
                rest = [{"id": item["id"], "decision": "confirm"} for item in items[1:]]
                return {"decision": gate["default"], "items": [edited, *rest]}
        return {"decision": gate["default"]}

    def kinds(self) -> list[str]:
        return [gate["kind"] for gate in self.asked]


@asynccontextmanager
async def teacher_at(server: RunningServer) -> AsyncIterator[Teacher]:
    async with httpx.AsyncClient(base_url=server.url, timeout=DEADLINE, trust_env=False) as http:
        yield Teacher(http)


async def plan_the_lesson(teacher: Teacher) -> str:
    turn = await teacher.plan("lesson-planning:create-lesson", REQUEST)
    assert turn["result"]["status"] == "success", turn["result"]
    kinds = teacher.kinds()
    assert kinds[0] == "feedforward"
    assert kinds.count("adjudication") == 2
    assert kinds[-1] == "memory_capture"
    assert "3B" in teacher.asked[0]["text"]
    lesson = turn["result"]["text"]
    assert "5 minutes" in lesson.split("## Starter", 1)[1][:80]
    assert "[evidence: curriculum/cfe-computing.md:L" in lesson
    events = (await teacher.http.get(f"/api/runs/{turn['run_id']}/events")).json()
    skills = [
        event["payload"]["arguments"]
        for event in events
        if event["type"] == "tool_call" and event["payload"]["name"] == "read_skill"
    ]
    read = [next(iter(arguments.values())) for arguments in skills]
    assert any("/" not in name for name in read)
    assert any("/" in name for name in read)
    session = str(turn["session_id"])
    decisions = (await teacher.call("GET", f"/sessions/{session}/decisions"))["decisions"]
    assert {each["kind"] for each in decisions} >= {
        "feedforward",
        "reflection",
        "adjudication",
        "memory_capture",
    }
    written = turn["result"]["written"]
    path = f"/workspaces/lesson-planning/file?path={written[-1]}"
    assert (await teacher.call("GET", path))["text"].strip()
    return session


async def remember_the_next_day(teacher: Teacher, session: str) -> None:
    memory = await teacher.call("GET", "/memory/file?path=memory/classes/3B/MEMORY.md")
    assert KEPT in memory["text"]
    teacher.revised = True
    turn = await teacher.plan("lesson-planning:create-lesson", "create a lesson on lists for 3B")
    assert turn["result"]["status"] == "success", turn["result"]
    surfaced = next(gate for gate in teacher.asked if gate["kind"] == "feedforward")
    assert "ive-minute starters" in str(surfaced)
    found = await teacher.call("GET", "/search", params={"query": "iteration", "class_id": "3B"})
    assert session in [each["session"]["id"] for each in found["found"]]
    turn = await teacher.say(
        session, "Please hand this over to the pedagogy-reviewer for a review."
    )
    assert turn["result"]["agent"] == "pedagogy-reviewer", turn["result"]
    said = (await teacher.call("GET", f"/sessions/{session}/messages"))["messages"]
    assert REQUEST in said[0]["text"]


async def play(start_server: Start, **settings: str) -> RunningServer:
    server = start_server(**settings)
    async with teacher_at(server) as teacher:
        session = await plan_the_lesson(teacher)
    assert await asyncio.to_thread(server.stop) == 0
    next_day = start_server(**settings)
    async with teacher_at(next_day) as teacher:
        await remember_the_next_day(teacher, session)
    return next_day


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    postgres: Postgres = request.getfixturevalue("postgres")
    return {"DATABASE_URL": postgres.new_database()}


@pytest.mark.requirement("AS-701")
async def test_a_lesson_without_a_model(start_server: Start, database: dict[str, str]) -> None:
    """Planned, judged, revised, remembered, found and handed over, with no model at all."""
    await play(start_server, **database)


@pytest.mark.requirement("AS-702")
async def test_a_lesson_with_a_model(start_server: Start, database: dict[str, str]) -> None:
    """The same with a model over the provider's wire."""
    async with LoopbackApi() as api:
        script(api)
        await play(
            start_server,
            BOTTEGA_MODEL="anthropic",
            ANTHROPIC_API_KEY="sk-ant-loopback",
            ANTHROPIC_BASE_URL=api.url,
            **database,
        )
        assert any(CORRECTION in str(request.body) for request in api.requests)


def script(api: LoopbackApi) -> None:
    """What the model says, by task and by how far the conversation is."""
    quick: dict[str, Any] = {
        "in_scope": {"in_scope": True, "reason": ""},
        "sentences": {"sentences": []},
        "dismissed": {"findings": [], "dismissed": []},
        "questions": {"questions": [{"question": "Does it fit 3B?", "about": "the class"}]},
        "proposals": {
            "proposals": [
                {
                    "scope": "class",
                    "text": "Shorter starters suit 3B.",
                    "reason": "you shortened it",
                }
            ]
        },
    }
    for key, answer in quick.items():
        api.reply(json=answer, when=expecting(key), times=20)
    api.reply(tool=("read_skill", {"reference": "retrieval-practice"}), when=is_turn(REQUEST, 0))
    deeper = {"reference": "retrieval-practice/techniques.md"}
    api.reply(tool=("read_skill", deeper), when=is_turn(REQUEST, 1))
    api.reply(text=lesson("8 minutes"), when=is_turn(REQUEST, 2))
    api.reply(text=lesson("5 minutes"), when=is_turn(SHORTER, 2))
    handover = {
        "reason": "The teacher asked for a review.",
        "decisions": ["A five-minute starter."],
        "constraints": ["50 minutes."],
        "open_questions": [],
    }
    transfer = ("transfer_to_pedagogy_reviewer", handover)
    api.reply(tool=transfer, when=is_turn("hand this over", None, planner=True))
    api.reply(
        text="## Review\n\nThe goals and the checks fit.", when=is_turn("hand this over", None)
    )
    api.reply(text=lesson("5 minutes"), when=is_turn("lists for 3B", None), times=10)


def is_turn(
    said: str, tools_used: int | None, *, planner: bool = False
) -> Callable[[Received], bool]:
    """A request of the loop after these words were last said and so many tools were used."""

    def accepts(request: Received) -> bool:
        messages = request.body.get("messages", [])
        spoken = [m for m in messages if m["role"] == "user" and said in str(m["content"])]
        used = sum("tool_result" in str(m["content"]) for m in messages if m["role"] == "user")
        offers = str([tool["name"] for tool in request.body.get("tools", [])])
        if planner and "transfer_to" not in offers:
            return False
        return bool(spoken) and bool(offers) and tools_used in (None, used)

    return accepts


def lesson(starter: str) -> str:
    lines = CURRICULUM.read_text("utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if line.startswith("- Predicts how many"))
    quoted = lines[number - 1].removeprefix("- ")
    return (
        "# Iteration for 3B\n\n"
        "## Learning intentions\n\n"
        f"- Say how often a loop runs. "
        f'[evidence: curriculum/cfe-computing.md:L{number}-L{number} "{quoted}"]\n\n'
        f"## Starter ({starter})\n\nThree questions from last week.\n\n"
        "## Main activities\n\nPredict, run, change one thing.\n\n"
        "## Differentiation\n\nA word list with pictures for the EAL pupils.\n\n"
        "## Plenary\n\nOne exit question.\n"
    )
