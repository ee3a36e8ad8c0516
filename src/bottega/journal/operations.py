"""What can be asked of the journal as a whole: to sync it, and to export and import it.

It is exported as JSON Lines, one experience or one value a line. An import leaves known ids
unchanged, so the same file may be imported twice.
"""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AwareDatetime, BaseModel, Field

from bottega.core.operations import Get, Post, operation
from bottega.core.rooms import Caller
from bottega.journal.entries.enums import Axis
from bottega.journal.entries.limits import (
    IN_PROJECT,
    ClusterId,
    EntryId,
    Project,
    UpTo500,
    ValueText,
)
from bottega.journal.entries.model import Entry, Resolution, grade
from bottega.journal.entries.schemas import JournalInput, JournalView

if TYPE_CHECKING:
    from bottega.journal.service import Journal


class ExperienceLine(Entry):
    kind: Literal["experience"]
    resolution: Resolution

    @classmethod
    def of(cls, entry: Entry) -> "ExperienceLine":
        return cls.model_validate({**dict(entry), "kind": "experience"})

    def entry(self) -> Entry:
        fields = {name: getattr(self, name) for name in Entry.model_fields}
        return grade(Entry.model_validate(fields))


class ValueLine(BaseModel, extra="forbid", from_attributes=True):
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


class ImportInput(BaseModel, extra="forbid"):
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


@operation(Post("/journal/sync"))
async def sync(journal: "Journal", caller: Caller) -> Synced:
    """Store what was resolved but not stored, and make lost vectors again."""
    return await journal.sync([caller.user_id])


@operation(Get("/journal/export", describe=IN_PROJECT))
async def export(journal: "Journal", asked: ExportRequest, caller: Caller) -> ExportPage:
    """Every experience, a page at a time, and on the last page every value."""
    owner = journal.owner(caller.user_id, asked.project)
    return await journal.export(owner, asked.after, asked.limit)


@operation(Post("/journal/import"))
async def import_lines(journal: "Journal", asked: ImportInput, caller: Caller) -> Transferred:
    """Add what was exported. Known ids are left as they are."""
    return await journal.import_(journal.owner(caller.user_id), asked.lines)
