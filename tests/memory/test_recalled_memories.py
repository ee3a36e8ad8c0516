"""Semantic memories as recall and the MCP tools give them out."""

import re
from typing import Any

import pytest

from bottega.core.rooms import Caller, Door, Room, Tool
from bottega.errors import InvalidInput
from bottega.memory.room import build
from bottega.memory.schemas import MemoryInput, NewMemory
from bottega.memory.stores import Importance, Scope
from bottega.server.mcp.arguments import check_arguments
from bottega.server.mcp.schemas import tool_listing_tokens
from tests.memory.builders import MemoryApp

AGENT = Caller(Door.MCP, "local", "claude-code/2.1")
TESTS = NewMemory(
    content="The tests of this project run with make test",
    project="app",
    importance=Importance.HIGH,
    evidence='Makefile:L20-L21 "test:"',
)


async def recalled(app: MemoryApp, query: str, **options: Any) -> list[str]:
    found = await app.memory.recall.recall(query, **options)
    return [ranked.item.content for ranked in found.ranked]


async def test_a_recalled_memory_says_whose_it_is_and_what_it_rests_on(app: MemoryApp) -> None:
    memory = await app.memories.add(TESTS)
    found = await app.memory.recall.recall("how do I run the tests", project="app")
    [ranked] = found.ranked
    item = ranked.item
    assert (item.id, item.store, item.owner) == (memory.id, "memories", "local")
    assert (item.scope, item.project) == (Scope.PROJECT, "app")
    assert (item.importance, item.evidence) == (Importance.HIGH, TESTS.evidence)
    assert item.created_at == memory.created_at
    assert 0.1 < item.relevance <= 1


async def test_a_project_hears_its_own_and_what_holds_everywhere(app: MemoryApp) -> None:
    await app.memories.add(TESTS)
    await app.memories.add(NewMemory(content="Other tests run with tox", project="other"))
    await app.memories.add(NewMemory(content="Run the tests before every commit"))
    here = await recalled(app, "run tests", project="app")
    assert set(here) == {TESTS.content, "Run the tests before every commit"}
    assert len(await recalled(app, "run tests")) == 3
    personal = await recalled(app, "run tests", scopes=[Scope.PERSONAL])
    assert personal == ["Run the tests before every commit"]
    assert await recalled(app, "run tests", scopes=[Scope.PROJECT], project="app") == [
        TESTS.content
    ]
    assert await recalled(app, "run tests", scopes=[Scope.GLOBAL]) == []


async def test_recall_is_blind_to_other_users_and_to_what_is_forgotten(app: MemoryApp) -> None:
    ana = await app.new_user("ana")
    memory = await app.memories.add(TESTS, ana)
    assert await recalled(app, "run tests") == []
    assert await recalled(app, "run tests", user_id=ana) == [TESTS.content]
    await app.memories.forget(memory.id, ana)
    assert await recalled(app, "run tests", user_id=ana) == []


async def test_uses_are_counted(app: MemoryApp) -> None:
    memory = await app.memories.add(TESTS)
    for _ in range(3):
        await recalled(app, "run tests")
    await app.memory.store.flush()
    used = await app.memories.get(memory.id)
    assert used.use_count == 3
    assert used.last_used_at is not None
    assert used.updated_at == memory.updated_at, "a use is no change"


async def test_what_was_chosen_stands_in_the_trace(app: MemoryApp) -> None:
    memory = await app.memories.add(TESTS)
    await recalled(app, "run tests", budget=500)
    await app.core.traces.flush()
    [summary] = await app.core.traces.list()
    [node] = (await app.core.traces.get(summary.trace_id)).spans
    span = node.span
    assert span.name == "recall"
    assert span.attributes["budget"] == 500
    [chosen] = span.attributes["chosen"]
    assert re.fullmatch(rf"memories/{memory.id} [01]\.\d{{3}}", chosen)


def tool(room: Room, name: str) -> Tool[Any]:
    [found] = [tool for tool in room.tools if tool.name == name]
    return found


async def test_an_agent_remembers_and_another_recalls(app: MemoryApp) -> None:
    room = build(app.core, app.memory)
    remember, recall = tool(room, "remember"), tool(room, "recall")
    told = {"content": "Deploys happen on Thursdays", "tags": ["ops"], "session_id": "s1"}
    kept = await remember.run(check_arguments(remember, told), AGENT)
    assert kept == {
        "id": "mem_s1_0",
        "scope": "personal",
        "searchable": True,
        "admission": "kept",
    }
    asked = check_arguments(recall, {"query": "when do deploys happen"})
    answer = await recall.run(asked, AGENT)
    [item] = answer["items"]
    assert (item["id"], item["content"]) == ("mem_s1_0", told["content"])
    assert "evidence" not in item, "what is empty costs nothing"
    assert (recall.read_only, remember.read_only) == (True, False)


def test_the_tools_cost_little_to_list(app: MemoryApp) -> None:
    assert tool_listing_tokens(build(app.core, app.memory).tools) <= 400


@pytest.mark.parametrize(
    "asked",
    [{}, {"query": 5}, {"query": "x", "scopes": ["mine"]}, {"query": "x", "budget": 0}],
    ids=["missing", "mistyped", "unknown scope", "no budget"],
)
async def test_wrong_arguments_are_refused(app: MemoryApp, asked: dict[str, object]) -> None:
    recall = tool(build(app.core, app.memory), "recall")
    with pytest.raises(InvalidInput, match="recall: "):
        check_arguments(recall, asked)


async def remember(app: MemoryApp, content: str) -> None:
    await app.memories.add(NewMemory(content=content))


async def test_a_code_is_found_by_its_name_among_others_like_it(app: MemoryApp) -> None:
    for number in range(4700, 4760):
        await remember(app, f"E{number} means that valve {number % 13} reported fault {number}.")
    assert (await recalled(app, "what does E4711 mean"))[0].startswith("E4711 ")


async def test_what_is_said_in_other_words_is_found(app: MemoryApp) -> None:
    await remember(app, "Our nightly build fails when the disk is full.")
    await remember(app, "The lunch menu hangs beside the door.")
    await remember(app, "Tokens expire after an hour and must be renewed.")
    await app.refiner.settled()
    assert (await recalled(app, "the login session times out"))[0].startswith("Tokens")


async def test_recalling_changes_no_order(app: MemoryApp) -> None:
    for place in ("Ghent", "Bruges", "Leuven"):
        await remember(app, f"The build server stands in {place}.")
    await app.refiner.settled()
    first = await recalled(app, "where is the build server")
    for _ in range(5):
        await recalled(app, "Ghent")
    await app.memory.store.flush()
    assert await recalled(app, "where is the build server") == first


async def test_what_says_nothing_of_anything_recalls_nothing(app: MemoryApp) -> None:
    await remember(app, "The build server stands in Ghent.")
    assert await recalled(app, "zzzz qqqq") == []


async def test_an_answer_is_found_by_the_words_of_its_question(app: MemoryApp) -> None:
    said = [
        *("Ana: the heron nests again", "Ben: lovely", "Ana: I must go to the dentist"),
        *("Ana: which colour did you paint the shed?", "Ben: green in the end", "Ana: nice"),
    ]
    told = [MemoryInput(content=text) for text in said]
    await app.memories.add_memories(told, session_id="talk", project="app")
    await app.refiner.settled()
    assert said[4] in await recalled(app, "shed")
    await app.memories.forget("mem_talk_3", forever=True)
    assert said[4] not in await recalled(app, "shed")
