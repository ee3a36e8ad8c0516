"""Resources over the wire: listed by pages, read by address, completed and watched."""

import asyncio
import base64
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp_types import (
    BlobResourceContents,
    ResourceListChangedNotification,
    ResourceTemplateReference,
    ResourceUpdatedNotification,
    TextResourceContents,
)
from mcp_types import ResourceUpdatedNotification as Updated
from starlette.types import ASGIApp, Receive, Scope, Send

from bottega.core.rooms import Caller, Contents, Given, Listed, Resource, Room
from bottega.errors import Conflict, NotFound
from bottega.server.mcp import McpDoor

Serve = Callable[..., AbstractAsyncContextManager[str]]
Connect = Callable[[str], Client]

NOTES = {f"note {number}": f"Text of {number}." for number in range(250)}
PICTURE = b"\x89PNG\x00\xff"


async def read_note(given: Given, caller: Caller) -> Contents:
    match given["name"]:
        case "broken":
            raise RuntimeError("a secret of the server")
        case "busy":
            raise Conflict("It is being written.")
        case "picture":
            return Contents(PICTURE, "image/png")
        case "mine":
            return Contents(f"of {caller.user_id}", "text/plain")
    if given["name"] not in NOTES:
        raise NotFound(f"There is no note {given['name']!r}.")
    return Contents(NOTES[given["name"]], "text/plain")


async def list_notes(caller: Caller) -> Sequence[Listed]:
    return [
        Listed(f"test://notes/{name}".replace(" ", "%20"), name, "text/plain") for name in NOTES
    ]


async def complete_note(typed: str, given: Given, caller: Caller) -> Sequence[str]:
    return [name for name in NOTES if name.startswith(typed)]


async def read_index(_given: Given, _caller: Caller) -> Contents:
    return Contents(str(len(NOTES)), "text/plain")


SHELF = Room(
    "shelf",
    resources=[
        Resource("index", "test://index", "How many notes there are.", "text/plain", read_index),
        Resource(
            "note",
            "test://notes/{name}",
            "A note.",
            "text/plain",
            read_note,
            listed=list_notes,
            complete={"name": complete_note},
        ),
    ],
)


async def test_resources_are_listed_by_pages_and_templates_beside_them(
    serve: Serve, connect: Connect
) -> None:
    async with serve(McpDoor([SHELF])) as url, connect(url) as client:
        pages = [await client.list_resources()]
        while pages[-1].next_cursor is not None:
            pages.append(await client.list_resources(cursor=pages[-1].next_cursor))
        templates = (await client.list_resource_templates()).resource_templates
        with pytest.raises(MCPError, match="no page 'behind the last'"):
            await client.list_resources(cursor="behind the last")

    uris = [resource.uri for page in pages for resource in page.resources]
    assert [len(page.resources) for page in pages] == [100, 100, 51]
    assert uris[:2] == ["test://index", "test://notes/note%200"]
    assert len(set(uris)) == 251
    assert [template.uri_template for template in templates] == ["test://notes/{name}"]


async def test_what_a_resource_holds_is_text_or_bytes(serve: Serve, connect: Connect) -> None:
    async with serve(McpDoor([SHELF])) as url, connect(url) as client:
        [index] = (await client.read_resource("test://index")).contents
        [note] = (await client.read_resource("test://notes/note%207")).contents
        [picture] = (await client.read_resource("test://notes/picture")).contents

    assert isinstance(index, TextResourceContents)
    assert isinstance(note, TextResourceContents)
    assert isinstance(picture, BlobResourceContents)
    assert (index.text, index.mime_type) == ("250", "text/plain")
    assert (note.text, note.uri) == ("Text of 7.", "test://notes/note%207")
    assert (base64.b64decode(picture.blob), picture.mime_type) == (PICTURE, "image/png")


@pytest.mark.parametrize(("mode", "code"), [("legacy", -32002), ("2026-07-28", -32602)])
async def test_an_unknown_address_is_an_error_with_the_code_of_its_revision(
    serve: Serve, mode: str, code: int
) -> None:
    async with serve(McpDoor([SHELF])) as url, Client(url, mode=mode) as client:
        for uri, said in (
            ("test://notes/none", "There is no note 'none'."),
            ("file:///etc/passwd", "test://notes/{name}"),
        ):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert refused.value.error.code == code
            assert said in refused.value.error.message
            assert refused.value.error.data["uri"] == uri


