"""Knowledge found again: by the house's recall, and by people over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI

from bottega.board.knowledge import operations
from bottega.board.knowledge.schemas import BoardTier
from bottega.board.knowledge.service import Knowledge
from bottega.board.routes import router
from bottega.core.operations import Bound, operations_of
from bottega.memory.index import COLLECTION
from bottega.memory.schemas import MemoryFilter, NewMemory
from bottega.memory.stores import Importance, Scope
from bottega.server.errors import handle_errors
from bottega.server.rest import operation_router
from tests.board.builders import (
    BoardApp,
    add_change,
    add_project,
    global_row,
    lesson,
    open_board,
    pattern,
    project_row,
)
from tests.peers.chroma import ChromaServer

PATH = "/api/board/knowledge"
CENTS = "Keep every amount of money in whole cents."
OVENS = "Ovens are numbered from the door to the window."


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[BoardApp]:
    async with open_board(tmp_path, projects={}) as app:
        await add_project(app.core, "bakery")
        await add_project(app.core, "garage")
        yield app


@pytest.fixture
def knowledge(app: BoardApp) -> Knowledge:
    return Knowledge(app.core)


@pytest.fixture
async def http(knowledge: Knowledge) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    handle_errors(app)
    app.include_router(router(cast("Any", SimpleNamespace(knowledge=knowledge))), prefix="/api")
    bound = [Bound(knowledge, operations_of(operations))]
    app.include_router(operation_router(bound, "board"), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


@pytest.mark.requirement("BD-530")
async def test_recall_finds_projects_memory_and_global_knowledge(
    app: BoardApp, knowledge: Knowledge
) -> None:
    """With scope, project, importance by weight, and what it rests on."""
    await add_change(app.core, "bakery", "add-discounts")
    await knowledge.record(lesson(OVENS, "bakery", "add-discounts", relevance=8))
    await knowledge.record(pattern(CENTS, title="Money as integers", key="cents"))
    ovens = (await app.memory.recall.recall("how are the ovens numbered?")).ranked[0].item
    assert (ovens.store, ovens.content) == ("project_memory", OVENS)
    assert (ovens.scope, ovens.project) == (Scope.PROJECT, "/projects/bakery")
    assert ovens.importance is Importance.HIGH
    assert ovens.evidence is not None
    assert ovens.evidence.startswith("bakery/add-discounts · ")
    money = (await app.memory.recall.recall("amounts of money")).ranked[0].item
    assert (money.store, money.scope) == ("global_knowledge", Scope.GLOBAL)
    assert money.content == f"Money as integers\n{CENTS}"
    assert money.importance is Importance.MEDIUM
    assert money.evidence is not None
    assert money.evidence.endswith("100 % of its uses helped")


@pytest.mark.requirement("BD-531")
async def test_recall_keeps_to_the_scope_and_the_project(
    app: BoardApp, knowledge: Knowledge
) -> None:
    await knowledge.record(lesson(OVENS, "bakery"))
    await knowledge.record(lesson("Ovens for parts dry the paint.", "garage"))
    await knowledge.record(pattern("Ovens are hot everywhere.", key="hot"))

    async def found(**asked: Any) -> set[str]:
        recollection = await app.memory.recall.recall("ovens", **asked)
        return {each.item.content.split()[2] for each in recollection.ranked}

    assert await found() == {"numbered", "parts", "hot"}
    assert await found(project="/projects/bakery") == {"numbered", "hot"}
    assert await found(scopes={Scope.GLOBAL}) == {"hot"}
    assert await found(scopes={Scope.PROJECT}, project="/projects/garage") == {"parts"}
    assert await found(scopes={Scope.PERSONAL}) == set()
    for spelling in ("/projects/bakery/", "bakery"):
        assert await found(project=spelling) == {"numbered", "hot"}


async def test_memories_and_knowledge_are_found_together_by_one_search(
    app: BoardApp, knowledge: Knowledge
) -> None:
    """By a name that no vector knows, each under the store that it is known by."""
    await knowledge.record(lesson("Oven QX-77 needs a new door.", "bakery"))
    await knowledge.record(pattern("Ask before QX-77 is moved.", key="qx"))
    await app.memory.memories.add(NewMemory(content="Ines knows all about QX-77."))
    await app.memory.memories.add(NewMemory(content="Flour comes on Mondays."))
    found = await app.memory.recall.recall("QX-77")
    assert {each.item.store for each in found.ranked[:3]} == {
        "memories",
        "project_memory",
        "global_knowledge",
    }
    mine = await app.memory.memories.list(MemoryFilter())
    assert {each.content.split()[0] for each in mine.items} == {"Ines", "Flour"}


@pytest.mark.requirement("BD-533")
async def test_what_recall_hands_out_counts_as_used(app: BoardApp, knowledge: Knowledge) -> None:
    here = await knowledge.record(lesson(OVENS, "bakery"))
    everywhere = await knowledge.record(pattern("Ovens are hot everywhere.", key="hot"))
    for _ in range(2):
        await app.memory.recall.recall("ovens")
    await app.memory.store.flush()
    row = await project_row(app.core, here.item.id)
    assert row.usage_count == 2
    assert row.last_used is not None
    assert (await global_row(app.core, everywhere.item.id)).usage_count == 2


@pytest.mark.requirement("BD-527", "BD-530")
async def test_edited_and_deleted_knowledge_is_found_as_it_is_now(
    app: BoardApp, knowledge: Knowledge, http: httpx.AsyncClient
) -> None:
    """The vectors follow the rows."""
    recorded = await knowledge.record(lesson(OVENS, "bakery"))
    address = f"{PATH}/project/{recorded.item.id}"
    await http.patch(address, json={"content": "Discounts begin at ten rolls."})
    [found] = (await app.memory.recall.recall("when do discounts begin?")).ranked
    assert found.item.content == "Discounts begin at ten rolls."
    await http.delete(address)
    assert (await app.memory.recall.recall("when do discounts begin?")).ranked == []


@pytest.mark.requirement("BD-532")
async def test_vectors_that_were_lost_are_made_again(app: BoardApp, knowledge: Knowledge) -> None:
    """Somebody deleted the collection: told as away once, whole again after."""
    await knowledge.record(lesson(OVENS, "bakery"))
    await app.core.vectors.drop_collection(COLLECTION)
    away = await app.memory.recall.recall("ovens")
    assert away.unavailable == ["memories"]
    assert (await app.memory.recall.recall("ovens")).ranked[0].item.content == OVENS
    assert await app.core.vectors.count(COLLECTION) == 1


@pytest.mark.requirement("BD-532")
async def test_what_was_recorded_while_the_store_was_away_is_found_later(tmp_path: Path) -> None:
    """A real Chroma server, stopped and started."""
    server = ChromaServer(tmp_path / "chroma")
    server.start()
    try:
        async with open_board(tmp_path, projects={}, chromadb_url=server.url) as app:
            await add_project(app.core, "bakery")
            knowledge = Knowledge(app.core)
            await knowledge.record(lesson(CENTS, "bakery"))
            server.stop()
            recorded = await knowledge.record(lesson(OVENS, "bakery"))
            assert recorded.is_new
            server.start()
            [first, *_] = (await app.memory.recall.recall("numbered ovens")).ranked
            assert first.item.content == OVENS
    finally:
        server.stop()


@pytest.mark.requirement("BD-529")
async def test_a_person_looks_through_knowledge_page_by_page(
    http: httpx.AsyncClient, knowledge: Knowledge
) -> None:
    """Recorded, listed by tier, project and category, shown."""
    body = {"tier": "project", "category": "naming", "project_id": "bakery"}
    for word in ("Apples", "Bananas", "Cherries"):
        made = await http.post(PATH, json=body | {"content": f"{word} are plural."})
        assert made.status_code == 201
        assert made.json()["is_new"] is True
    first = (await http.get(PATH, params={"tier": "project", "limit": 2})).json()
    assert [item["content"][:3] for item in first["items"]] == ["Che", "Ban"]
    params = {"tier": "project", "limit": 2, "after": first["next"]}
    second = (await http.get(PATH, params=params)).json()
    assert [item["content"][:3] for item in second["items"]] == ["App"]
    assert second["next"] is None
    elsewhere = await http.get(PATH, params={"tier": "project", "project_id": "garage"})
    assert elsewhere.json()["items"] == []
    other = await http.get(PATH, params={"tier": "project", "category": "architecture"})
    assert other.json()["items"] == []
    unknown = await http.get(PATH, params={"tier": "project", "category": "pattern"})
    assert unknown.status_code == 422
    item = second["items"][0]
    assert (await http.get(f"{PATH}/project/{item['id']}")).json() == item
    missing = await http.get(f"{PATH}/global/{item['id']}")
    assert missing.status_code == 404
    assert "GET /api/board/knowledge?tier=global" in missing.json()["error"]["message"]


@pytest.mark.requirement("BD-527", "BD-529")
async def test_a_person_promotes_edits_and_demotes(
    app: BoardApp, http: httpx.AsyncClient, knowledge: Knowledge
) -> None:
    """A task's note becomes the project's, then everybody's, then one project's."""
    await add_change(app.core, "bakery", "add-discounts")
    note = {"tier": "task", "category": "solution", "content": CENTS}
    where = {"project_id": "bakery", "change_id": "add-discounts"}
    task = (await http.post(PATH, json=note | where)).json()["item"]
    project = (await http.post(f"{PATH}/task/{task['id']}/promote")).json()
    assert (project["tier"], project["relevance"], project["content"]) == ("project", 7, CENTS)
    everywhere = (await http.post(f"{PATH}/project/{project['id']}/promote")).json()
    assert (everywhere["tier"], everywhere["confidence"]) == ("global", 7)
    assert everywhere["evidence"][0].startswith("bakery/add-discounts · ")
    top = await http.post(f"{PATH}/global/{everywhere['id']}/promote")
    assert top.status_code == 409
    address = f"{PATH}/global/{everywhere['id']}"
    edited = (await http.patch(address, json={"title": "Cents", "confidence": 9})).json()
    assert (edited["title"], edited["confidence"], edited["content"]) == ("Cents", 9, CENTS)
    wrong = await http.patch(address, json={"relevance": 3})
    assert wrong.status_code == 422
    assert wrong.json()["error"]["valid_options"][0] == "category"
    context = await http.get(f"{PATH}/context", params=where | {"budget": 500})
    assert "### Cents" in context.json()["text"]
    params = {"project_id": "garage"}
    demoted = (await http.post(f"{address}/demote", params=params)).json()
    assert (demoted["tier"], demoted["project_id"]) == ("project", "garage")
    assert demoted["evidence"] == everywhere["evidence"]
    assert (await http.get(address)).status_code == 404
    again = (await http.post(f"{PATH}/project/{project['id']}/promote")).json()
    home = (await http.post(f"{PATH}/global/{again['id']}/demote")).json()
    assert home == project
    nowhere = await knowledge.record(pattern("Sleep on it.", key="sleep"))
    homeless = await http.post(f"{PATH}/global/{nowhere.item.id}/demote")
    assert homeless.status_code == 422


@pytest.mark.requirement("BD-528")
@pytest.mark.parametrize("tier", list(BoardTier))
async def test_a_deleted_item_comes_back_as_it_was(
    app: BoardApp, http: httpx.AsyncClient, knowledge: Knowledge, tier: BoardTier
) -> None:
    """Its counts and evidence too; twice, or over another's key, is refused."""
    await add_change(app.core, "bakery", "add-discounts")
    category = {
        BoardTier.TASK: "solution",
        BoardTier.PROJECT: "naming",
        BoardTier.GLOBAL: "pattern",
    }[tier]
    body = {
        "tier": tier,
        "category": category,
        "content": CENTS,
        "project_id": "bakery",
        "change_id": "add-discounts",
    }
    item = (await http.post(PATH, json=body)).json()["item"]
    address = f"{PATH}/{tier}/{item['id']}"
    assert (await http.delete(address)).json() == item
    assert (await http.get(address)).status_code == 404
    assert (await http.delete(address)).status_code == 404
    restored = await http.post(f"{PATH}/restore", json=item)
    assert restored.status_code == 201
    assert (await http.get(address)).json() == item
    assert (await http.post(f"{PATH}/restore", json=item)).status_code == 409
    if tier is not BoardTier.TASK:
        assert (await http.post(f"{PATH}/restore", json=item | {"id": "x"})).status_code == 409
        endless = item | {"usage_count": 2**70}
        assert (await http.post(f"{PATH}/restore", json=endless)).status_code == 422
    before_time = item | {"created_at": "0001-01-01T00:00:00+14:00"}
    assert (await http.post(f"{PATH}/restore", json=before_time)).status_code == 422
