"""The board's gates with the real `openspec` program behind them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.board.changes import repository as repository
from bottega.board.changes.lifecycle import move
from bottega.board.changes.schemas import ChangeEdit
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.errors import InvalidInput
from tests.board.builders import open_board
from tests.board.project_board import ID, ProjectBoard, open_project_board
from tests.clients.test_openspec import home, program

__all__ = ["home", "program"]

pytestmark = pytest.mark.clients

ME = "local"


@pytest.fixture
async def board(tmp_path: Path, program: str) -> AsyncIterator[ProjectBoard]:
    async with open_board(tmp_path) as app, open_project_board(app, program) as board:
        yield board


@pytest.mark.requirement("BD-348")
async def test_an_applied_change_is_archived_by_the_program(board: ProjectBoard) -> None:
    """Applied → archived runs `openspec archive`, which merges the deltas."""
    changes, project = board.changes, board.project.id
    assert (await changes.approve(project, ID, ME)).status == "approved"
    async with board.app.core.database.write() as session:
        row = await repository.hold(session, project, ID)
        for state in (ChangeStatus.ASSIGNED, ChangeStatus.IN_PROGRESS, ChangeStatus.REVIEW):
            await move(session, row, state, Actor.AGENT)
    await changes.tick(project, ID, ["1", "2", "3"])
    await changes.apply(project, ID, ME)
    archived = await changes.archive(project, ID, ME, "Done.")
    assert archived.status == "archived"
    main = Path(board.project.path) / "openspec/specs/orders/spec.md"
    assert "### Requirement: Discounts" in main.read_text()
    assert not (board.folder / ID).exists()
    assert (board.folder / "archive" / (archived.archive_name or "") / "proposal.md").is_file()
    assert (await changes.show(project, ID)).proposal_content == archived.proposal_content
    last = (await changes.history(project, ID))[-1]
    assert (last.to_state, last.triggered_by, last.notes) == ("archived", "user", "Done.")


@pytest.mark.requirement("BD-341")
async def test_the_program_has_its_say_on_an_approval(board: ProjectBoard) -> None:
    """Where the program is installed its verdict counts too."""
    assert (await board.changes.validation(board.project.id, ID)).checked_by_openspec
    name = "specs/orders/spec.md"
    shown = await board.changes.show(board.project.id, ID)
    wrong = ChangeEdit(
        texts={name: shown.specs["orders"].replace("SHALL", "may")},
        base_hashes={name: shown.hashes[name]},
    )
    await board.changes.edit(board.project.id, ID, wrong, ME)
    with pytest.raises(InvalidInput, match="not valid yet"):
        await board.changes.approve(board.project.id, ID, ME)


@pytest.mark.requirement("BD-346")
async def test_a_rejected_change_leaves_no_trace_in_the_specs(board: ProjectBoard) -> None:
    """Reject runs `openspec archive --skip-specs`, and moves what is not valid itself."""
    main = Path(board.project.path) / "openspec/specs/orders/spec.md"
    before = main.read_text()
    (board.folder / ID / "specs/orders/spec.md").write_text("Nothing of use.\n")
    rejected = await board.changes.reject(board.project.id, ID, ME, "No.")
    assert (rejected.status, rejected.rejection_reason) == ("archived", "No.")
    assert main.read_text() == before
    assert (board.folder / "archive" / (rejected.archive_name or "")).is_dir()
