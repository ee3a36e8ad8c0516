"""Why there is no work, or why one change waits, in plain words."""

from collections.abc import Mapping, Sequence

from bottega.board.tables import Change, Project

#: Names listed before the rest is only counted.
NAMED = 3


def no_work(
    project: Project, in_the_way: Mapping[str, Sequence[str]], in_disorder: Sequence[str]
) -> str:
    """`in_the_way`: for each approved change, those under way that it must wait for."""
    if project.missing_since is not None:
        return f"The folder of {project.name} is gone, so none of its work is handed out."
    if not in_the_way and not in_disorder:
        return f"Nothing is approved in {project.name}. A person approves proposals on the board."
    reasons: list[str] = []
    if in_the_way:
        busy = sorted({other for others in in_the_way.values() for other in others})
        reasons.append(f"{len(in_the_way)} waiting behind overlaps with {listed(busy)}.")
    if in_disorder:
        reasons.append(
            f"{len(in_disorder)} not handed out because of their files: {listed(in_disorder)}."
        )
    return " ".join(reasons)


def reason_to_wait(change: Change, in_the_way: Sequence[str]) -> str | None:
    if change.missing_since is not None:
        return "Its folder is gone from the disk."
    if change.sync_error is not None:
        return change.sync_error
    if in_the_way:
        return f"Overlaps with {listed(in_the_way)}, which is under way."
    return None


def listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"
