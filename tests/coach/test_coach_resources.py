"""The project and its sittings as resources, and coaching as a prompt, for the official client."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import BlobResourceContents, ResourceTemplateReference, TextContent

from bottega.coach.mcp_prompts import COACH
from bottega.coach.resources import resources
from bottega.coach.sessions.history import SessionHistory
from bottega.coach.sessions.state import SessionState
from bottega.core.events import Event
from bottega.core.rooms import Room
from bottega.core.sessions.session import SessionKind
from bottega.server.composition import show_resource_changes
from bottega.server.mcp import McpDoor
from tests.coach.builders import PROJECT, CoachApp
from tests.coach.doors import open_doors
from tests.mcp_serving import read_text, serve_door

FILES = "bottega://project/files/"


@pytest.fixture
async def room(app: CoachApp) -> AsyncIterator[Room]:
    core = app.core
    async with open_doors(app) as doors:
        found = resources(core.files, app.editors, SessionState(core), SessionHistory(core))
        yield Room("coach", doors.room.tools, resources=found, prompts=[COACH])


@asynccontextmanager
async def connected(room: Room) -> AsyncIterator[Client]:
    async with serve_door(McpDoor([room])) as url, Client(url) as client:
        yield client


async def test_the_project_is_read_within_its_walls(app: CoachApp, room: Room) -> None:
    async with connected(room) as client:
        (app.project / "logo.png").write_bytes(b"\x89PNG\x00")
        (app.project / "odd name (1).md").write_text("odd")
        tree = await read_text(client, "bottega://project/tree")
        [logo] = (await client.read_resource(f"{FILES}logo.png")).contents

        assert set(tree.splitlines()) == {*PROJECT, "logo.png", "odd name (1).md"}
        assert (
            await read_text(client, f"{FILES}src/bakery/orders.py")
            == PROJECT["src/bakery/orders.py"]
        )
        assert await read_text(client, f"{FILES}odd%20name%20(1).md") == "odd"
        assert isinstance(logo, BlobResourceContents)
        assert logo.mime_type == "image/png"
        for path in (
            "../data/bottega.db",
            "%2Fetc%2Fpasswd",
            "src/../../data/bottega.db",
            "gone.py",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(f"{FILES}{path}")


async def test_paths_are_completed(room: Room) -> None:
    async with connected(room) as client:
        template = ResourceTemplateReference(uri=FILES + "{+path}")
        found = await client.complete(template, {"name": "path", "value": "src/bakery/p"})
        anywhere = await client.complete(template, {"name": "path", "value": "orders"})

        assert found.completion.values == ["src/bakery/prices.py"]
        assert set(anywhere.completion.values) == {"src/bakery/orders.py", "tests/test_orders.py"}


async def test_the_session_is_there_with_and_without_one(app: CoachApp, room: Room) -> None:
    async with connected(room) as client:
        before = json.loads(await read_text(client, "bottega://coach/session"))
        session = await app.start_session()
        during = json.loads(await read_text(client, "bottega://coach/session"))
        listed = [each.uri for each in (await client.list_resources()).resources]
        past = f"bottega://coach/sessions/{session.id}"

        assert before["session"] is None
        assert during["session"]["id"] == session.id
        assert listed == ["bottega://project/tree", "bottega://coach/session", past]
        assert "Totals are off by a cent" in await read_text(client, past)
        assert await read_text(client, "bottega://coach/sessions/last") == await read_text(
            client, past
        )


async def test_others_sessions_are_not_there(app: CoachApp, room: Room) -> None:
    async with connected(room) as client:
        ada = await app.core.users.create("ada")
        theirs = await app.core.sessions.create(
            SessionKind.COACHING, app.editors.project, user_id=ada.id
        )

        listed = [each.uri for each in (await client.list_resources()).resources]
        assert not [uri for uri in listed if theirs.id in uri]
        with pytest.raises(MCPError):
            await client.read_resource(f"bottega://coach/sessions/{theirs.id}")


async def test_a_file_that_changes_is_told_to_who_listens(app: CoachApp, room: Room) -> None:
    door = McpDoor([room])
    show_resource_changes(app.core, [room], door)
    wanted = [f"{FILES}README.md", "bottega://project/tree"]
    async with (
        serve_door(door) as url,
        Client(url, mode="2026-07-28") as client,
        client.listen(resource_subscriptions=wanted) as events,
    ):
        for action, path in (("change", "README.md"), ("change", "x.py"), ("add", "new.py")):
            app.core.bus.publish(
                Event("files.changed", {"action": action, "path": path}, durable=False)
            )
        async with asyncio.timeout(20):
            heard = {(await anext(aiter(events))).uri for _ in wanted}  # type: ignore[union-attr]

    assert heard == set(wanted)


async def test_to_be_coached_begins_with_the_goal_and_the_tools(room: Room) -> None:
    async with connected(room) as client:
        [message] = (await client.get_prompt("coach", {"goal": "issue 7"})).messages
        assert isinstance(message.content, TextContent)

        assert "What I want to work on: issue 7" in message.content.text
        assert "1. Call `paige_get_session_state`" in message.content.text
        assert "Write no code." in message.content.text
