"""One declaration of an operation makes its tool, its route, its message and its command."""

from collections.abc import Iterator
from typing import Annotated, Any, cast

import pytest
import typer
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typer.testing import CliRunner

from bottega.cli.connection import Client
from bottega.core.commands import Argument, CommandGroup, Option, call
from bottega.core.operations import (
    Bound,
    Delete,
    Get,
    McpTool,
    Patch,
    Post,
    SocketMessage,
    operation,
)
from bottega.core.rooms import Caller, Door, Incoming, Message
from bottega.errors import ConfigurationError
from bottega.server.errors import handle_errors
from bottega.server.rest import operation_router

Shelf = dict[str, dict[str, Any]]


class BookChange(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str | None = None
    pages: int | None = Field(None, ge=1)


class EditRequest(BookChange):
    id: str


class BookRequest(BaseModel):
    id: str


class SearchInput(BaseModel):
    words: str = Field(min_length=1)


class SearchRequest(SearchInput):
    tags: list[str] | None = None
    least: int | None = None
    most: int | None = None
    limit: Annotated[int, Field(ge=1, le=9, description="How many.")] = 5

    @model_validator(mode="after")
    def _ordered(self) -> "SearchRequest":
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError("`least` is more than `most`")
        return self


class Lent(BaseModel):
    type: str = "book:lent"
    id: str
    by: str


@operation(Get("/books/search"), McpTool("find", "Find books.", True, arguments=SearchInput))
async def search(_shelf: Shelf, asked: SearchRequest, caller: Caller) -> dict[str, Any]:
    """Books that have these words."""
    return {**asked.model_dump(), "set": sorted(asked.model_fields_set), "by": caller.user_id}


@operation(Patch("/books/{id}"))
async def edit(shelf: Shelf, change: EditRequest) -> dict[str, Any]:
    shelf.setdefault(change.id, {}).update(change.model_dump(exclude_unset=True))
    return shelf[change.id]


class TornPages(BaseModel):
    pages: list[int]


@operation(Post("/books/{id}/repair", optional_body=True, responses={409: TornPages}))
async def repair(_shelf: Shelf, change: EditRequest) -> dict[str, Any]:
    return change.model_dump(exclude_unset=True)


@operation(Delete("/books/{id}"), SocketMessage("book:lend"))
async def lend(shelf: Shelf, asked: BookRequest, caller: Caller) -> Lent:
    shelf.pop(asked.id, None)
    return Lent(id=asked.id, by=caller.user_id)


@operation(Post("/books", status=201))
async def count(shelf: Shelf) -> dict[str, int]:
    return {"books": len(shelf)}


@operation(SocketMessage("book:touch"))
async def touch(_shelf: Shelf, asked: BookRequest, incoming: Incoming[Any]) -> None:
    incoming.reply("book:touched", {"id": asked.id, "type": incoming.type})


ALL = [search, edit, repair, lend, count, touch]


@pytest.fixture
def http() -> Iterator[TestClient]:
    app = FastAPI()
    handle_errors(app)
    app.include_router(operation_router([Bound({}, ALL)], "books"), prefix="/api")
    with TestClient(app) as client:
        yield client


class Window:
    id = "ws_1"
    caller = Caller(Door.WEBSOCKET, "ada")
    state: dict[str, Any] = {}  # noqa: RUF012 - as the protocol has it

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any, str | None]] = []

    def send(self, type: str, payload: Any, *, reply_to: str | None = None) -> None:
        self.sent.append((type, payload, reply_to))


def test_what_a_path_and_a_method_do_not_take_stands_in_the_query(http: TestClient) -> None:
    found = http.get("/api/books/search", params={"words": "sea", "tags": ["a", "b"]}).json()
    assert found["words"] == "sea"
    assert found["tags"] == ["a", "b"]
    assert found["limit"] == 5
    assert found["by"] == "local"


@pytest.mark.parametrize("given", [{}, {"words": ""}, {"words": "sea", "limit": "10"}])
def test_arguments_that_do_not_fit_are_refused(http: TestClient, given: dict[str, str]) -> None:
    assert http.get("/api/books/search", params=given).status_code == 422


def test_a_rule_about_several_arguments_is_refused_as_a_bad_request(http: TestClient) -> None:
    refused = http.get("/api/books/search", params={"words": "sea", "least": 2, "most": 1})
    assert refused.status_code == 422
    assert "`least` is more than `most`" in refused.json()["error"]["message"]


def test_path_and_body_are_one_set_of_arguments(http: TestClient) -> None:
    """What the body leaves out counts as not given, so that a change changes nothing else."""
    assert http.patch("/api/books/b1", json={"title": "Sea"}).json() == {"id": "b1", "title": "Sea"}
    assert http.patch("/api/books/b1", json={"pages": 3}).json()["title"] == "Sea"
    assert http.patch("/api/books/b1", json={"id": "b2"}).status_code == 422


def test_the_document_names_the_body_by_the_model_that_it_is(http: TestClient) -> None:
    document = http.get("/openapi.json").json()
    body = document["paths"]["/api/books/{id}"]["patch"]["requestBody"]["content"]
    assert body["application/json"]["schema"] == {"$ref": "#/components/schemas/BookChange"}
    [limit] = [
        parameter
        for parameter in document["paths"]["/api/books/search"]["get"]["parameters"]
        if parameter["name"] == "limit"
    ]
    assert limit["description"] == "How many."
    assert limit["schema"]["maximum"] == 9


