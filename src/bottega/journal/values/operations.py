"""What can be asked about values."""

from datetime import datetime
from typing import TYPE_CHECKING

from bottega.core.operations import Get, McpTool, Post, operation
from bottega.core.rooms import Caller
from bottega.journal.entries.enums import Axis
from bottega.journal.entries.limits import IN_PROJECT, ClusterId, Project, UpTo100, ValueText
from bottega.journal.entries.schemas import JournalInput, JournalView

if TYPE_CHECKING:
    from bottega.journal.service import Journal


class ValidateInput(JournalInput):
    text: ValueText
    cluster_id: ClusterId


class StoreInput(ValidateInput):
    axis: Axis


class ListValuesInput(JournalInput):
    axis: Axis | None = None
    limit: UpTo100 = 20


class ListValuesRequest(ListValuesInput):
    project: Project | None = None


class Validation(JournalView):
    valid: bool
    similarity: float | None
    centroid_distance: float
    threshold_distance: float
    reason: str | None


class ValueView(JournalView):
    id: str
    text: str
    axis: Axis
    cluster_id: str
    cluster_size: int
    similarity_to_centroid: float
    created_at: datetime


class ValueList(JournalView):
    results: list[ValueView]
    count: int


@operation(
    McpTool("validate_value", "Whether a cluster bears out a principle.", read_only=True),
    Post("/journal/values/validate"),
)
async def validate_value(journal: "Journal", asked: ValidateInput, caller: Caller) -> Validation:
    return await journal.values.validate(journal.owner(caller.user_id), asked)


@operation(
    McpTool("store_value", "Keep a principle that is valid."), Post("/journal/values", status=201)
)
async def store_value(journal: "Journal", asked: StoreInput, caller: Caller) -> ValueView:
    return await journal.values.store(journal.owner(caller.user_id), asked)


@operation(
    McpTool("list_values", "Stored principles.", read_only=True, arguments=ListValuesInput),
    Get("/journal/values", describe=IN_PROJECT),
)
async def list_values(journal: "Journal", asked: ListValuesRequest, caller: Caller) -> ValueList:
    """Those of the largest clusters first."""
    return await journal.values.list(journal.owner(caller.user_id, asked.project), asked)
