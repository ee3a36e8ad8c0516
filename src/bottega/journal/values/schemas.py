"""What callers send and get for values."""

from datetime import datetime

from bottega.journal.entries.enums import Axis
from bottega.journal.entries.limits import ClusterId, Project, UpTo100, ValueText
from bottega.journal.entries.schemas import JournalInput, JournalView


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
