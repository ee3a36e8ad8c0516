"""Files of changes as resources, work as a prompt, and an agent's question as a form."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestFormParams, ElicitResult, ResourceTemplateReference, TextContent

from bottega.core.users import LOCAL_USER
from bottega.server.composition import show_resource_changes
from bottega.server.mcp import McpDoor
from tests.board.agent_board import AgentDoors, open_agent_doors
from tests.board.builders import BAKERY
from tests.mcp_serving import read_text, serve_door

DISCOUNTS = "bottega://board/changes/add-discounts/"
QUESTION = {"question": "May I migrate the orders?", "options": ["Migrate", "Skip"]}


@pytest.fixture
async def doors(tmp_path: Path) -> AsyncIterator[AgentDoors]:
    async with open_agent_doors(tmp_path) as doors:
        yield doors


async def test_the_texts_of_changes_are_listed_and_read(doors: AgentDoors) -> None:
    files = ["proposal.md", "tasks.md", "specs/orders/spec.md"]
    async with doors.mcp() as client:
        listed = [each.uri for each in (await client.list_resources()).resources]
        for file in files:
            text = BAKERY[f"openspec/changes/add-discounts/{file}"]
            assert await read_text(client, DISCOUNTS + file) == text
        whole = f"{DISCOUNTS}proposal.md?project={doors.project.id}"
        assert (await read_text(client, whole)).startswith("# Add discounts")
        for uri, said in (
            (f"{DISCOUNTS}design.md", "It has: proposal.md, tasks.md, specs/orders/spec.md"),
            (f"{DISCOUNTS}../../project.md", "has no '../../project.md'"),
            ("bottega://board/changes/none/proposal.md", "There is no change 'none'"),
        ):
            with pytest.raises(MCPError, match=said):
                await client.read_resource(uri)

    assert listed == [DISCOUNTS + file for file in files]


async def test_changes_and_their_files_are_completed(doors: AgentDoors) -> None:
    template = ResourceTemplateReference(uri="bottega://board/changes/{change}/{+file}{?project}")
    async with doors.mcp() as client:
        change = await client.complete(template, {"name": "change", "value": "add"})
        file = await client.complete(
            template,
            {"name": "file", "value": "specs"},
            context_arguments={"change": "add-discounts"},
        )
        project = await client.complete(template, {"name": "project", "value": ""})

    assert change.completion.values == ["add-discounts"]
    assert file.completion.values == ["specs/orders/spec.md"]
    assert project.completion.values == [doors.project.id]


async def test_an_edited_text_is_told_to_who_listens(doors: AgentDoors) -> None:
    door = McpDoor(doors.rooms)
    show_resource_changes(doors.app.core, doors.rooms, door)
    async with (
        serve_door(door) as url,
        Client(url, mode="2026-07-28") as client,
        client.listen(resource_subscriptions=[f"{DISCOUNTS}tasks.md"]) as events,
    ):
        session_id, work = await doors.begin()
        await doors.call(
            "board_update_tasks",
            session_id=session_id,
            change_id=work["change_id"],
            lease_token=work["lease_token"],
            tasks=["1.1"],
        )
        async with asyncio.timeout(20):
            event = await anext(aiter(events))
        assert "- [x] 1.1" in await read_text(client, f"{DISCOUNTS}tasks.md")

    assert event.uri == f"{DISCOUNTS}tasks.md"  # type: ignore[union-attr]


async def test_work_begins_with_a_prompt(doors: AgentDoors) -> None:
    async with doors.mcp() as client:
        [message] = (await client.get_prompt("next-work")).messages
    assert isinstance(message.content, TextContent)
    assert "2. Claim with `board_next_work`" in message.content.text


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_question_is_put_to_the_person_at_the_client(doors: AgentDoors, mode: str) -> None:
    """The question is on the board before anybody is asked; who declines leaves it there."""
    forms: list[dict[str, Any]] = []
    replies = [ElicitResult(action="decline"), ElicitResult(action="accept", content={})]
    replies.append(ElicitResult(action="accept", content={"choice": "Skip"}))

    async def person(context: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        assert [each.answer for each in await doors.clarifications.list(LOCAL_USER)] == [None]
        forms.append(params.requested_schema)
        return replies.pop(0)

    session_id = await doors.register()
    door = McpDoor(doors.rooms)
    async with (
        serve_door(door) as url,
        Client(url, mode=mode, elicitation_callback=person) as client,
    ):

        async def ask(**arguments: Any) -> dict[str, Any]:
            given = {"session_id": session_id, **arguments}
            result = await client.call_tool("board_request_clarification", given)
            assert result.structured_content is not None
            return dict(result.structured_content)

        declined = await ask(**QUESTION)
        await doors.clarifications.answer(declined["clarification_id"], "Migrate", LOCAL_USER)
        later = await ask(clarification_id=declined["clarification_id"])
        empty = await ask(**QUESTION)
        again = {"clarification_id": empty["error"]["clarification_id"], "wait_seconds": 0}
        still_open = await ask(**again)
        answered = await ask(**QUESTION)

    assert declined["answer"] is None
    assert "call again" in declined["next"]
    assert later["answer"] == "Migrate"
    assert "neither a choice nor an answer" in empty["error"]["message"]
    assert still_open["answer"] is None
    assert answered == {"clarification_id": again["clarification_id"], "answer": "Skip"}
    assert forms[0]["properties"]["choice"]["enum"] == ["Migrate", "Skip"]


async def test_an_answer_on_the_board_closes_the_form(doors: AgentDoors) -> None:
    async def person(context: Any, params: Any) -> ElicitResult:
        [asked] = await doors.clarifications.list(LOCAL_USER)
        await doors.clarifications.answer(asked.id, "Migrate", LOCAL_USER)
        await asyncio.Event().wait()
        raise AssertionError

    session_id = await doors.register()
    async with (
        serve_door(McpDoor(doors.rooms)) as url,
        Client(url, mode="legacy", elicitation_callback=person) as client,
        asyncio.timeout(20),
    ):
        given = {"session_id": session_id, **QUESTION}
        result = await client.call_tool("board_request_clarification", given)

    assert result.structured_content is not None
    assert result.structured_content["answer"] == "Migrate"
