"""What a run asks, put to the person at the client; and research as a prompt."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import ElicitRequestFormParams, ElicitResult, PromptReference, TextContent

from bottega.core.runs import RunStatus
from bottega.server.mcp import McpDoor
from tests.app import App
from tests.mcp_serving import asking_agent, call, serve_door
from tests.research.builders import open_research_rooms

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "mcp.md"
ASKED = {
    "question": "How fast may a vessel be inside the breakwater?",
    "library": "harbour",
    "depth": "quick",
    "auto_proceed": False,
}


class Person:
    """Answers forms one after the other; what is asked waits in the database already."""

    def __init__(self, app: App, *replies: ElicitResult) -> None:
        self.app = app
        self.replies = list(replies)
        self.forms: list[ElicitRequestFormParams] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        [run] = await self.app.core.runs.list(kind="research", limit=1)
        assert run.status is RunStatus.PAUSED
        self.forms.append(params)
        return self.replies.pop(0)


def accepts(**content: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=content)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_run_goes_on_with_what_the_person_chooses(tmp_path: Path, mode: str) -> None:
    async with open_research_rooms(tmp_path) as app:
        person = Person(app, accepts(choice="1"))
        async with asking_agent(app.rooms, person, mode) as client:
            done = await call(client, "research_start", **ASKED)
            answer = await call(client, "research_answer", run_id=done["run"]["id"])
        runs = await app.core.runs.list(kind="research")

    [form] = person.forms
    assert "1" in form.requested_schema["properties"]["choice"]["enum"]
    assert done["run"]["status"] == "completed"
    assert answer["status"] == "verified"
    assert len(runs) == 1


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_who_declines_or_errs_leaves_the_run_paused(tmp_path: Path, mode: str) -> None:
    """It is not asked again, and the agent can still reply for the person."""
    async with open_research_rooms(tmp_path) as app:
        person = Person(app, accepts(), ElicitResult(action="decline"))
        async with asking_agent(app.rooms, person, mode) as client:
            wrong = await call(client, "research_start", **ASKED)
            run_id = wrong["error"]["run_id"]
            declined = await call(client, "research_status", run_id=run_id)
            again = await call(client, "research_status", run_id=run_id)
            done = await call(client, "research_reply", run_id=run_id, text="go on")

    assert "neither a choice nor a text" in wrong["error"]["message"]
    assert declined["run"]["status"] == "paused"
    assert declined == again
    assert len(person.forms) == 2
    assert done["run"]["status"] == "completed"


async def test_a_reply_at_another_door_closes_the_form(tmp_path: Path) -> None:
    async with open_research_rooms(tmp_path) as app:

        async def away(context: Any, params: Any) -> ElicitResult:
            [run] = await app.core.runs.list(kind="research", limit=1)
            await app.agent_in("research")("research_reply", run_id=run.id, text="go on")
            await asyncio.Event().wait()
            raise AssertionError

        async with (
            serve_door(McpDoor(app.rooms)) as url,
            Client(url, mode="legacy", elicitation_callback=away) as client,
            asyncio.timeout(60),
        ):
            run = await call(client, "research_start", **ASKED)
            await app.wait_for(run["id"], "completed")

    assert run["status"] != "paused"


async def test_the_page_shows_a_round_that_works(tmp_path: Path) -> None:
    [code] = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    shown: dict[str, Any] = {}
    exec(compile(code, PAGE.name, "exec"), shown)
    async with (
        open_research_rooms(tmp_path) as app,
        serve_door(McpDoor(app.rooms)) as url,
    ):
        assert "4 knots" in await shown["main"](url)


async def test_research_begins_with_a_prompt(tmp_path: Path) -> None:
    async with (
        open_research_rooms(tmp_path) as app,
        serve_door(McpDoor(app.rooms)) as url,
        Client(url) as client,
    ):
        library = {"name": "library", "value": "h"}
        found = await client.complete(PromptReference(name="research"), library)
        texts = []
        for given in ({}, {"library": "harbour"}):
            prompt = await client.get_prompt("research", {"question": "How fast?", **given})
            [message] = prompt.messages
            assert isinstance(message.content, TextContent)
            texts.append(message.content.text)

    assert found.completion.values == ["harbour"]
    assert "How fast?" in texts[0]
    assert "1. Choose a library with `library_kb_status`" in texts[0]
    assert "1. Ask the library `harbour`." in texts[1]
