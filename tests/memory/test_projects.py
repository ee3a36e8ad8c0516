"""One project, however it is named."""

import subprocess
from pathlib import Path

import pytest

from bottega.memory.projects import identify
from bottega.memory.schemas import MemoryFilter, MemoryInput, NewMemory
from tests.memory.builders import MemoryApp

SHOP = "/home/u/shop"
SPELLINGS = [SHOP, f"{SHOP}/", "shop"]
FACT = "The till prints receipts in two languages"


async def reached(app: MemoryApp, project: str) -> set[tuple[str, ...]]:
    """What recall, a query and a list find under that name."""
    recalled = await app.memory.recall.recall("receipts", project=project)
    queried = await app.memories.query_memories("receipts", project=project)
    listed = await app.memories.list(MemoryFilter(project=project))
    return {
        tuple(ranked.item.content for ranked in recalled.ranked),
        tuple(result.content for result in queried),
        tuple(memory.content for memory in listed.items),
    }


@pytest.mark.parametrize("told", SPELLINGS)
@pytest.mark.parametrize("asked", SPELLINGS)
async def test_a_path_with_a_slash_one_without_and_the_name_reach_the_same(
    app: MemoryApp, told: str, asked: str
) -> None:
    await app.memories.add(NewMemory(content=FACT, project=told))
    assert await reached(app, asked) == {(FACT,)}


async def test_another_folder_of_the_same_name_is_another_project(app: MemoryApp) -> None:
    await app.memories.add_memories([MemoryInput(content=FACT)], "s1", SHOP)
    assert await reached(app, "/home/v/shop") == {()}
    assert await reached(app, "bookshop") == {()}
    assert await reached(app, "/home/u/shop/till") == {()}


async def test_the_same_text_under_two_spellings_is_merged(app: MemoryApp) -> None:
    first = await app.memories.add(NewMemory(content=FACT, project=SHOP))
    again = await app.memories.add(NewMemory(content=FACT, project=f"{SHOP}/"))
    assert (again.admission, again.id, again.project) == ("merged", first.id, SHOP)


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=u", "-c", "user.email=u@example.org")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


async def test_a_worktree_is_its_repositorys_project(app: MemoryApp, tmp_path: Path) -> None:
    shop, other = tmp_path / "shop", tmp_path / "shop-discounts"
    (shop / "till").mkdir(parents=True)
    (shop / "till" / "receipts.py").write_text("LANGUAGES = 2\n")
    git(shop, "init", "-q")
    git(shop, "add", ".")
    git(shop, "commit", "-q", "-m", "first")
    git(shop, "worktree", "add", "-q", str(other))
    await app.memories.add(NewMemory(content=FACT, project=str(other)))
    for asked in (shop, other):
        assert await reached(app, str(asked)) == {(FACT,)}
    assert await identify(str(other / "till")) == str(shop / "till")
    assert await identify(str(shop / "till")) == str(shop / "till")
