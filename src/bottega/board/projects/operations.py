"""What can be asked of projects and their main specs."""

from typing import TYPE_CHECKING

from bottega.board.projects.schemas import (
    ProjectList,
    ProjectRequest,
    ProjectView,
    ScanView,
    SpecList,
    SpecRequest,
    SpecSummary,
    SpecView,
)
from bottega.core.operations import Get, Post, operation

if TYPE_CHECKING:
    from bottega.board.service import Board


@operation(Get("/projects"))
async def list_projects(board: "Board") -> ProjectList:
    """Every directory with OpenSpec in it, by name; the missing ones too."""
    rows = await board.projects.list()
    return ProjectList(projects=[ProjectView.model_validate(row) for row in rows])


@operation(Post("/projects/scan"))
async def scan_projects(board: "Board") -> ScanView:
    """Look for projects now, rather than within five minutes."""
    result = await board.projects.scan()
    return ScanView(
        projects=[ProjectView.model_validate(row) for row in result.projects],
        found=list(result.found),
        returned=list(result.returned),
        vanished=list(result.vanished),
    )


@operation(Get("/projects/{project_id}/specs"))
async def list_specs(board: "Board", asked: ProjectRequest) -> SpecList:
    """The main specs: what the project does today."""
    project = await board.projects.get(asked.project_id)
    specs = await board.sync.of(project).openspec.specs()
    return SpecList(specs=[SpecSummary.model_validate(spec) for spec in specs])


@operation(Get("/projects/{project_id}/specs/{spec:path}"))
async def show_spec(board: "Board", asked: SpecRequest) -> SpecView:
    """One capability with its requirements and their scenarios."""
    project = await board.projects.get(asked.project_id)
    return SpecView.model_validate(await board.sync.of(project).openspec.spec(asked.spec))
