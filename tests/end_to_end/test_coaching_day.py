"""A whole day with the coach, through the real server: a person at a window, an agent over MCP.

Once offline, once with a model (the real SDK, against an API on loopback).
"""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from websockets.asyncio.client import ClientConnection, connect

from bottega.coach.practice.catalogue import catalogue
from bottega.core.llm.testing import LoopbackApi
from tests.end_to_end.answers import expecting
from tests.end_to_end.conftest import DEADLINE, RunningServer, Start

TALLY = Path(__file__).parents[2] / "examples" / "tally"
SOLUTIONS = Path(__file__).parents[1] / "coach" / "kata_solutions"
TRIP = "src/tally/trip.py"
PLAN = f"""\
1. Reproduce the lost cents: read `balances` in {TRIP} and write a
   failing test in tests/test_trip.py.
2. Keep money in whole cents: change how `balances` in {TRIP} shares a sum.
"""
WRONG = "def nothing():\n    return None\n"


@dataclass
class Person:
    """Somebody at a window, who remembers everything that it showed."""

    socket: ClientConnection
    seen: list[dict[str, Any]] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def look(self) -> None:
        async for text in self.socket:
            self.seen.append(json.loads(text))
            self._news.set()

    async def send(self, type: str, **payload: Any) -> None:
        await self.socket.send(json.dumps({"type": type, "payload": payload}))

    async def sees(self, type: str, since: int = 0) -> dict[str, Any]:
        """The payload of the first message of a type after so many, when it is there."""
        async with asyncio.timeout(DEADLINE):
            while True:
                for message in self.seen[since:]:
                    assert message["type"] != "connection:error", message
                    if message["type"] == type:
                        payload: dict[str, Any] = message["payload"]
                        return payload
                self._news.clear()
                await self._news.wait()

    async def asks(self, type: str, answer: str, **payload: Any) -> dict[str, Any]:
        since = len(self.seen)
        await self.send(type, **payload)
        return await self.sees(answer, since)


@asynccontextmanager
async def person_at(server: RunningServer) -> AsyncIterator[Person]:
    async with connect(server.websocket) as socket:
        person = Person(socket)
        looking = asyncio.create_task(person.look())
        hello = {"version": "1", "platform": "test", "windowSize": {"width": 9, "height": 9}}
        await person.asks("connection:hello", "connection:init", **hello)
        yield person
        looking.cancel()


