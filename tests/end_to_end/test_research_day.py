"""A day of research through the real server: asked, paused, repaired, cited; left, followed up,
crashed and gone on with. Once offline, once with a model on the real wire."""

import asyncio
import json
import signal
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from bottega.core.llm.testing import LoopbackApi
from tests.end_to_end.answers import expecting
from tests.end_to_end.conftest import DEADLINE, RunningServer, Start

STANDARDS = Path(__file__).parents[2] / "examples" / "standards"
QUESTION = "How long may a shift of the watch last?"
FOLLOW_UP = "Which radio channel does the watch listen on?"
FINAL = ("completed", "failed", "cancelled")


@dataclass
class Researcher:
    http: httpx.AsyncClient
    #: What the stream of the first run has shown, from its start to its end.
    seen: list[dict[str, Any]] = field(default_factory=list)

    async def get(self, path: str, **params: Any) -> Any:
        return self._decoded(await self.http.get(f"/api{path}", params=params))

    async def post(self, path: str, **body: Any) -> Any:
        return self._decoded(await self.http.post(f"/api{path}", json=body))

    async def ask(self, question: str, **order: Any) -> str:
        asked = {"question": question, "library": "harbour", **order}
        run = await self.post("/research/runs", **asked)
        return str(run["id"])

    async def watch(self, run_id: str, *until: str, after: int = 0) -> dict[str, Any]:
        """Follow the stream until one of these events; that event."""
        async with asyncio.timeout(DEADLINE), aclosing(self.follow(run_id, after)) as events:
            async for event in events:
                if event["event"] in until:
                    return event
        raise AssertionError(f"the stream ended before {until}")

    async def follow(self, run_id: str, after: int = 0) -> AsyncGenerator[dict[str, Any], None]:
        url, params = f"/api/research/runs/{run_id}/events", {"after": after}
        async with self.http.stream("GET", url, params=params) as stream:
            event = ""
            async for line in stream.aiter_lines():
                if line.startswith("event: "):
                    event = line.removeprefix("event: ")
                if line.startswith("data: "):
                    yield {"event": event, **json.loads(line.removeprefix("data: "))}

    async def reply(self, run_id: str, text: str) -> dict[str, Any]:
        said: dict[str, Any] = await self.post(f"/research/runs/{run_id}/messages", text=text)
        return said

    async def finished(self, run_id: str) -> dict[str, Any]:
        """The run's end, however many pauses there are to agree to."""
        while True:
            run = await self.get(f"/research/runs/{run_id}")
            if run["status"] == "paused":
                await self.reply(run_id, "1")
            elif run["status"] in FINAL:
                assert run["status"] == "completed", run["error"]
                answer: dict[str, Any] = await self.get(f"/research/runs/{run_id}/answer")
                return answer
            else:
                await self.watch(run_id, "paused", *FINAL, after=run["position"])

    def _decoded(self, response: httpx.Response) -> Any:
        assert response.is_success, response.text
        return response.json()


@asynccontextmanager
async def researcher_at(server: RunningServer) -> AsyncIterator[Researcher]:
    async with httpx.AsyncClient(base_url=server.url, timeout=DEADLINE, trust_env=False) as http:
        yield Researcher(http)


async def check_citations(person: Researcher, answer: dict[str, Any]) -> None:
    """Every citation opens at the quoted text: in the library, and in the file it came from."""
    citations = answer["answer"]["citations"]
    assert citations
    for citation in citations:
        ref = citation["ref"]
        paragraph = await person.get("/libraries/harbour/paragraph", identifier=ref)
        assert paragraph["text"] == citation["text"]
        assert citation["text"] in answer["markdown"].replace("\n> ", " ")
        lines = (STANDARDS / citation["path"]).read_text("utf-8").splitlines()
        number = int(citation["start"].removeprefix("line "))
        assert citation["text"].split()[0] in " ".join(lines[number - 1 : number + 2])


async def ask_and_be_answered(person: Researcher) -> str:
    run_id = await person.ask(QUESTION, depth="standard")
    watching = asyncio.create_task(record(person, run_id))
    paused = await person.watch(run_id, "paused")
    assert paused["prompt"]["kind"] == "READY"
    said = await person.reply(run_id, "only the standards, please")
    assert said["run"]["status"] == "paused"
    answer = await person.finished(run_id)
    assert answer["status"] == "verified", answer["markdown"]
    assert "eight hours" in answer["markdown"]
    await check_citations(person, answer)
    await watching
    return run_id


async def record(person: Researcher, run_id: str) -> None:
    async for event in person.follow(run_id):
        person.seen.append(event)


async def leave_for_another_question(person: Researcher, first: str) -> None:
    session = (await person.get(f"/research/runs/{first}"))["session_id"]
    path = f"/research/sessions/{session}/messages"
    said = await person.post(path, text="@deep-research What does swimming in the fairway cost?")
    assert said["run"]["follow_up_of"] == first
    said = await person.post(path, text="Never mind. Which channel does the watch listen on?")
    assert "leave" in said["messages"][-1]["text"].lower()
    said = await person.post(path, text="yes")
    assert said["run"]["exit_reason"] == "breakout"
    assert "12" in said["messages"][-1]["text"]
    told = await person.get(path)
    assert [each["role"] for each in told["messages"]].count("user") >= 5


