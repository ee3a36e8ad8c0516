"""Projects and their main specs as every door shows them."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class RowView(BaseModel):
    """What is shown of a row: made from its attributes."""

    model_config = ConfigDict(from_attributes=True)


class ProjectView(RowView):
    id: str
    name: str
    path: str
    openspec_path: str
    has_active_changes: bool
    spec_count: int
    scanned_at: datetime
    missing_since: datetime | None


class ProjectList(BaseModel):
    projects: list[ProjectView]


class ScanView(ProjectList):
    found: list[str]
    returned: list[str]
    vanished: list[str]


class ScenarioView(RowView):
    name: str
    text: str


class RequirementView(RowView):
    name: str
    text: str
    line: int
    scenarios: list[ScenarioView]


class SpecSummary(RowView):
    id: str
    title: str
    purpose: str
    requirement_count: int


class SpecList(BaseModel):
    specs: list[SpecSummary]


class SpecView(SpecSummary):
    content: str
    requirements: list[RequirementView]


class ProjectRequest(BaseModel):
    project_id: str


class SpecRequest(ProjectRequest):
    spec: str
