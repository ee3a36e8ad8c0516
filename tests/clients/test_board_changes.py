"""The board's gates with the real `openspec` program behind them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.board.changes.lifecycle import move
from bottega.board.changes.schemas import ChangeEdit
from bottega.board.enums import Actor, ChangeStatus
from bottega.board.repository import changes as repository
from bottega.errors import InvalidInput
from tests.board.desk import ID, Desk, open_desk
from tests.board.house import open_house
from tests.clients.test_openspec import home, program

__all__ = ["home", "program"]

pytestmark = pytest.mark.clients

ME = "local"


@pytest.fixture
async def desk(tmp_path: Path, program: str) -> AsyncIterator[Desk]:
    async with open_house(tmp_path) as house, open_desk(house, program) as desk:
        yield desk


async def test_an_applied_change_is_archived_by_the_program(desk: Desk) -> None:
    """BD-348: applied → archived runs `openspec archive`, which merges the deltas."""
    changes, project = desk.changes, desk.project.id
    assert (await changes.approve(project, ID, ME)).status == "approved"
    async with desk.house.core.database.write() as session:
        row = await repository.hold(session, project, ID)
        for state in (ChangeStatus.ASSIGNED, ChangeStatus.IN_PROGRESS, ChangeStatus.REVIEW):
            await move(session, row, state, Actor.AGENT)
    await changes.tick(project, ID, ["1", "2", "3"])
    await changes.apply(project, ID, ME)
    archived = await changes.archive(project, ID, ME, "Done.")
    assert archived.status == "archived"
    main = Path(desk.project.path) / "openspec/specs/orders/spec.md"
    assert "### Requirement: Discounts" in main.read_text()
    assert not (desk.folder / ID).exists()
    assert (desk.folder / "archive" / (archived.archive_name or "") / "proposal.md").is_file()
    assert (await changes.show(project, ID)).proposal_content == archived.proposal_content
    last = (await changes.history(project, ID))[-1]
    assert (last.to_state, last.triggered_by, last.notes) == ("archived", "user", "Done.")


async def test_the_program_has_its_say_on_an_approval(desk: Desk) -> None:
    """BD-341: where the program is installed its verdict counts too."""
    assert (await desk.changes.validation(desk.project.id, ID)).checked_by_openspec
    name = "specs/orders/spec.md"
    shown = await desk.changes.show(desk.project.id, ID)
    wrong = ChangeEdit(
        texts={name: shown.specs["orders"].replace("SHALL", "may")},
        base_hashes={name: shown.hashes[name]},
    )
    await desk.changes.edit(desk.project.id, ID, wrong, ME)
    with pytest.raises(InvalidInput, match="not valid yet"):
        await desk.changes.approve(desk.project.id, ID, ME)


async def test_a_rejected_change_leaves_no_trace_in_the_specs(desk: Desk) -> None:
    """BD-346: reject runs `openspec archive --skip-specs`, and moves what is not valid itself."""
    main = Path(desk.project.path) / "openspec/specs/orders/spec.md"
    before = main.read_text()
    (desk.folder / ID / "specs/orders/spec.md").write_text("Nothing of use.\n")
    rejected = await desk.changes.reject(desk.project.id, ID, ME, "No.")
    assert (rejected.status, rejected.rejection_reason) == ("archived", "No.")
    assert main.read_text() == before
    assert (desk.folder / "archive" / (rejected.archive_name or "")).is_dir()
