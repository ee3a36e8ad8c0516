"""A journal out and in, as JSON Lines: one experience or one value a line.

What comes out goes in again as it was. Ids that are known already are left as they are, so that a
file may be imported twice.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bottega.core.database import Database
from bottega.journal import repository
from bottega.journal.entry import Entry, Resolution
from bottega.journal.enums import Axis
from bottega.journal.limits import ClusterId, ValueText
from bottega.journal.persister import Persister
from bottega.journal.repository import Owner
from bottega.journal.rows import as_entry
from bottega.journal.tables import Value
from bottega.journal.tiers import graded
from bottega.journal.values import Values
from bottega.journal.views import Transferred


class ExperienceLine(Entry):
    kind: Literal["experience"]
    resolution: Resolution


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


class ExportPage(BaseModel):
    lines: list[Line]
    #: Pass it as `after` for the next page; `None` on the last.
    next: str | None


class Transfer:
    def __init__(self, database: Database, persister: Persister, values: Values) -> None:
        self._database = database
        self._persister = persister
        self._values = values

    async def export(self, owner: Owner, after: str | None, limit: int) -> ExportPage:
        """Experiences in order of id, and after the last of them every value."""
        async with self._database.read() as session:
            rows = await repository.page(session, owner, after, limit)
            is_last = len(rows) < limit
            values = await repository.all_values(session, owner) if is_last else []
        experiences = [_experience_line(as_entry(row)) for row in rows]
        return ExportPage(
            lines=[*experiences, *(ValueLine.model_validate(value) for value in values)],
            next=None if is_last else rows[-1].id,
        )

    async def import_(self, owner: Owner, lines: Sequence[Line]) -> Transferred:
        entries = [_entry(line) for line in lines if isinstance(line, ExperienceLine)]
        imported = await self._persister.add(owner, entries)
        for line in lines:
            if isinstance(line, ValueLine) and not await self._is_known(line.id):
                said = line.model_dump(exclude={"kind"})
                await self._values.add(Value(user_id=owner.user_id, project=owner.project, **said))
                imported += 1
        return Transferred(imported=imported, skipped=len(lines) - imported)

    async def _is_known(self, value_id: str) -> bool:
        async with self._database.read() as session:
            return await session.get(Value, value_id) is not None


def _experience_line(entry: Entry) -> ExperienceLine:
    return ExperienceLine.model_validate({**dict(entry), "kind": "experience"})


def _entry(line: ExperienceLine) -> Entry:
    said = {name: getattr(line, name) for name in Entry.model_fields}
    return graded(Entry.model_validate(said))
