"""Edits of one file that go in circles: it is changed again and again, and little comes of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bottega.coach.observer.context import FileChange

#: Changes in a row that take each other back, or have no effect, before it looks like a loop.
LOOP_CHANGES = 3
#: A summary with fewer edits is a touch, not a struggle.
STRUGGLE_EDITS = 5
#: Characters by which a change must grow or shrink a file to be a swing.
SWING_CHARS = 20
#: So many edits in all that leave the file no more than so many characters longer or shorter.
MANY_EDITS, SMALL_GAIN = 30, 30


@dataclass(frozen=True, slots=True)
class EditLoop:
    path: str
    rounds: int
    edits: int
    #: By how many characters the file grew or shrank through it all.
    gain: int
    #: How many of the changes are part of the loop.
    length: int = field(default=0, compare=False)
    #: Whether it grows and shrinks by turns, rather than hardly changing at all.
    swings: bool = field(default=False, compare=False)


def find_edit_loop(path: str, changes: Sequence[FileChange]) -> EditLoop | None:
    """The loop that a file's changes, oldest first, are part of; None if they get somewhere."""
    turns = _turns(changes)
    length = max(turns, _standstill(changes), _fruitless(changes))
    if length < LOOP_CHANGES:
        return None
    edits, gain = sum(each.edits for each in changes), sum(each.chars for each in changes)
    return EditLoop(path, len(changes), edits, gain, length, swings=turns == length)


def _turns(changes: Sequence[FileChange]) -> int:
    """How often growing turned into shrinking or back, where little came of it."""
    swings = [change.chars for change in changes if abs(change.chars) >= SWING_CHARS]
    if not swings or abs(sum(swings)) > 0.25 * sum(map(abs, swings)):
        return 0
    return sum((before > 0) != (after > 0) for before, after in pairwise(swings))


def _standstill(changes: Sequence[FileChange]) -> int:
    """How many of the latest changes have many edits and next to no effect."""
    count = 0
    for change in reversed(changes):
        if change.edits < STRUGGLE_EDITS or abs(change.chars) > change.edits // STRUGGLE_EDITS:
            break
        count += 1
    return count


def _fruitless(changes: Sequence[FileChange]) -> int:
    """All changes, if they come to many edits and next to nothing; else 0."""
    is_much = sum(change.edits for change in changes) >= MANY_EDITS
    return len(changes) if is_much and abs(sum(c.chars for c in changes)) <= SMALL_GAIN else 0
