"""A whole journal, exported and imported as JSON Lines: one experience or one value a line.

An import leaves known ids unchanged, so the same file may be imported twice.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bottega.journal.entries.enums import Axis
from bottega.journal.entries.limits import ClusterId, EntryId, Project, UpTo500, ValueText
from bottega.journal.entries.model import Entry, Resolution
from bottega.journal.entries.schemas import JournalInput, JournalView
from bottega.journal.entries.tiers import grade


class ExperienceLine(Entry):
    kind: Literal["experience"]
    resolution: Resolution

    @classmethod
    def of(cls, entry: Entry) -> "ExperienceLine":
        return cls.model_validate({**dict(entry), "kind": "experience"})

    def entry(self) -> Entry:
        fields = {name: getattr(self, name) for name in Entry.model_fields}
        return grade(Entry.model_validate(fields))


class ValueLine(BaseModel):
    model_config = ConfigDict(extra="forbid", from_attributes=True)

    kind: Literal["value"] = "value"
    id: Annotated[str, Field(pattern=r"^value_[0-9a-f]{32}$")]
    text: ValueText
    axis: Axis
    cluster_id: ClusterId
    cluster_size: Annotated[int, Field(ge=1)]
    similarity_to_centroid: Annotated[float, Field(ge=0, le=1)]
    evidence: list[str] = []
    created_at: AwareDatetime


Line = Annotated[ExperienceLine | ValueLine, Field(discriminator="kind")]


class ImportInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    lines: Annotated[list[Line], Field(max_length=1_000)]


class ExportRequest(JournalInput):
    after: EntryId | None = None
    limit: UpTo500 = 500
    project: Project | None = None


class ExportPage(BaseModel):
    lines: list[Line]
    #: Pass it as `after` for the next page; `None` on the last.
    next: str | None


class Transferred(JournalView):
    imported: int
    skipped: int


class Synced(JournalView):
    stored: int
    failed: dict[str, str]
    reindexed: int
