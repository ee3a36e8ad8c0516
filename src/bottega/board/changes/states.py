"""The states of a change, and who may move it from which to which."""

from enum import StrEnum


class ChangeStatus(StrEnum):
    """Where a change is on its way. Into `approved` and into `applied` only a person lets it."""

    PROPOSING = "proposing"
    APPROVED = "approved"
    ASSIGNED = "assigned"
    IN_PROGRESS = "in_progress"
    REVIEW = "review"
    APPLIED = "applied"
    ARCHIVED = "archived"


#: What is listed if no status is asked for.
OPEN_STATUSES = tuple(status for status in ChangeStatus if status is not ChangeStatus.ARCHIVED)


class Actor(StrEnum):
    """Who moved a change."""

    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


PROPOSING, APPROVED, ASSIGNED, IN_PROGRESS, REVIEW, APPLIED, ARCHIVED = ChangeStatus

#: A session holds a lease on it.
LEASED = frozenset({ASSIGNED, IN_PROGRESS})

Move = tuple[ChangeStatus, ChangeStatus]

_RELEASES: frozenset[Move] = frozenset({(ASSIGNED, APPROVED), (IN_PROGRESS, APPROVED)})
_FINISHES: frozenset[Move] = frozenset({(ASSIGNED, REVIEW), (IN_PROGRESS, REVIEW)})

LEGAL: dict[Actor, frozenset[Move]] = {
    Actor.USER: _RELEASES
    | _FINISHES
    | {
        (PROPOSING, APPROVED),
        (APPROVED, PROPOSING),
        (PROPOSING, ARCHIVED),
        (REVIEW, IN_PROGRESS),
        (REVIEW, APPROVED),
        (REVIEW, APPLIED),
        (APPLIED, ARCHIVED),
    },
    Actor.AGENT: _RELEASES
    | _FINISHES
    | {(APPROVED, ASSIGNED), (ASSIGNED, IN_PROGRESS), (REVIEW, IN_PROGRESS)},
    Actor.SYSTEM: _RELEASES
    | _FINISHES
    # Its test failed again.
    | {(REVIEW, APPROVED), (APPLIED, APPROVED)}
    # What was found on disk.
    | {(status, ARCHIVED) for status in ChangeStatus if status is not ARCHIVED}
    | {(ARCHIVED, PROPOSING)},
}


def legal_moves(status: str, by: Actor) -> list[ChangeStatus]:
    """Where that actor may move a change from here."""
    return [to for to in ChangeStatus if (status, to) in LEGAL[by]]
