"""Tool calls that ask the person behind the client: answered, refused, cut off, or not possible."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult
from pydantic import BaseModel

from bottega.core.rooms import Asking, Caller, Question, Room, Tool
from bottega.errors import Conflict, InvalidInput
from bottega.server.mcp import McpDoor, McpLimits

Serve = Callable[..., AbstractAsyncContextManager[str]]
ERAS = ("legacy", "2026-07-28")
FORM = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}


class Start(BaseModel):
    name: str


class Painting(Asking):
    """A wall that waits for two colours; what it waits for outlives every connection."""

    names = ("wall", "coat")

    def __init__(self) -> None:
        self.started = 0
        self.coats: list[str] = []
        self.painted = asyncio.Event()
        self.asked_as: list[bool] = []

    async def start(self, asked: Start, caller: Caller) -> dict[str, Any]:
        self.started += 1
        self.asked_as.append(caller.can_be_asked)
        return self.wall()

    def wall(self) -> dict[str, Any]:
        return {"coats": list(self.coats), "waits": len(self.coats) < 2}

    def question(self, asked: Start, result: Any) -> Question | None:
        if not result["waits"]:
            return None
        coat = str(len(result["coats"]))
        return Question(f"Coat {coat} of {asked.name}?", FORM, {"wall": asked.name, "coat": coat})

    async def answer(
        self, about: Mapping[str, str], form: Mapping[str, Any], caller: Caller
    ) -> dict[str, Any]:
        if about["coat"] != str(len(self.coats)):
            raise Conflict("That coat is painted.")
        if form.get("colour") not in ("red", "blue"):
            raise InvalidInput("Only red and blue are here.")
        self.coats.append(form["colour"])
        return self.wall()

    async def current(self, about: Mapping[str, str], caller: Caller) -> dict[str, Any]:
        return self.wall()

    async def closed(self, about: Mapping[str, str], caller: Caller) -> None:
        await self.painted.wait()

    def room(self) -> Room:
        return Room("walls", [Tool("paint", "Paints a wall.", Start, self.start, asking=self)])


class Person:
    """Answers forms one after the other; keeps what was asked."""

    def __init__(self, *replies: ElicitResult) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        assert params.requested_schema == FORM
        self.asked.append(params.message)
        return self.replies.pop(0)


def says(colour: str) -> ElicitResult:
    return ElicitResult(action="accept", content={"colour": colour})


DECLINES = ElicitResult(action="decline")
CANCELS = ElicitResult(action="cancel")


def result_of(result: CallToolResult) -> dict[str, Any]:
    assert result.structured_content is not None
    return dict(result.structured_content)


@asynccontextmanager
async def calling(
    serve: Serve, painting: Painting, mode: str, person: Any = None, **limits: float
) -> AsyncIterator[Client]:
    door = McpDoor([painting.room()], limits=McpLimits(**limits))  # type: ignore[arg-type]
    async with (
        serve(door) as url,
        Client(url, mode=mode, elicitation_callback=person) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ERAS)
async def test_questions_are_put_to_the_person_until_none_is_left(serve: Serve, mode: str) -> None:
    painting, person = Painting(), Person(says("red"), says("blue"))
    async with calling(serve, painting, mode, person) as client:
        painted = result_of(await client.call_tool("paint", {"name": "north"}))

    assert painted == {"coats": ["red", "blue"], "waits": False}
    assert person.asked == ["Coat 0 of north?", "Coat 1 of north?"]
    assert (painting.started, painting.asked_as) == (1, [True])


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("reply", [DECLINES, CANCELS])
async def test_who_does_not_answer_leaves_it_open_and_is_not_asked_again(
    serve: Serve, mode: str, reply: ElicitResult
) -> None:
    painting, person = Painting(), Person(says("red"), reply)
    async with calling(serve, painting, mode, person) as client:
        first = result_of(await client.call_tool("paint", {"name": "north"}))
        second = result_of(await client.call_tool("paint", {"name": "north"}))

    assert first == second == {"coats": ["red"], "waits": True}
    assert len(person.asked) == 2


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_without_forms_sees_what_waits(serve: Serve, mode: str) -> None:
    painting = Painting()
    async with calling(serve, painting, mode) as client:
        waits = result_of(await client.call_tool("paint", {"name": "north"}))

    assert waits == {"coats": [], "waits": True}
    assert painting.asked_as == [False]


@pytest.mark.parametrize("mode", ERAS)
async def test_an_answer_that_does_not_do_is_an_error_and_the_question_stays(
    serve: Serve, mode: str
) -> None:
    painting, person = Painting(), Person(says("green"), says("red"), says("blue"))
    async with calling(serve, painting, mode, person) as client:
        wrong = await client.call_tool("paint", {"name": "north"})
        right = await client.call_tool("paint", {"name": "north"})

    error = result_of(wrong)["error"]
    assert wrong.is_error
    assert error["message"].startswith("Only red and blue are here. Nothing is lost")
    assert (error["wall"], error["coat"]) == ("north", "0")
    assert result_of(right)["coats"] == ["red", "blue"]


@pytest.mark.parametrize("mode", ERAS)
async def test_an_answer_that_comes_after_another_ones_shows_what_became_of_it(
    serve: Serve, mode: str
) -> None:
    painting = Painting()

    async def slow(context: Any, params: Any) -> ElicitResult:
        painting.coats[:] = ["blue", "blue"]
        return says("red")

    async with calling(serve, painting, mode, slow) as client:
        painted = result_of(await client.call_tool("paint", {"name": "north"}))

    assert painted["coats"] == ["blue", "blue"]


async def test_a_question_that_is_answered_elsewhere_is_not_waited_for(serve: Serve) -> None:
    painting = Painting()

    async def never(context: Any, params: Any) -> ElicitResult:
        painting.coats[:] = ["blue", "blue"]
        painting.painted.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with calling(serve, painting, "legacy", never) as client, asyncio.timeout(20):
        painted = result_of(await client.call_tool("paint", {"name": "north"}))

    assert painted["coats"] == ["blue", "blue"]


async def test_a_person_who_takes_too_long_leaves_it_open(serve: Serve) -> None:
    painting = Painting()

    async def never(context: Any, params: Any) -> ElicitResult:
        await asyncio.Event().wait()
        raise AssertionError

    async with (
        calling(serve, painting, "legacy", never, answer_seconds=0.05) as client,
        asyncio.timeout(20),
    ):
        waits = result_of(await client.call_tool("paint", {"name": "north"}))

    assert waits == {"coats": [], "waits": True}


async def test_a_client_that_goes_away_leaves_it_open(serve: Serve) -> None:
    painting, asked = Painting(), asyncio.Event()

    async def never(context: Any, params: Any) -> ElicitResult:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with serve(McpDoor([painting.room()])) as url:
        async with Client(url, mode="legacy", elicitation_callback=never) as client:
            call = asyncio.create_task(client.call_tool("paint", {"name": "north"}))
            await asyncio.wait_for(asked.wait(), 20)
            call.cancel()
        person = Person(says("red"), says("blue"))
        async with Client(url, mode="legacy", elicitation_callback=person) as client:
            painted = result_of(await client.call_tool("paint", {"name": "north"}))

    assert painted["coats"] == ["red", "blue"]


@pytest.mark.parametrize(
    "state", ["{", "[]", '{"wall": "north"}', '{"wall": "north", "coat": 1}', '{"x": "y"}']
)
async def test_a_state_that_was_tampered_with_is_refused(serve: Serve, state: str) -> None:
    painting = Painting()
    async with serve(McpDoor([painting.room()])) as url, httpx.AsyncClient() as http:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        }
        answer = await http.post(
            url,
            headers={
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": "2026-07-28",
                "Mcp-Method": "tools/call",
                "Mcp-Name": "paint",
            },
            json={
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {
                    "name": "paint",
                    "arguments": {"name": "north"},
                    "requestState": state,
                    "inputResponses": {
                        "answer": {"action": "accept", "content": {"colour": "red"}}
                    },
                    "_meta": meta,
                },
            },
        )

    assert "not one that this server gave out" in answer.text
    assert (painting.started, painting.coats) == (0, [])


SERVER = """
import asyncio
from tests.server.mcp.test_asking import Painting
from bottega.server.mcp import McpDoor

asyncio.run(McpDoor([Painting().room()]).serve_stdio())
"""


@pytest.mark.parametrize("mode", ERAS)
async def test_stdio_asks_as_well(mode: str) -> None:
    person = Person(says("red"), says("blue"))
    server = StdioServerParameters(
        command=sys.executable, args=["-c", SERVER], env={"PYTHONPATH": ":".join(sys.path)}
    )
    async with Client(server, mode=mode, elicitation_callback=person) as client:
        painted = result_of(await client.call_tool("paint", {"name": "north"}))

    assert painted == {"coats": ["red", "blue"], "waits": False}
