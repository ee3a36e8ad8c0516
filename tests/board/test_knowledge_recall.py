"""Knowledge found again: by the house's recall, and by people over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from bottega.board.enums import Tier
from bottega.board.knowledge.index import COLLECTIONS
from bottega.board.knowledge.service import Knowledge
from bottega.board.routes.knowledge import router
from bottega.memory.stores import Importance, Scope
from bottega.server.errors import handle_errors
from tests.board.house import House, open_house
from tests.board.shelf import add_change, add_project, global_row, lesson, pattern, project_row
from tests.peers.chroma import ChromaServer

PATH = "/api/board/knowledge"
CENTS = "Keep every amount of money in whole cents."
OVENS = "Ovens are numbered from the door to the window."


def shelve(house: House) -> Knowledge:
    knowledge = Knowledge(house.core)
    house.memory.recall.add_store(knowledge.project_store)
    house.memory.recall.add_store(knowledge.global_store)
    return knowledge


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path, projects={}) as house:
        await add_project(house.core, "bakery")
        await add_project(house.core, "garage")
        yield house


@pytest.fixture
async def knowledge(house: House) -> AsyncIterator[Knowledge]:
    knowledge = shelve(house)
    await knowledge.start()
    yield knowledge
    await knowledge.stop()


@pytest.fixture
async def http(knowledge: Knowledge) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    handle_errors(app)
    app.include_router(router(knowledge), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def test_recall_finds_projects_memory_and_global_knowledge(
    house: House, knowledge: Knowledge
) -> None:
    """BD-530: with scope, project, importance by weight, and what it rests on."""
    await add_change(house.core, "bakery", "add-discounts")
    await knowledge.record(lesson(OVENS, "bakery", "add-discounts", relevance=8))
    await knowledge.record(pattern(CENTS, title="Money as integers", key="cents"))
    ovens = (await house.memory.recall.recall("how are the ovens numbered?")).ranked[0].item
    assert (ovens.store, ovens.content) == ("project_memory", OVENS)
    assert (ovens.scope, ovens.project) == (Scope.PROJECT, "/projects/bakery")
    assert ovens.importance is Importance.HIGH
    assert ovens.evidence is not None
    assert ovens.evidence.startswith("bakery/add-discounts · ")
    money = (await house.memory.recall.recall("amounts of money")).ranked[0].item
    assert (money.store, money.scope) == ("global_knowledge", Scope.GLOBAL)
    assert money.content == f"Money as integers\n{CENTS}"
    assert money.importance is Importance.MEDIUM
    assert money.evidence is not None
    assert money.evidence.endswith("100 % of its uses helped")


async def test_recall_keeps_to_the_scope_and_the_project(
    house: House, knowledge: Knowledge
) -> None:
    """BD-531."""
    await knowledge.record(lesson(OVENS, "bakery"))
    await knowledge.record(lesson("Ovens for parts dry the paint.", "garage"))
    await knowledge.record(pattern("Ovens are hot everywhere.", key="hot"))

    async def found(**asked: Any) -> set[str]:
        recollection = await house.memory.recall.recall("ovens", **asked)
        return {each.item.content.split()[2] for each in recollection.ranked}

    assert await found() == {"numbered", "parts", "hot"}
    assert await found(project="/projects/bakery") == {"numbered", "hot"}
    assert await found(scopes={Scope.GLOBAL}) == {"hot"}
    assert await found(scopes={Scope.PROJECT}, project="/projects/garage") == {"parts"}
    assert await found(scopes={Scope.PERSONAL}) == set()


async def test_what_recall_hands_out_counts_as_used(house: House, knowledge: Knowledge) -> None:
    """BD-533."""
    here = await knowledge.record(lesson(OVENS, "bakery"))
    everywhere = await knowledge.record(pattern("Ovens are hot everywhere.", key="hot"))
    for _ in range(2):
        await house.memory.recall.recall("ovens")
    await knowledge.project_store.flush()
    await knowledge.global_store.flush()
    row = await project_row(house.core, here.item.id)
    assert row.usage_count == 2
    assert row.last_used is not None
    assert (await global_row(house.core, everywhere.item.id)).usage_count == 2


async def test_edited_and_deleted_knowledge_is_found_as_it_is_now(
    house: House, knowledge: Knowledge, http: httpx.AsyncClient
) -> None:
    """BD-527, BD-530: the vectors follow the rows."""
    recorded = await knowledge.record(lesson(OVENS, "bakery"))
    address = f"{PATH}/project/{recorded.item.id}"
    await http.patch(address, json={"content": "Discounts begin at ten rolls."})
    [found] = (await house.memory.recall.recall("when do discounts begin?")).ranked
    assert found.item.content == "Discounts begin at ten rolls."
    await http.delete(address)
    assert (await house.memory.recall.recall("when do discounts begin?")).ranked == []


async def test_vectors_that_were_lost_are_made_again(house: House, knowledge: Knowledge) -> None:
    """BD-532: somebody deleted the collection: told as away once, whole again after."""
    await knowledge.record(lesson(OVENS, "bakery"))
    await house.core.vectors.drop_collection(COLLECTIONS[Tier.PROJECT])
    away = await house.memory.recall.recall("ovens")
    assert away.unavailable == ["project_memory"]
    assert await knowledge.restore_vectors() == 1
    assert (await house.memory.recall.recall("ovens")).ranked[0].item.content == OVENS
    assert await knowledge.restore_vectors() == 0


async def test_what_was_recorded_while_the_store_was_away_is_found_later(tmp_path: Path) -> None:
    """BD-532: a real Chroma server, stopped and started."""
    server = ChromaServer(tmp_path / "chroma")
    server.start()
    try:
        async with open_house(tmp_path, projects={}, chromadb_url=server.url) as house:
            await add_project(house.core, "bakery")
            knowledge = shelve(house)
            await knowledge.record(lesson(CENTS, "bakery"))
            server.stop()
            recorded = await knowledge.record(lesson(OVENS, "bakery"))
            assert recorded.is_new
            server.start()
            [first, *_] = (await house.memory.recall.recall("numbered ovens")).ranked
            assert first.item.content == OVENS
    finally:
        server.stop()


async def test_a_person_looks_through_knowledge_page_by_page(
    http: httpx.AsyncClient, knowledge: Knowledge
) -> None:
    """BD-529: recorded, listed by tier, project and category, shown."""
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


async def test_a_person_promotes_edits_and_demotes(
    house: House, http: httpx.AsyncClient, knowledge: Knowledge
) -> None:
    """BD-527, BD-529: a task's note becomes the project's, then everybody's, then one project's."""
    await add_change(house.core, "bakery", "add-discounts")
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


@pytest.mark.parametrize("tier", list(Tier))
async def test_a_deleted_item_comes_back_as_it_was(
    house: House, http: httpx.AsyncClient, knowledge: Knowledge, tier: Tier
) -> None:
    """BD-528: its counts and evidence too; twice, or over another's key, is refused."""
    await add_change(house.core, "bakery", "add-discounts")
    category = {Tier.TASK: "solution", Tier.PROJECT: "naming", Tier.GLOBAL: "pattern"}[tier]
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
    if tier is not Tier.TASK:
        assert (await http.post(f"{PATH}/restore", json=item | {"id": "x"})).status_code == 409
        endless = item | {"usage_count": 2**70}
        assert (await http.post(f"{PATH}/restore", json=endless)).status_code == 422
    before_time = item | {"created_at": "0001-01-01T00:00:00+14:00"}
    assert (await http.post(f"{PATH}/restore", json=before_time)).status_code == 422