async def follow_up(person: Researcher, first: str) -> None:
    run_id = await person.ask(FOLLOW_UP, follow_up_of=first, auto_proceed=True, depth="quick")
    answer = await person.finished(run_id)
    assert answer["answer"]["follow_up_of"] == first
    assert "channel 12" in answer["markdown"]


async def play(start_server: Start, **settings: str) -> tuple[RunningServer, Researcher]:
    server = start_server(**settings)
    added = await asyncio.to_thread(server.run, "library", "add", "harbour", str(STANDARDS))
    assert added.returncode == 0, added.stdout + added.stderr
    async with researcher_at(server) as person:
        first = await ask_and_be_answered(person)
        await leave_for_another_question(person, first)
        await follow_up(person, first)
        waiting = await person.ask(QUESTION, depth="quick")
        await person.watch(waiting, "paused")
    await asyncio.to_thread(server.stop, signal.SIGKILL)
    again = start_server(**settings)
    async with researcher_at(again) as later:
        answer = await later.finished(waiting)
        assert answer["status"] == "verified"
        assert (await later.get(f"/research/runs/{first}/answer"))["status"] == "verified"
    return again, person


@pytest.mark.requirement("RS-701")
async def test_a_day_of_research_without_a_model(start_server: Start) -> None:
    """Asked, cited, left, followed up, crashed and finished, with no model at all."""
    server, _ = await play(start_server)
    listed = await asyncio.to_thread(server.run, "research", "runs")
    assert "verified" in listed.stdout
    assert "breakout" in listed.stdout
    asked = await asyncio.to_thread(
        server.run, "research", "May I swim from the north beach in July?", "--yes"
    )
    assert "Verifying every claim" in asked.stdout
    assert "30 September" in asked.stdout
    refused = await asyncio.to_thread(
        server.run, "research", "Who won the regatta of 1987?", "--library", "harbour", "--yes"
    )
    assert "No answer" in refused.stdout


@pytest.mark.requirement("RS-702")
async def test_a_day_of_research_with_a_model(start_server: Start) -> None:
    """The same day with a model on the real wire, whose first answer needs a repair."""
    async with LoopbackApi() as api:
        script(api)
        server, person = await play(
            start_server,
            BOTTEGA_MODEL="anthropic",
            ANTHROPIC_API_KEY="sk-ant-loopback",
            ANTHROPIC_BASE_URL=api.url,
        )
        costs = [run["cost"] for run in httpx_get(server, "/api/research/runs")["runs"]]
        assert max(costs) > 0
    events = [each["event"] for each in person.seen]
    assert "repair_started" in events
    assert "delta" in events
    assert events[-1] == "completed"
    substeps = [(each["id"], each["type"]) for each in person.seen if each["event"] == "substep"]
    assert len(substeps) == len(set(substeps))


def script(api: LoopbackApi) -> None:
    """What the model says, by task; the first synthesis claims what the paragraph denies."""
    plan = {
        "sub_queries": [{"query": QUESTION, "role": "primary", "standards": []}],
        "scope": "the watch",
        "primary_standards": ["100"],
        "assumptions": [],
    }
    analysis = plan | {
        "clarity_score": 0.9,
        "recommended_action": "proceed",
        "alternative_interpretations": [],
        "clarification_questions": [],
        "depth_mode": "standard",
        "authority_sources": [],
    }
    api.reply(json=analysis, when=expecting("clarity_score"), times=20, usage=(900, 150))
    page = {"query": "q", "url": "https://example.org/watch", "title": "Watch", "excerpt": "Hours."}
    api.reply(
        json={"pages": [page]},
        search=(("https://example.org/watch", "Watch"),),
        when=expecting("pages"),
        times=20,
    )
    calibrated = plan | {"web_research_context": "Watches are short."}
    api.reply(json=calibrated, when=expecting("web_research_context"), times=20)
    channel = draft("The watch shall listen on radio channel 12 at all times.", "100.11")
    api.reply(json=channel, when=lambda request: is_draft(request) and FOLLOW_UP in str(request))
    api.reply(json=draft("A shift of the watch shall last at least twelve hours."), when=is_draft)
    claim = "A shift of the watch shall not be longer than eight hours, unless the relief is ill."
    api.reply(json=draft(claim), when=is_draft, times=10)
    verdict = {"classification": "pipeline_response", "confidence": 0.9}
    api.reply(json=verdict, when=expecting("classification"), times=20)
    api.reply(json={"title": "The watch"}, when=expecting("title"), times=20)
    api.reply(text="The watch listens on channel 12 (100.11).", times=20)


is_draft = expecting("cannot_answer")


def draft(claim: str, ref: str = "100.13") -> dict[str, Any]:
    return {
        "title": "The watch",
        "summary": [{"text": claim, "citations": [ref], "labels": []}],
        "sections": [],
        "key_findings": [claim],
        "conclusions": [],
        "entities": [],
        "relations": [],
        "cannot_answer": None,
    }


def httpx_get(server: RunningServer, path: str) -> Any:
    return httpx.get(f"{server.url}{path}", trust_env=False, timeout=DEADLINE).json()
