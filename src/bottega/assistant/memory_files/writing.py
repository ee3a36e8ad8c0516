"""What a memory file says after somebody has written to it, and what they are told about that."""

from dataclasses import dataclass
from enum import StrEnum

from bottega.assistant.memory_files.notes import Priority, notes_of
from bottega.assistant.memory_files.paths import ENTRYPOINT, MemoryPath
from bottega.assistant.prompt.gathering import MEMORY_LINES
from bottega.errors import Conflict, InvalidInput, TooLarge

#: Characters; an index of 200 lines has a tenth of it.
LONGEST_FILE = 200_000
IMPORTANCE = {Priority.SAFEGUARDING: 1.0, Priority.NEEDS: 0.8, Priority.OTHER: 0.5}

_BULLETS = ("- ", "* ", "+ ")


class WriteMode(StrEnum):
    #: Only if there is no such file.
    CREATE = "create"
    #: At the end, or as a new file; what stands there already is not said twice.
    APPEND = "append"
    #: Instead of all that was there.
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Written:
    path: str
    lines: int
    is_new: bool = False
    is_changed: bool = True
    #: What to do about an index that has grown too long to be loaded.
    advice: str | None = None


def combine(place: MemoryPath, before: str | None, text: str, mode: WriteMode) -> str:
    """What the file says afterwards; the same again if it is written twice."""
    said = text.strip("\n")
    if not said.strip() and mode is not WriteMode.REPLACE:
        raise InvalidInput(f"There is nothing to write to {place}: the text is empty.")
    if mode is WriteMode.CREATE and before not in (None, f"{said}\n"):
        raise Conflict(f"{place} is there already. Append to it, or replace it.")
    if mode is not WriteMode.APPEND or not before:
        after = f"{said}\n" if said else ""
    elif f"\n{said}\n" in f"\n{before}\n":
        after = before
    else:
        after = f"{before.rstrip()}{_gap(before, said)}{said}\n"
    if len(after) > LONGEST_FILE:
        raise TooLarge(
            f"{place} would have {len(after):,} characters; a memory file may have "
            f"{LONGEST_FILE:,}. Put the rest into another topic file.",
            length=len(after),
        )
    return after


def importance_of(text: str) -> float:
    """That of the most important note in it."""
    return max((IMPORTANCE[note.priority] for note in notes_of(text)), default=0.5)


def advice_on(place: MemoryPath, lines: int) -> str | None:
    if not place.is_entrypoint or lines <= MEMORY_LINES:
        return None
    topic = MemoryPath(place.class_id, "planning-patterns.md")
    return (
        f"{place} has {lines} lines, and only the first {MEMORY_LINES} are loaded when a session "
        f"begins. Keep {ENTRYPOINT} an index: move details into topic files such as {topic}, and "
        "name them in it."
    )


def _gap(before: str, said: str) -> str:
    """A list goes on; anything else begins a paragraph of its own."""
    last = before.rstrip().rsplit("\n", 1)[-1]
    is_list = said.lstrip().startswith(_BULLETS) and last.lstrip().startswith(_BULLETS)
    return "\n" if is_list else "\n\n"