def test_a_body_may_be_left_out_where_the_route_says_so(http: TestClient) -> None:
    """Its fields then have their defaults; the document names the bodies of other statuses."""
    assert http.post("/api/books/b1/repair").json() == {"id": "b1"}
    assert http.post("/api/books/b1/repair", json={"pages": 3}).json() == {"id": "b1", "pages": 3}
    assert http.patch("/api/books/b1").status_code == 422
    document = http.get("/openapi.json").json()["paths"]["/api/books/{id}/repair"]["post"]
    assert not document["requestBody"].get("required", False)
    torn = document["responses"]["409"]["content"]["application/json"]["schema"]
    assert torn == {"$ref": "#/components/schemas/TornPages"}


def test_an_operation_without_arguments_takes_no_body(http: TestClient) -> None:
    assert http.post("/api/books").status_code == 201
    assert "requestBody" not in http.get("/openapi.json").json()["paths"]["/api/books"]["post"]


async def test_a_tool_may_take_fewer_arguments_than_the_route() -> None:
    """The others have their defaults, and only what was given counts as given."""
    [tool] = Bound({}, ALL).tools()
    assert tool.arguments is SearchInput
    assert tool.read_only
    found = await tool.run(SearchInput(words="sea"), Caller(Door.MCP, "ada"))
    assert (found["limit"], found["set"], found["by"]) == (5, ["words"], "ada")


async def test_a_room_can_be_told_of_a_call_before_it_runs() -> None:
    told: list[str] = []

    async def note(name: str, caller: Caller) -> None:
        told.append(f"{name} by {caller.user_id}")

    [tool] = Bound({}, [search], before_tool=note).tools()
    await tool.run(SearchInput(words="sea"), Caller(Door.MCP, "ada"))
    assert told == ["find by ada"]


async def test_what_a_message_comes_to_goes_back_to_its_sender() -> None:
    messages: dict[str, Message[Any]] = {each.type: each for each in Bound({}, ALL).messages()}
    window = Window()
    await messages["book:lend"].handle(Incoming("book:lend", BookRequest(id="b1"), window, id="42"))
    [(sent, payload, reply_to)] = window.sent
    assert (sent, payload.by, reply_to) == ("book:lent", "ada", "42")


async def test_a_message_need_not_be_answered_with_the_result_of_the_other_doors() -> None:
    @operation(Get("/books"), SocketMessage("book:list", is_answered=False))
    async def listed(shelf: Shelf) -> list[Lent]:
        return [Lent(id=key, by="ada") for key in shelf]

    [message] = Bound({"b1": {}}, [listed]).messages()
    window = Window()
    await message.handle(Incoming("book:list", message.schema(), window))
    assert window.sent == []


def test_a_route_can_describe_a_part_of_its_path() -> None:
    @operation(Get("/books/{id}", describe={"id": "Its number."}))
    async def show(_shelf: Shelf, asked: BookRequest) -> str:
        return asked.id

    app = FastAPI()
    app.include_router(operation_router([Bound({}, [show])], "books"))
    [described] = app.openapi()["paths"]["/books/{id}"]["get"]["parameters"]
    assert described["description"] == "Its number."


async def test_an_operation_of_messages_alone_may_answer_by_itself() -> None:
    messages: dict[str, Message[Any]] = {each.type: each for each in Bound({}, ALL).messages()}
    window = Window()
    await messages["book:touch"].handle(Incoming("book:touch", BookRequest(id="b1"), window))
    assert window.sent == [("book:touched", {"id": "b1", "type": "book:touch"}, None)]


def test_a_command_asks_the_operations_route(http: TestClient) -> None:
    shown: list[Any] = []
    commands = CommandGroup("Books.")
    commands.add(
        search,
        "search",
        shown.append,
        help="Find books.",
        words=Argument("What to look for."),
        tags=Option("A tag; repeat it.", "--tag"),
        limit=Option("How many.", default=3),
    )
    commands.add(
        edit, "edit", shown.append, help="Change.", id=Argument("Which."), title=Option("New.")
    )
    client = Client(cast("Any", http.request))
    typed = CliRunner().invoke(commands, ["search", "sea", "--tag", "a", "--tag", "b"], obj=client)
    assert typed.exit_code == 0, typed.output
    assert (shown[0]["words"], shown[0]["tags"], shown[0]["limit"]) == ("sea", ["a", "b"], 3)
    assert CliRunner().invoke(commands, ["search", "sea", "--limit", "10"]).exit_code == 2
    CliRunner().invoke(commands, ["edit", "a/b", "--title", "Sea"], obj=client)
    assert http.patch("/api/books/b1", json={}).status_code == 200
    assert typer.main.get_command(commands).help == "Books."


def test_a_command_may_ask_by_the_route_alone(http: TestClient) -> None:
    """For operations that are heavy to import: their route is declared in a module of its own."""
    commands = CommandGroup("Books.")

    @commands.command("rename")
    def rename(context: typer.Context, id: str, title: str) -> None:
        typer.echo(call(context, Patch("/books/{id}"), id=id, title=title, pages=None))

    @commands.command("count")
    def count_books(context: typer.Context) -> None:
        typer.echo(call(context, Post("/books")))

    client = Client(cast("Any", http.request))
    renamed = CliRunner().invoke(commands, ["rename", "b1", "Sea"], obj=client)
    assert "'title': 'Sea'" in renamed.output
    assert "pages" not in renamed.output
    assert CliRunner().invoke(commands, ["count"], obj=client).output == "{'books': 1}\n"


def test_a_function_of_another_shape_is_no_operation() -> None:
    async def wrong(_shelf: Shelf, _words: str) -> None: ...

    with pytest.raises(ConfigurationError, match="is no operation"):
        operation(Get("/wrong"))(wrong)


def test_a_path_that_names_no_argument_is_a_mistake() -> None:
    @operation(Get("/books/{isbn}"))
    async def wrong(_shelf: Shelf, _asked: BookRequest) -> None: ...

    with pytest.raises(ConfigurationError, match="isbn"):
        operation_router([Bound({}, [wrong])], "books")
