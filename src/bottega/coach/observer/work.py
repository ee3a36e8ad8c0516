"""What was done to each file, put together from the action log and the observer's own counts."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bottega.coach.observer.belonging import is_expected, is_test
from bottega.coach.observer.context import Change, FileWork
from bottega.coach.observer.state import EditCount
from bottega.core.actions import Action, ActionType

#: What says something about the work on a file.
WORK_TYPES = (
    ActionType.FILE_SAVE,
    ActionType.BUFFER_SUMMARY,
    ActionType.BUFFER_SIGNIFICANT_CHANGE,
)
#: Older changes say nothing about going in circles now.
KEPT_CHANGES = 8


@dataclass(slots=True)
class _Tally:
    edits: int = 0
    saves: int = 0
    last: float = 0.0
    changes: list[Change] = field(default_factory=list)

    def add(self, action: Action, data: Mapping[str, Any]) -> None:
        self.last = max(self.last, action.created_at.timestamp())
        if action.action_type == ActionType.FILE_SAVE:
            self.saves += 1
            return
        # A jump in size is logged without its edits: it was one at least.
        change = Change(
            edits=int(data.get("editCount", 1)),
            chars=int(data.get("charDelta", data.get("delta", 0))),
        )
        self.edits += change.edits
        self.changes.append(change)


def path_of(action: Action) -> str | None:
    """The file that an action is about, if it is about one."""
    data = action.data or {}
    path = data.get("path") or data.get("toPath")
    return path if isinstance(path, str) else None


def work_on_files(
    actions: Iterable[Action],
    edits: Mapping[str, EditCount],
    *,
    unsaved: Collection[str],
    expected: Collection[str],
    now: float,
) -> list[FileWork]:
    """`actions` oldest first. The file touched last comes first."""
    tallies: dict[str, _Tally] = {}
    for action in actions:
        if path := path_of(action):
            tallies.setdefault(path, _Tally()).add(action, action.data or {})
    for path, counted in edits.items():
        tally = tallies.setdefault(path, _Tally())
        # Ours are exact, the log's survive a restart.
        tally.edits = max(tally.edits, counted.count)
        tally.last = max(tally.last, counted.last)
    newest_first = sorted(tallies.items(), key=lambda item: item[1].last, reverse=True)
    return [
        FileWork(
            path=path,
            is_expected=is_expected(path, expected),
            is_test=is_test(path),
            edits=tally.edits,
            changes=tally.changes[-KEPT_CHANGES:],
            saves=tally.saves,
            is_unsaved=path in unsaved,
            quiet_for=max(0, int(now - tally.last)),
        )
        for path, tally in newest_first
    ]
