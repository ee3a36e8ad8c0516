import asyncio
import shutil
from pathlib import Path

import pytest

from bottega.board.projects.service import INTERVAL, Projects
from bottega.core.events import Event
from bottega.errors import NotFound
from tests.board.builders import BAKERY, BoardApp, open_board, write_project


@pytest.mark.requirement("BD-310")
async def test_folders_with_openspec_are_projects_and_others_are_not(tmp_path: Path) -> None:
    """Sub-folders of PROJECTS_DIR, and the coach's project, if they have `openspec/`."""
    projects = {
        "bakery": BAKERY,
        "plain": {"README.md": "No specs here.\n"},
        ".hidden": BAKERY,
        "outer/inner": BAKERY,
    }
    async with open_board(tmp_path, projects=projects) as app:
        write_project(tmp_path / "project", {"openspec/project.md": "# Own\n"})
        write_project(tmp_path / "elsewhere", BAKERY)
        (app.projects_dir / "link").symlink_to(tmp_path / "elsewhere")
        (app.projects_dir / "file").write_text("")
        result = await Projects(app.core).scan()
        assert [row.name for row in result.projects] == ["bakery", "project"]


@pytest.mark.requirement("BD-311")
async def test_a_project_tells_its_name_place_changes_and_specs(app: BoardApp) -> None:
    """Name, path, openspec path, whether it has active changes, and how many specs."""
    projects = Projects(app.core)
    (bakery,) = (await projects.scan()).projects
    folder = (app.projects_dir / "bakery").resolve()
    assert (bakery.path, bakery.openspec_path) == (str(folder), str(folder / "openspec"))
    assert (bakery.has_active_changes, bakery.spec_count) == (True, 1)
    shutil.rmtree(folder / "openspec/changes/add-discounts")
    (bakery,) = (await projects.scan()).projects
    assert (bakery.has_active_changes, bakery.spec_count) == (False, 1)


@pytest.mark.requirement("BD-312")
async def test_a_project_that_vanishes_comes_back_as_itself(app: BoardApp) -> None:
    """Missing, then back with the same id; a renamed folder is another project."""
    projects = Projects(app.core)
    (before,) = (await projects.scan()).projects
    folder = app.projects_dir / "bakery"
    folder.rename(app.projects_dir / "baker")
    renamed = await projects.scan()
    assert [(row.name, row.missing_since is None) for row in renamed.projects] == [
        ("baker", True),
        ("bakery", False),
    ]
    (app.projects_dir / "baker").rename(folder)
    again = await projects.scan()
    assert again.returned == [str(folder.resolve())]
    assert (await projects.get(before.id)).missing_since is None


@pytest.mark.requirement("BD-313")
async def test_an_unknown_project_is_said_to_be_unknown(app: BoardApp) -> None:
    """An unknown project id is a clear error."""
    with pytest.raises(NotFound, match="no project 'nobody'"):
        await Projects(app.core).get("nobody")


@pytest.mark.requirement("BD-314")
async def test_a_projects_folder_that_is_gone_is_no_reason_to_stop(app: BoardApp) -> None:
    """Without the folder there are no projects in it, and the next scan finds them."""
    shutil.rmtree(app.projects_dir)
    projects = Projects(app.core)
    assert (await projects.scan()).projects == []
    write_project(app.projects_dir / "bakery", BAKERY)
    assert [row.name for row in (await projects.scan()).projects] == ["bakery"]


@pytest.mark.requirement("BD-316")
async def test_servers_that_start_together_find_a_project_once(
    tmp_path: Path, database_url: str
) -> None:
    """Several processes may scan at once; a path is one project."""
    projects = dict.fromkeys(("bakery", "garage", "mill"), BAKERY)
    async with open_board(tmp_path, database_url=database_url, projects=projects) as app:
        await asyncio.gather(*(Projects(app.core).scan() for _ in range(6)))
        listed = await Projects(app.core).list()
        assert [row.name for row in listed] == ["bakery", "garage", "mill"]


@pytest.mark.requirement("BD-315")
async def test_it_looks_again_by_itself(app: BoardApp) -> None:
    """Projects are scanned on start and then at an interval, five minutes by default."""
    assert INTERVAL == 300
    projects = Projects(app.core, interval=0.01)
    await projects.start()
    try:
        assert [row.name for row in await projects.list()] == ["bakery"]
        scanned: asyncio.Queue[Event] = asyncio.Queue()
        app.core.bus.on("specs.scanned", scanned.put_nowait)
        write_project(app.projects_dir / "garage", BAKERY)
        event = await asyncio.wait_for(scanned.get(), 10)
        assert event.payload["found"] == [str((app.projects_dir / "garage").resolve())]
    finally:
        await projects.stop()
