"""Who reads or writes a memory file, from where, and how."""

from dataclasses import dataclass
from enum import StrEnum

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
