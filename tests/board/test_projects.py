import asyncio
import shutil
from pathlib import Path

import pytest

from bottega.board.projects import INTERVAL, Projects
from bottega.core.events import Event
from bottega.errors import NotFound
from tests.board.house import BAKERY, House, open_house, write_project


async def test_folders_with_openspec_are_projects_and_others_are_not(tmp_path: Path) -> None:
    """BD-310: sub-folders of PROJECTS_DIR, and the coach's project, if they have `openspec/`."""
    projects = {
        "bakery": BAKERY,
        "plain": {"README.md": "No specs here.\n"},
        ".hidden": BAKERY,
        "outer/inner": BAKERY,
    }
    async with open_house(tmp_path, projects=projects) as house:
        write_project(tmp_path / "project", {"openspec/project.md": "# Own\n"})
        write_project(tmp_path / "elsewhere", BAKERY)
        (house.projects_dir / "link").symlink_to(tmp_path / "elsewhere")
        (house.projects_dir / "file").write_text("")
        result = await Projects(house.core).scan()
        assert [row.name for row in result.projects] == ["bakery", "project"]


async def test_a_project_tells_its_name_place_changes_and_specs(house: House) -> None:
    """BD-311: name, path, openspec path, whether it has active changes, and how many specs."""
    projects = Projects(house.core)
    (bakery,) = (await projects.scan()).projects
    folder = (house.projects_dir / "bakery").resolve()
    assert (bakery.path, bakery.openspec_path) == (str(folder), str(folder / "openspec"))
    assert (bakery.has_active_changes, bakery.spec_count) == (True, 1)
    shutil.rmtree(folder / "openspec/changes/add-discounts")
    (bakery,) = (await projects.scan()).projects
    assert (bakery.has_active_changes, bakery.spec_count) == (False, 1)


async def test_a_project_that_vanishes_comes_back_as_itself(house: House) -> None:
    """BD-312: missing, then back with the same id; a renamed folder is another project."""
    projects = Projects(house.core)
    (before,) = (await projects.scan()).projects
    folder = house.projects_dir / "bakery"
    folder.rename(house.projects_dir / "baker")
    renamed = await projects.scan()
    assert [(row.name, row.missing_since is None) for row in renamed.projects] == [
        ("baker", True),
        ("bakery", False),
    ]
    (house.projects_dir / "baker").rename(folder)
    again = await projects.scan()
    assert again.returned == [str(folder.resolve())]
    assert (await projects.get(before.id)).missing_since is None
    assert await projects.at(folder / "." / "openspec" / "..") is not None


async def test_an_unknown_project_is_said_to_be_unknown(house: House) -> None:
    """BD-313: an unknown project id is a clear error."""
    with pytest.raises(NotFound, match="no project 'nobody'"):
        await Projects(house.core).get("nobody")


async def test_a_projects_folder_that_is_gone_is_no_reason_to_stop(house: House) -> None:
    """BD-314: without the folder there are no projects in it, and the next scan finds them."""
    shutil.rmtree(house.projects_dir)
    projects = Projects(house.core)
    assert (await projects.scan()).projects == []
    write_project(house.projects_dir / "bakery", BAKERY)
    assert [row.name for row in (await projects.scan()).projects] == ["bakery"]


async def test_servers_that_start_together_find_a_project_once(
    tmp_path: Path, database_url: str
) -> None:
    """BD-316: several processes may scan at once; a path is one project."""
    projects = dict.fromkeys(("bakery", "garage", "mill"), BAKERY)
    async with open_house(tmp_path, database_url=database_url, projects=projects) as house:
        await asyncio.gather(*(Projects(house.core).scan() for _ in range(6)))
        listed = await Projects(house.core).list()
        assert [row.name for row in listed] == ["bakery", "garage", "mill"]


async def test_it_looks_again_by_itself(house: House) -> None:
    """BD-315: projects are scanned on start and then at an interval, five minutes by default."""
    assert INTERVAL == 300
    projects = Projects(house.core, interval=0.01)
    await projects.start()
    try:
        assert [row.name for row in await projects.list()] == ["bakery"]
        scanned: asyncio.Queue[Event] = asyncio.Queue()
        house.core.bus.on("specs.scanned", scanned.put_nowait)
        write_project(house.projects_dir / "garage", BAKERY)
        event = await asyncio.wait_for(scanned.get(), 10)
        assert event.payload["found"] == [str((house.projects_dir / "garage").resolve())]
    finally:
        await projects.stop()
