"""Changes that meet: they alter the same requirement, or one names the other."""

from collections.abc import Iterable

from bottega.board.changes.views import Overlap
from bottega.board.enums import ChangeStatus
from bottega.board.tables import Change


def find_overlaps(change: Change, others: Iterable[Change]) -> list[Overlap]:
    """With the open changes of its project, in their order."""
    found: list[Overlap] = []
    for other in others:
        if other.id == change.id or not _is_open(other):
            continue
        shared = sorted(set(change.touches) & set(other.touches))
        named = other.id in change.references or change.id in other.references
        if shared or named:
            found.append(
                Overlap(
                    change_id=other.id,
                    title=other.title,
                    status=ChangeStatus(other.status),
                    requirements=shared,
                    named=named,
                )
            )
    return found


def _is_open(change: Change) -> bool:
    return change.status != ChangeStatus.ARCHIVED and change.missing_since is None