async def test_errors_have_our_body_and_tell_no_secrets(serve: Serve, connect: Connect) -> None:
    async with serve(McpDoor([SHELF])) as url, connect(url) as client:
        with pytest.raises(MCPError) as busy:
            await client.read_resource("test://notes/busy")
        with pytest.raises(MCPError) as broken:
            await client.read_resource("test://notes/broken")

    assert busy.value.error.code == -32602
    assert busy.value.error.data["error"]["type"] == "conflict"
    assert broken.value.error.code == -32603
    assert "secret" not in str(broken.value.error)


async def test_names_in_addresses_are_completed(serve: Serve, connect: Connect) -> None:
    template = ResourceTemplateReference(uri="test://notes/{name}")
    async with serve(McpDoor([SHELF])) as url, connect(url) as client:
        some = await client.complete(template, {"name": "name", "value": "note 24"})
        many = await client.complete(template, {"name": "name", "value": ""})
        none = await client.complete(template, {"name": "colour", "value": ""})
        with pytest.raises(MCPError, match="Unknown resource template"):
            await client.complete(
                ResourceTemplateReference(uri="test://{x}"), {"name": "x", "value": ""}
            )

    assert some.completion.values == ["note 24", *(f"note 24{digit}" for digit in range(10))]
    assert (len(many.completion.values), many.completion.total) == (100, 250)
    assert many.completion.has_more
    assert none.completion.values == []


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_room_without_them_does_not_claim_to_have_any(serve: Serve, mode: str) -> None:
    door = McpDoor([SHELF, Room("bare")])
    async with serve(door) as url:
        async with Client(f"{url}/bare", mode=mode) as client:
            bare = client.server_capabilities
        async with Client(f"{url}/shelf", mode=mode) as client:
            shelf = client.server_capabilities

    assert (bare.resources, bare.prompts, bare.completions) == (None, None, None)
    assert shelf.resources is not None
    assert shelf.resources.subscribe
    assert shelf.prompts is None


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_a_session_hears_of_what_it_watches_once_after_a_burst(serve: Serve) -> None:
    heard: asyncio.Queue[object] = asyncio.Queue()

    async def on_message(message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification | ResourceListChangedNotification):
            heard.put_nowait(message)

    door = McpDoor([SHELF])
    async with (
        serve(door) as url,
        Client(url, mode="legacy", message_handler=on_message) as client,
    ):
        await client.subscribe_resource("test://notes/a")
        await client.subscribe_resource("test://notes/b")
        await client.unsubscribe_resource("test://notes/b")
        with pytest.raises(MCPError):
            await client.subscribe_resource("test://nowhere")
        for _ in range(50):
            door.resources_changed(["test://notes/a", "test://notes/b", "test://notes/c"])
        first = await asyncio.wait_for(heard.get(), 20)
        door.resources_changed(relisted=True)
        second = await asyncio.wait_for(heard.get(), 20)

    assert isinstance(first, Updated)
    assert first.params.uri == "test://notes/a"
    assert isinstance(second, ResourceListChangedNotification)
    assert heard.empty()


async def test_a_stateless_client_hears_of_what_it_listens_for(serve: Serve) -> None:
    door = McpDoor([SHELF])
    async with (
        serve(door) as url,
        Client(url, mode="2026-07-28") as client,
        client.listen(
            resource_subscriptions=["test://notes/a"], resources_list_changed=True
        ) as events,
    ):
        door.resources_changed(["test://notes/a", "test://notes/b"], relisted=True)
        async with asyncio.timeout(20):
            heard = [await anext(aiter(events)) for _ in range(2)]

    assert heard == [ResourceUpdated(uri="test://notes/a"), ResourcesListChanged()]


class UserHeader:
    """Stands where the HTTP layer's authentication stands."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["bottega.user_id"] = "ada"
        await self.app(scope, receive, send)


async def test_a_resource_knows_who_reads_it(serve: Serve, connect: Connect) -> None:
    async with serve(McpDoor([SHELF]), UserHeader) as url, connect(url) as client:
        [mine] = (await client.read_resource("test://notes/mine")).contents

    assert isinstance(mine, TextResourceContents)
    assert mine.text == "of ada"


async def test_two_rooms_cannot_have_one_address(serve: Serve) -> None:
    with pytest.raises(Conflict, match="test://index"):
        McpDoor([SHELF, Room("other", resources=[SHELF.resources[0]])])
