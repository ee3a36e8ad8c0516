"""Prompts over the wire: listed, filled in, and written for the tools that are there."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, TextContent
from pydantic import BaseModel

from bottega.core.rooms import Caller, Given, Prompt, PromptArgument, Room, Script, Step, Tool
from bottega.server.mcp import McpDoor

Serve = Callable[..., AbstractAsyncContextManager[str]]
Connect = Callable[[str], Client]


class Nothing(BaseModel):
    pass


async def nothing(_: Nothing, _caller: Caller) -> None:
    return None


async def complete(typed: str, given: Given, _caller: Caller) -> Sequence[str]:
    return [each for each in ("bread", "brioche", given.get("for", "")) if each.startswith(typed)]


def write(given: Given) -> Script:
    return Script(
        f"Bake {given['what']}.",
        [
            Step("Call `knead`.", ["knead"]),
            Step("Call `fire`.", ["fire"]),
            Step(f"Serve it to {given.get('for', 'everybody')}."),
        ],
    )


BAKE = Prompt(
    "bake",
    "Bakes.",
    write,
    [
        PromptArgument("what", "what to bake", required=True, complete=complete),
        PromptArgument("for", "whom"),
    ],
)
ROOMS = [
    Room("kitchen", [Tool("knead", "Kneads.", Nothing, nothing)], prompts=[BAKE]),
    Room("oven", [Tool("fire", "Fires.", Nothing, nothing)]),
]


async def text_of(client: Client, name: str, arguments: dict[str, str] | None = None) -> str:
    [message] = (await client.get_prompt(name, arguments)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


async def test_a_prompt_names_the_tools_of_the_endpoint_it_is_asked_at(
    serve: Serve, connect: Connect
) -> None:
    async with serve(McpDoor(ROOMS)) as url:
        async with connect(url) as client:
            [listed] = (await client.list_prompts()).prompts
            everywhere = await text_of(client, "bake", {"what": "bread", "for": "Ada"})
        async with connect(f"{url}/kitchen") as client:
            here = await text_of(client, "bake", {"what": "bread", "for": " "})

    assert [(each.name, each.required) for each in listed.arguments or ()] == [
        ("what", True),
        ("for", False),
    ]
    assert everywhere == "Bake bread.\n\n1. Call `knead`.\n2. Call `fire`.\n3. Serve it to Ada."
    assert here == "Bake bread.\n\n1. Call `knead`.\n2. Serve it to everybody."


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("bake", {}, "`what` is missing"),
        ("bake", {"what": "  "}, "`what` is missing"),
        ("bake", {"what": "bread", "whom": "Ada"}, "`whom` is not an argument"),
        ("bake", {"what": "b" * 20_001}, "20,001 characters"),
        ("brew", {}, "Unknown prompt: brew. There are: bake."),
    ],
)
async def test_what_does_not_fit_is_refused_by_name(
    name: str, arguments: dict[str, Any], said: str, serve: Serve, connect: Connect
) -> None:
    async with serve(McpDoor(ROOMS)) as url, connect(url) as client:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name, arguments)

    assert refused.value.error.code == -32602
    assert said in refused.value.error.message


async def test_arguments_are_completed(serve: Serve, connect: Connect) -> None:
    async with serve(McpDoor(ROOMS)) as url, connect(url) as client:
        bake = PromptReference(name="bake")
        found = await client.complete(
            bake, {"name": "what", "value": "br"}, context_arguments={"for": "brownies"}
        )
        none = await client.complete(bake, {"name": "for", "value": ""})

    assert found.completion.values == ["bread", "brioche", "brownies"]
    assert none.completion.values == []