async def call(agent: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await agent.call_tool(tool, arguments)
    assert not result.is_error, result.structured_content
    answer: dict[str, Any] = result.structured_content or {}
    return answer


async def play_the_morning(server: RunningServer, person: Person, agent: Client) -> None:
    """Dashboard, issue, plan, phases; the wrong file, and a nudge."""
    state = await person.asks("dashboard:request", "dashboard:state", statsPeriod="7d")
    assert state["stats"]["sessionsCompleted"] == 0
    listed = await person.sees("dashboard:issues")
    assert {issue["number"] for issue in listed["issues"]} == {1, 2, 3}

    started = await person.asks("session:start", "session:started", issueNumber=1)
    assert started["issueContext"]["title"].startswith("Cents get lost")
    assert (await person.sees("observer:status"))["active"]
    tree = await person.sees("fs:tree")
    assert "src" in {node["name"] for node in tree["root"]["children"]}

    drafted = await person.asks("coaching:draft_plan", "coaching:plan_draft")
    assert "trip" in drafted["planText"]
    ready = await call(
        agent, "paige_run_coaching_pipeline", planText=PLAN, issueSummary="Cents get lost"
    )
    shown = await person.sees("coaching:plan_ready")
    assert shown["planId"] == ready["planId"]
    assert len(shown["phases"]) == 2
    await person.sees("explorer:hint_files")
    now = await call(agent, "paige_get_session_state", include=["phase", "session"])
    assert (now["phase"]["number"], now["phase"]["status"]) == (1, "active")
    assert now["session"]["issueNumber"] == 1

    at_the_phase = await look_after(None, server)
    await person.asks("file:open", "fs:content", path="README.md")
    await look_after(at_the_phase, server)
    for edit in range(6):
        await person.send("buffer:update", path="README.md", content=f"# Tally {edit}\n")
    nudge = await person.sees("observer:nudge")
    assert nudge["signal"] == "wrong_file"
    assert nudge["confidence"] >= 0.7
    assert nudge["message"]


async def look_after(earlier: str | None, server: RunningServer) -> str | None:
    """When the observer looked next: it looks once at a time, and skips what happens meanwhile.

    After a nudge, which the model gives at once, it looks no more for a while."""
    async with asyncio.timeout(DEADLINE), httpx.AsyncClient(trust_env=False) as http:
        while True:
            status = (await http.get(f"{server.url}/api/coach/observer")).json()
            latest: str | None = status["lastEvaluation"]
            if status["nudges"] or (latest and latest != earlier):
                return latest


async def play_the_afternoon(person: Person, agent: Client) -> None:
    """Explanations, hints, the work, reviews, phases."""
    content = await person.asks("file:open", "fs:content", path=TRIP)
    lines = content["content"].splitlines()
    first = next(n for n, line in enumerate(lines, 1) if "def balances" in line)
    for last in (first + 2, first + 4, first + 6):
        told = await person.asks(
            "user:explain",
            "explain:response",
            path=TRIP,
            selection={"startLine": first, "startCol": 1, "endLine": last, "endCol": 1},
            selectedText="\n".join(lines[first - 1 : last]),
        )
        assert told["explanation"]
        assert told["keyConcepts"]
    for before, level in (("file", "region"), ("region", "line")):
        await person.send("hints:level_change", level=level, previousLevel=before)
    await person.sees("editor:highlight_lines")
    early = await person.asks("user:review", "review:response")
    assert early["passed"] is False

    better = content["content"].replace("amount - share", "round(amount - share, 2)")
    assert better != content["content"]
    await person.send("buffer:update", path=TRIP, content=better)
    diffs = await call(agent, "paige_get_diff", path=TRIP)
    assert "+        return {person: round(amount - share, 2)" in diffs["diffs"][0]["diff"]
    await person.asks("file:save", "fs:save_ack", path=TRIP, content=better)
    await call(agent, "paige_show_message", message="Look at the cents again.", type="hint")
    await person.sees("coaching:message")
    moved = await call(agent, "paige_update_phase", phase=1, status="complete")
    assert moved["phase"]["status"] == "complete"
    update = await person.asks(
        "coaching:update_phase", "coaching:phase_update", phase=2, status="active"
    )
    assert update["phase"]["number"] == 2


async def end_and_practise(person: Person) -> None:
    """Gaps, katas, memories; a kata that fails, and then passes."""
    done = await person.asks("session:end", "session:completed")
    assert done["knowledgeGaps"] >= 1
    assert done["kataSpecs"] >= 1
    assert done["dreyfusUpdates"] >= 1
    assert done["memoriesStored"] >= 1
    summary = (await person.sees("session:ended"))["summary"]
    assert summary["status"] == "completed"
    assert summary["phasesCompleted"] == 1

    loaded = await person.asks("practice:request_kata", "practice:kata_load")
    kata = loaded["kata"]
    assert "instructor" not in json.dumps(loaded).lower()
    failed = await person.asks(
        "user:review",
        "review:response",
        kataId=kata["id"],
        userCode=WRONG,
        activeConstraintTitles=[],
    )
    assert failed["passed"] is False
    assert failed["ran"]
    passed = await person.asks(
        "practice:submit_solution",
        "review:response",
        kataId=kata["id"],
        code=solution_of(kata["title"]),
        activeConstraints=[],
    )
    assert passed["passed"], passed
    assert all(case["passed"] for case in passed["cases"])
    short = await person.sees("practice:solution_review")
    assert short["level"] == passed["level"]


def solution_of(title: str) -> str:
    [slug] = [kata.slug for kata in catalogue() if kata.title == title]
    source = (SOLUTIONS / f"{slug.replace('-', '_')}.py").read_text()
    return source.partition("\nWRONG = ")[0]


async def play_the_next_day(server: RunningServer, person: Person, agent: Client) -> None:
    state = await person.asks("dashboard:request", "dashboard:state")
    assert state["stats"]["sessionsCompleted"] == 1
    assert state["stats"]["issuesWorkedOn"] == 1
    assert state["stats"]["knowledgeGapsAddressed"] >= 1
    assert state["dreyfus"]
    assert any(kata["attemptsCount"] == 2 for kata in state["katas"])
    radar = await person.sees("dashboard:dreyfus")
    assert radar["skillAreas"]

    recalled = await call(agent, "recall", query="lost cents in the trip")
    assert "ents" in json.dumps(recalled)
    await person.asks(
        "session:start", "session:started", issueTitle="Cents get lost in transfers too"
    )
    ready = await person.asks("coaching:submit_plan", "coaching:plan_ready", planText=PLAN)
    assert ready["memoryConnection"]
    first = (await call(agent, "paige_end_session", sessionTranscript=""))["sessionStatus"]
    assert first == "completed"
    again = await call(agent, "paige_end_session", sessionTranscript="")
    assert again["knowledgeGaps"] == 0

    replayed = await asyncio.to_thread(server.run, "coach", "sessions")
    assert "#1 Cents get lost" in replayed.stdout


async def play(start_server: Start, tmp_path: Path, **settings: str) -> RunningServer:
    """The day and the next; gives the second day's server."""
    shutil.copytree(TALLY, tmp_path / "project")
    server = start_server(**settings)
    mcp = f"{server.url}/mcp"
    async with person_at(server) as person, Client(mcp, mode="2026-07-28") as agent:
        await play_the_morning(server, person, agent)
        await play_the_afternoon(person, agent)
        await end_and_practise(person)
    assert await asyncio.to_thread(server.stop) == 0
    next_day = start_server(**settings)
    mcp = f"{next_day.url}/mcp"
    async with person_at(next_day) as person, Client(mcp, mode="2026-07-28") as agent:
        await play_the_next_day(next_day, person, agent)
    return next_day


@pytest.mark.requirement("SC-054", "SC-057", "SC-060", "SC-065", "SC-072", "SC-075", "CO-70")
async def test_a_coaching_day_without_a_model(start_server: Start, tmp_path: Path) -> None:
    """All of it, and remembered."""
    server = await play(start_server, tmp_path)
    sessions = json.loads(server.run("coach", "sessions", "--json").stdout)["sessions"]
    first = sessions[-1]["id"]
    replay = server.run("coach", "replay", first).stdout
    for moment in (
        "began work on issue 1",
        "Paige nudged: wrong file",
        "asked what src/tally/trip.py does here",
        "set hints to line (was region)",
        "completed phase 1",
        "session completed",
    ):
        assert moment in replay
    report = server.run("coach", "export", first).stdout
    assert report.startswith("# #1 Cents get lost")
    assert "## To practise" in report
    status = server.run("coach", "status")
    assert "No session under way" in status.stdout


@pytest.mark.requirement("CO-71")
async def test_a_coaching_day_with_a_model(start_server: Start, tmp_path: Path) -> None:
    """The same day, with every task answered by a model on the real wire."""
    async with LoopbackApi() as api:
        for key, answer in ANSWERS.items():
            api.reply(json=answer, when=expecting(key), times=50, usage=(1_000, 200))
        server = await play(
            start_server,
            tmp_path,
            BOTTEGA_MODEL="anthropic",
            ANTHROPIC_API_KEY="sk-ant-loopback",
            ANTHROPIC_BASE_URL=api.url,
        )
        asked = {key for key in ANSWERS for request in api.requests if expecting(key)(request)}
        assert asked == set(ANSWERS)
    state = httpx.get(f"{server.url}/api/coach/dashboard", trust_env=False, timeout=DEADLINE).json()
    assert state["stats"]["apiCostTotal"] > 0


KATA = next(kata for kata in catalogue() if kata.title)
#: By a field that only this task's answer has.
ANSWERS: dict[str, Any] = {
    "plan_text": {"plan_text": PLAN},
    "relevant_memories": {
        "relevant_memories": [
            {
                "content": "Cents were lost in balances.",
                "relevance": "direct",
                "connection": "the same cents",
                "use_in_coaching": "remind them of it",
            }
        ],
        "discarded": [],
    },
    "memory_connection": {
        "phases": [
            {
                "number": number,
                "title": title,
                "description": "Look before you change.",
                "expected_files": [TRIP],
                "hint_level": "line",
                "hints": {
                    "file_hints": [{"path": TRIP, "style": "important"}],
                    "line_hints": [
                        {
                            "path": TRIP,
                            "start": 24,
                            "end": 30,
                            "style": "focus",
                            "hover_text": "What type is this?",
                        }
                    ],
                },
                "knowledge_gap_opportunities": ["money"],
            }
            for number, title in ((1, "Find the cents"), (2, "Keep them"))
        ],
        "memory_connection": "As with the cents in balances.",
        "estimated_difficulty": "beginner",
    },
    "should_nudge": {
        "should_nudge": True,
        "confidence": 0.9,
        "signal": "wrong_file",
        "reasoning": "README is not in the plan",
        "suggested_context": {
            "current_file": "README.md",
            "expected_file": TRIP,
            "time_in_file": "1m",
            "phase_description": "Find the cents",
        },
    },
    "phase_connection": {
        "explanation": "It shares the sum.",
        "key_concepts": ["division"],
        "analogy": None,
        "related_files": None,
        "phase_connection": None,
    },
    "suggestions": {"review": "Not there yet.", "suggestions": ["Write a test."], "passed": False},
    "kata_specs": {
        "knowledge_gaps": [
            {
                "topic": KATA.topic,
                "evidence": "raised the hints twice",
                "severity": "high",
                "related_concepts": ["money"],
            }
        ],
        "kata_specs": [
            {
                "title": KATA.title,
                "description": KATA.description,
                "scaffolding_code": KATA.scaffolding_code,
                "test_cases": list(KATA.test_cases),
                "constraints": ["No loops"],
                "follow_up_constraint": None,
                "instructor_notes": "…",
                "gap_topic": KATA.topic,
                "catalogue_slug": None,
            }
        ],
        "session_summary": {
            "phases_completed": 1,
            "total_time_minutes": 10,
            "hints_used": 2,
            "independent_completions": 0,
        },
    },
    "previous_stage": {
        "assessments": [
            {
                "skill_area": "Python",
                "stage": "advanced_beginner",
                "previous_stage": None,
                "confidence": 0.6,
                "evidence": "one phase done",
                "recommendation": "point at regions",
            }
        ]
    },
    "memories": {
        "memories": [
            {"content": "Cents get lost in balances.", "tags": ["money"], "importance": "high"}
        ]
    },
    "dreyfus_signal": {
        "correct": True,
        "feedback": "Well done.",
        "level": 4,
        "passed": True,
        "follow_up": None,
        "dreyfus_signal": "advancing",
    },
    "suitability_reason": {
        "issues": [
            {
                "number": number,
                "title": "…",
                "summary": "…",
                "suitability": "good_fit",
                "suitability_reason": "small",
                "estimated_difficulty": "beginner",
                "relevant_skills": [],
                "priority_score": 0.5,
                "priority_factors": {
                    "user_tagged": False,
                    "similar_to_recent_work": False,
                    "addresses_knowledge_gap": False,
                    "team_urgency": "low",
                },
                "learning_opportunities": [],
            }
            for number in (1, 2, 3)
        ]
    },
}
