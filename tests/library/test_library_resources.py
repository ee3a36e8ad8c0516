"""Libraries and paragraphs as resources, at `/mcp` and at a library's own endpoint."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

from bottega.core.rooms import Caller, Door
from bottega.errors import NotFound
from bottega.library.resources import library_resources
from bottega.library.room import own_rooms
from bottega.server.mcp import McpDoor
from tests.library.builders import HARBOUR, LibraryApp, open_library_app
from tests.mcp_serving import read_text, serve_door

PARAGRAPH = "bottega://library/harbour/315.7"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[LibraryApp]:
    async with open_library_app(tmp_path) as app:
        await app.fill()
        yield app


def door_of(app: LibraryApp) -> McpDoor:
    return McpDoor(app.rooms, within={"library": own_rooms(app.service)})


async def test_a_paragraph_is_read_by_its_reference(app: LibraryApp) -> None:
    async with serve_door(door_of(app)) as url:
        for path in ("", "/library", "/library/harbour"):
            await look(url + path)


async def look(url: str) -> None:
    async with Client(url) as client:
        text = await read_text(client, PARAGRAPH)
        assert text.startswith("**315.7**")
        assert "Nobody shall stand under a load." in text
        with pytest.raises(MCPError, match=r"no paragraph '315\.999'"):
            await client.read_resource("bottega://library/harbour/315.999")
        overview = await read_text(client, "bottega://library/harbour")
        assert overview.startswith("# Rules of the harbour")
        listed = [each.uri for each in (await client.list_resources()).resources]
        assert listed == ["bottega://library/harbour"]


async def test_names_and_references_are_completed(app: LibraryApp) -> None:
    generic = ResourceTemplateReference(uri="bottega://library/{library}/{reference}")
    own = ResourceTemplateReference(uri="bottega://library/harbour/{reference}")
    async with (
        serve_door(door_of(app)) as url,
        Client(url) as client,
        Client(f"{url}/library/harbour") as at_home,
    ):
        names = await client.complete(generic, {"name": "library", "value": "har"})
        typed = {"name": "reference", "value": "315.7"}
        given = await client.complete(generic, typed, context_arguments={"library": HARBOUR})
        here = await at_home.complete(own, typed)
        wild = await at_home.complete(own, {"name": "reference", "value": "%"})

    assert names.completion.values == [HARBOUR]
    assert "315.7" in given.completion.values
    assert all(ref.startswith("315.7") for ref in given.completion.values)
    assert here.completion == given.completion
    assert wild.completion.values == []


async def test_strangers_see_no_library(app: LibraryApp) -> None:
    stranger = Caller(Door.MCP, "stranger")
    overview, paragraph = library_resources(app.service)
    assert overview.listed is not None
    assert await overview.listed(stranger) == []
    assert await overview.complete["library"]("", {}, stranger) == []
    for resource, given in ((overview, {}), (paragraph, {"reference": "315.7"})):
        with pytest.raises(NotFound):
            await resource.read({"library": HARBOUR, **given}, stranger)
    with pytest.raises(NotFound):
        await paragraph.complete["reference"]("", {"library": HARBOUR}, stranger)
