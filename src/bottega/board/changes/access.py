"""Opening a change: its project, its files, its row."""

from dataclasses import dataclass

from bottega.board.changes import repository
from bottega.board.changes.schemas import ChangeView, IssueView, TaskView, ValidationView
from bottega.board.changes.states import Actor, ChangeStatus, legal_moves
from bottega.board.changes.sync import Sync, SyncedProject
from bottega.board.changes.tables import Change
from bottega.board.changes.texts import hash_of, stored_texts
from bottega.board.openspec.cli import HOW_TO_INSTALL
from bottega.board.openspec.tasks import parse_tasks
from bottega.board.openspec.texts import Issue, Level, Validation
from bottega.board.projects.service import Projects
from bottega.board.projects.tables import Project
from bottega.core.services import Core
from bottega.errors import BottegaError, Conflict, NotFound


@dataclass(frozen=True, slots=True)
class OpenProject:
    project: Project
    files: SyncedProject


class ChangeAccess:
    def __init__(self, core: Core, projects: Projects, sync: Sync) -> None:
        self._database = core.database
        self._bus = core.bus
        self._projects = projects
        self._sync = sync

    async def find(self, id: str, project_id: str | None = None) -> Change:
        """A change by its id; without its project only if no other project has that id."""
        await self._sync.settled()
        async with self._database.read() as session:
            if project_id is not None:
                return await repository.get(session, project_id, id)
            found = await repository.named(session, id)
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotFound(f"There is no change {id!r}. List the changes to see their ids.")
        names = [(await self._projects.get(row.project_id)).name for row in found]
        raise Conflict(
            f"{len(found)} projects have a change {id!r}: {', '.join(sorted(names))}. Say which by "
            "its project_id.",
            valid_options=[row.project_id for row in found],
        )

    async def validation(self, project_id: str, id: str) -> ValidationView:
        """Our verdict and, where it is installed, the OpenSpec program's."""
        files = (await self._open(project_id)).files
        gone = _why_gone(await self._row(project_id, id))
        return _verdict(gone, None, None) if gone else await self._validate(files, id)

    async def _open(self, project_id: str) -> OpenProject:
        project = await self._projects.get(project_id)
        if project.missing_since is not None:
            raise Conflict(
                f"The directory of the project {project.name!r} is gone: {project.path}. Put it "
                "back and scan again."
            )
        return OpenProject(project, self._sync.of(project))

    async def _row(self, project_id: str, id: str) -> Change:
        async with self._database.read() as session:
            return await repository.get(session, project_id, id)

    async def _validate(
        self, files: SyncedProject, id: str, *, quickly: bool = False
    ) -> ValidationView:
        """Validate by our rules and, unless `quickly`, by the OpenSpec program, a second's work."""
        ours = await files.openspec.validate(id)
        if not files.cli.available:
            note = f"The OpenSpec program is not installed. {HOW_TO_INSTALL}"
            return _verdict(ours, None, note)
        if quickly:
            return _verdict(ours, None, None)
        try:
            return _verdict(ours, await files.cli.validate(id), None)
        except BottegaError as error:
            return _verdict(ours, None, error.message)


def show_change(row: Change) -> ChangeView:
    hashes = {name: hash_of(text) for name, text in stored_texts(row).items()}
    own = {name: getattr(row, name) for name in ChangeView.model_fields if hasattr(row, name)}
    return ChangeView(
        **own,
        tasks=[TaskView.model_validate(task) for task in parse_tasks(row.tasks_content)],
        hashes={name: found for name, found in hashes.items() if found},
        moves=legal_moves(ChangeStatus(row.status), Actor.USER),
    )


def _why_gone(row: Change) -> Validation | None:
    """The verdict on a change that has no files to validate; None if it has."""
    if row.status == ChangeStatus.ARCHIVED:
        message = "It is archived; nothing of it is checked any more."
    elif row.missing_since is not None:
        message = "Its directory is gone. Restore one of its revisions to bring it back."
    else:
        return None
    return Validation(False, (Issue(Level.ERROR, "", None, message),))


def _verdict(ours: Validation, theirs: Validation | None, note: str | None) -> ValidationView:
    """Both verdicts in one: valid only if both say so, with the issues of both."""
    issues = dict.fromkeys([*(theirs.issues if theirs else ()), *ours.issues])
    return ValidationView(
        valid=ours.valid and (theirs is None or theirs.valid),
        issues=[IssueView.model_validate(issue) for issue in issues],
        checked_by_openspec=theirs is not None,
        note=note,
    )
