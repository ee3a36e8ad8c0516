"""Rooms behind the doors: what they add, also while the server runs."""

import pytest
from fastapi import APIRouter
from mcp import Client
from pydantic import BaseModel

from bottega.core.rooms import Caller, Incoming, Message, Room, Tool
from bottega.errors import Conflict, NotFound
from tests.server.http.small_app import Serve, echo_mcp, receive, send


class Nothing(BaseModel):
    pass


def library(name: str = "isa") -> Room:
    routes = APIRouter()

    @routes.get(f"/{name}/books")
    async def list_books() -> list[str]:
        return [name]

    async def read(_arguments: Nothing, _caller: Caller) -> list[str]:
        return [name]

    async def show(incoming: Incoming[Nothing]) -> None:
        incoming.reply(f"{name}:shown", {})

    return Room(
        name,
        tools=[Tool(f"{name}_read", "Read.", Nothing, read)],
        messages=[Message(f"{name}:show", Nothing, show)],
        routes=lambda: [routes],
        paths=[f"/{name}"],
    )


async def test_a_room_can_move_in_and_out_while_the_server_runs(serve: Serve) -> None:
    served = await serve(mcp=echo_mcp())
    socket = await served.websocket()
    await served.doors.add(library())

    assert (await served.http.get("/api/isa/books")).json() == ["isa"]
    assert "/api/isa/books" in (await served.http.get("/openapi.json")).json()["paths"]
    await send(socket, "isa:show")
    assert (await receive(socket))["type"] == "isa:shown"
    async with Client(f"{served.url}/mcp/isa") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["isa_read"]
    assert (await served.http.get("/health")).json()["rooms"] == ["isa"]

    await served.doors.remove("isa")
    assert (await served.http.get("/api/isa/books")).status_code == 404
    assert "/api/isa/books" not in (await served.http.get("/openapi.json")).json()["paths"]
    await send(socket, "isa:show", id="gone")
    assert (await receive(socket))["payload"]["code"] == "UNKNOWN_TYPE"
    assert (await served.http.get("/mcp/isa")).status_code == 404


async def test_routes_are_made_when_one_of_their_paths_is_first_asked_for(serve: Serve) -> None:
    made = []

    def make() -> list[APIRouter]:
        made.append("routes")
        return list(library().routes())

    served = await serve(Room("isa", routes=make, paths=["/isa"]))
    assert (await served.http.get("/api/isaac")).status_code == 404
    assert not made
    for _ in range(2):
        assert (await served.http.get("/api/isa/books")).json() == ["isa"]
    assert (await served.http.post("/api/isa/books")).status_code == 405
    assert made == ["routes"]


async def test_a_name_is_taken_once(serve: Serve) -> None:
    served = await serve(library())
    with pytest.raises(Conflict, match="isa"):
        await served.doors.add(library())
    with pytest.raises(NotFound, match="guides"):
        await served.doors.remove("guides")


async def test_a_room_that_one_door_refuses_gets_none(serve: Serve) -> None:
    served = await serve(mcp=echo_mcp())
    echo = library("echo")
    with pytest.raises(Conflict):
        await served.doors.add(echo)
    assert served.doors.rooms == []
    assert (await served.http.get("/api/echo/books")).status_code == 404
    assert "echo:show" not in served.doors.messages.types


async def test_the_openapi_document_reads_well(serve: Serve) -> None:
    served = await serve(library(), library("guides"))
    document = (await served.http.get("/openapi.json")).json()
    assert document["info"]["title"] == "Bottega"
    operations = [
        operation for methods in document["paths"].values() for operation in methods.values()
    ]
    ids = [operation["operationId"] for operation in operations]
    assert len(ids) == len(set(ids))
    assert {"list_sessions", "get_health", "isa_list_books", "guides_list_books"} <= set(ids)
    assert all(operation["tags"] for operation in operations)
    assert document["paths"]["/api/isa/books"]["get"]["tags"] == ["isa"]
    error = {"$ref": "#/components/schemas/ErrorBody"}
    for operation in operations:
        for status in ("4XX", "5XX"):
            content = operation["responses"][status]["content"]["application/json"]
            assert content["schema"] == error
        assert "422" not in operation["responses"]
