"""Semantic memories as recall and the MCP tools give them out."""

from typing import Any

import pytest

from bottega.core.rooms import Caller, Door, Room, Tool
from bottega.errors import InvalidInput
from bottega.memory.room import build
from bottega.memory.schemas import NewMemory
from bottega.memory.stores import Importance, Scope
from bottega.server.mcp.arguments import check_arguments
from bottega.server.mcp.schemas import tool_listing_tokens
from tests.memory.house import House

AGENT = Caller(Door.MCP, "local", "claude-code/2.1")
TESTS = NewMemory(
    content="The tests of this project run with make test",
    project="app",
    importance=Importance.HIGH,
    evidence='Makefile:L20-L21 "test:"',
)


async def recalled(house: House, query: str, **options: Any) -> list[str]:
    found = await house.memory.recall.recall(query, **options)
    return [ranked.item.content for ranked in found.ranked]


async def test_a_recalled_memory_says_whose_it_is_and_what_it_rests_on(house: House) -> None:
    memory = await house.memories.add(TESTS)
    found = await house.memory.recall.recall("how do I run the tests", project="app")
    [ranked] = found.ranked
    item = ranked.item
    assert (item.id, item.store, item.owner) == (memory.id, "memories", "local")
    assert (item.scope, item.project) == (Scope.PROJECT, "app")
    assert (item.importance, item.evidence) == (Importance.HIGH, TESTS.evidence)
    assert item.created_at == memory.created_at
    assert 0.1 < item.relevance <= 1


async def test_a_project_hears_its_own_and_what_holds_everywhere(house: House) -> None:
    await house.memories.add(TESTS)
    await house.memories.add(NewMemory(content="Other tests run with tox", project="other"))
    await house.memories.add(NewMemory(content="Run the tests before every commit"))
    here = await recalled(house, "run tests", project="app")
    assert set(here) == {TESTS.content, "Run the tests before every commit"}
    assert len(await recalled(house, "run tests")) == 3
    personal = await recalled(house, "run tests", scopes=[Scope.PERSONAL])
    assert personal == ["Run the tests before every commit"]
    assert await recalled(house, "run tests", scopes=[Scope.PROJECT], project="app") == [
        TESTS.content
    ]
    assert await recalled(house, "run tests", scopes=[Scope.GLOBAL]) == []


async def test_recall_is_blind_to_other_users_and_to_what_is_forgotten(house: House) -> None:
    ana = await house.new_user("ana")
    memory = await house.memories.add(TESTS, ana)
    assert await recalled(house, "run tests") == []
    assert await recalled(house, "run tests", user_id=ana) == [TESTS.content]
    await house.memories.forget(memory.id, ana)
    assert await recalled(house, "run tests", user_id=ana) == []


async def test_uses_are_counted(house: House) -> None:
    memory = await house.memories.add(TESTS)
    for _ in range(3):
        await recalled(house, "run tests")
    await house.memory.store.flush()
    used = await house.memories.get(memory.id)
    assert used.use_count == 3
    assert used.last_used_at is not None
    assert used.updated_at == memory.updated_at, "a use is no change"


async def test_what_was_chosen_stands_in_the_trace(house: House) -> None:
    memory = await house.memories.add(TESTS)
    await recalled(house, "run tests", budget=500)
    await house.traces.flush()
    [summary] = await house.traces.list()
    [node] = (await house.traces.get(summary.trace_id)).spans
    span = node.span
    assert span.name == "recall"
    assert span.attributes["budget"] == 500
    [chosen] = span.attributes["chosen"]
    assert chosen.startswith(f"memories/{memory.id} 0.")


def tool(room: Room, name: str) -> Tool[Any]:
    [found] = [tool for tool in room.tools if tool.name == name]
    return found


async def test_an_agent_remembers_and_another_recalls(house: House) -> None:
    room = build(house, house.memory)
    remember, recall = tool(room, "remember"), tool(room, "recall")
    told = {"content": "Deploys happen on Thursdays", "tags": ["ops"], "session_id": "s1"}
    kept = await remember.run(check_arguments(remember, told), AGENT)
    assert kept == {"id": "mem_s1_0", "scope": "personal", "searchable": True}
    asked = check_arguments(recall, {"query": "when do deploys happen"})
    answer = await recall.run(asked, AGENT)
    [item] = answer["items"]
    assert (item["id"], item["content"]) == ("mem_s1_0", told["content"])
    assert "evidence" not in item, "what is empty costs nothing"
    assert (recall.read_only, remember.read_only) == (True, False)


def test_the_tools_cost_little_to_list(house: House) -> None:
    assert tool_listing_tokens(build(house, house.memory).tools) <= 400


@pytest.mark.parametrize(
    "asked",
    [{}, {"query": 5}, {"query": "x", "scopes": ["mine"]}, {"query": "x", "budget": 0}],
    ids=["missing", "mistyped", "unknown scope", "no budget"],
)
async def test_wrong_arguments_are_refused(house: House, asked: dict[str, object]) -> None:
    recall = tool(build(house, house.memory), "recall")
    with pytest.raises(InvalidInput, match="recall: "):
        check_arguments(recall, asked)
