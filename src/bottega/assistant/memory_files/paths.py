"""Where a memory file is said to be; and who reads or writes it, from where, and how.

    memory/MEMORY.md                the person's own
    memory/planning-patterns.md     a topic of theirs
    memory/classes/3B/MEMORY.md     of one of their classes

`memory/` before it may be left out. There are no such files on any disk, so nothing can be reached
by a clever path; it is refused all the same, since whoever wrote it meant something else.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from bottega.core.files.paths import shown
from bottega.errors import Forbidden, InvalidInput

ENTRYPOINT = "MEMORY.md"
CLASSES = "classes"
LONGEST_PATH = 200
DEEPEST = 4
#: Lines of a MEMORY.md that stand in the prompt; it is an index, and the rest is read on demand.
MEMORY_LINES = 200

_NAME = re.compile(r"\w[\w .()+-]{0,79}")
EXAMPLES = "memory/planning-patterns.md, or memory/classes/3B/MEMORY.md for a class"


class NoteScope(StrEnum):
    TEACHER = "teacher"
    CLASS = "class"


@dataclass(frozen=True, slots=True)
class MemoryPath:
    #: Empty for the person's own.
    class_id: str
    #: Within its scope.
    name: str

    @property
    def scope(self) -> NoteScope:
        return NoteScope.CLASS if self.class_id else NoteScope.TEACHER

    @property
    def is_entrypoint(self) -> bool:
        return self.name == ENTRYPOINT

    def __str__(self) -> str:
        owner = f"{CLASSES}/{self.class_id}/" if self.class_id else ""
        return f"memory/{owner}{self.name}"


def entrypoint_of(class_id: str | None) -> MemoryPath:
    return MemoryPath(class_id or "", ENTRYPOINT)


def parse_path(text: str) -> MemoryPath:
    parts = _parts(text)
    class_id = ""
    if parts[0] == CLASSES:
        if len(parts) < 3:
            raise InvalidInput(
                f"{shown(text)} names no file of a class. Write it like "
                f"memory/{CLASSES}/3B/{ENTRYPOINT}."
            )
        class_id, parts = parts[1], parts[2:]
    name = "/".join(parts)
    if not name.endswith(".md"):
        raise InvalidInput(f"{shown(text)} is no markdown file. Use a path such as {EXAMPLES}.")
    # Two spellings of the index would be two indexes, of which one is never loaded.
    return MemoryPath(class_id, ENTRYPOINT if name.upper() == ENTRYPOINT.upper() else name)


def _parts(text: str) -> list[str]:
    path = text.strip()
    if len(path) > LONGEST_PATH:
        raise InvalidInput(
            f"{shown(path)} has {len(path)} characters; a memory path may have {LONGEST_PATH}."
        )
    if path.startswith(("/", "~", "\\")) or ".." in path.replace("\\", "/").split("/"):
        raise Forbidden(
            f"{shown(path)} is outside the memory. Use a path such as {EXAMPLES}.", path=path
        )
    parts = [part for part in path.removeprefix("./").split("/") if part not in ("", ".")]
    if parts[:1] == ["memory"]:
        parts = parts[1:]
    if not parts:
        raise InvalidInput(f"{shown(text)} names no memory file. Use {EXAMPLES}.")
    if len(parts) > DEEPEST or not all(_NAME.fullmatch(part) for part in parts):
        raise InvalidInput(
            f"{shown(path)} cannot be a memory file: names begin with a letter or digit, have "
            f"plain letters and at most 80 of them, and stand at most {DEEPEST} deep. "
            f"Use {EXAMPLES}."
        )
    return parts


PERSON = "person"


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    user_id: str
    #: An agent's name, a hook's, or `person`.
    actor: str = PERSON
    session_id: str | None = None
    trace_id: str | None = None
    #: Makes what is done again after a crash known again: it is told once.
    key: str | None = None


class WriteMode(StrEnum):
    #: Only if there is no such file.
    CREATE = "create"
    #: At the end, or as a new file; what stands there already is not said twice.
    APPEND = "append"
    #: Instead of all that was there.
    REPLACE = "replace"
