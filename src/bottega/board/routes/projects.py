"""Projects and their specs over HTTP: `/api/projects`."""

from collections import Counter

from fastapi import APIRouter

from bottega.board.changes.changes import Changes
from bottega.board.changes.views import (
    AppliedList,
    AppliedView,
    ProjectDetail,
    ProjectList,
    ProjectView,
    RequirementView,
    ScanView,
    SpecList,
    SpecSummary,
    SpecView,
)
from bottega.board.openspec import Spec
from bottega.board.projects import Projects
from bottega.board.syncing.sync import Sync


def router(projects: Projects, sync: Sync, changes: Changes) -> APIRouter:
    routes = APIRouter(prefix="/projects", tags=["board"])
    add_projects(routes, projects, sync, changes)
    add_specs(routes, projects, sync, changes)
    return routes


def add_projects(routes: APIRouter, projects: Projects, sync: Sync, changes: Changes) -> None:
    @routes.get("")
    async def list_projects() -> ProjectList:
        """Every directory with OpenSpec in it, by name; the missing ones too."""
        rows = await projects.list()
        return ProjectList(projects=[ProjectView.model_validate(row) for row in rows])

    @routes.post("/scan")
    async def scan_projects() -> ScanView:
        """Look for projects now, rather than within five minutes."""
        result = await projects.scan()
        return ScanView(
            projects=[ProjectView.model_validate(row) for row in result.projects],
            found=list(result.found),
            returned=list(result.returned),
            vanished=list(result.vanished),
        )

    @routes.get("/{project_id}")
    async def show_project(project_id: str) -> ProjectDetail:
        """One project, its changes counted, and whether OpenSpec's program is there."""
        row = await projects.get(project_id)
        cli = sync.of(row).cli
        counts = Counter(change.status for change in await changes.list(project_id))
        return ProjectDetail(
            **ProjectView.model_validate(row).model_dump(),
            changes=dict(counts),
            openspec_installed=cli.available,
            note=None if cli.available else cli.how_to_install,
        )


def add_specs(routes: APIRouter, projects: Projects, sync: Sync, changes: Changes) -> None:
    @routes.get("/{project_id}/specs")
    async def list_specs(project_id: str) -> SpecList:
        """The main specs: what the project does today."""
        specs = await sync.of(await projects.get(project_id)).openspec.specs()
        return SpecList(specs=[SpecSummary.model_validate(_summary(spec)) for spec in specs])

    @routes.get("/{project_id}/specs/{spec:path}")
    async def show_spec(project_id: str, spec: str) -> SpecView:
        """One capability with its requirements and their scenarios."""
        found = await sync.of(await projects.get(project_id)).openspec.spec(spec)
        return SpecView.model_validate(
            {
                **_summary(found),
                "content": found.file.text,
                "requirements": [RequirementView.model_validate(one) for one in found.requirements],
            }
        )

    @routes.get("/{project_id}/applied")
    async def list_applied(project_id: str) -> AppliedList:
        """Which changes brought what into the specs, newest first."""
        rows = await changes.applied(project_id)
        return AppliedList(applied=[AppliedView.model_validate(row) for row in rows])


def _summary(spec: Spec) -> dict[str, object]:
    return {
        "id": spec.id,
        "title": spec.title,
        "purpose": spec.purpose,
        "requirement_count": len(spec.requirements),
    }
