"""What hooks take from the rest of the room: small seams, filled in by `room.py`."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from bottega.assistant.loop.turn import Turn


class Promotion(BaseModel):
    """A short-term note that has earned its place in the long term, if the person agrees."""

    model_config = ConfigDict(frozen=True)

    text: str
    #: `None` is the person's own memory.
    class_id: str | None = None
    #: Why it is proposed.
    reason: str = ""


class Notebook(Protocol):
    """The memory files of the turn's person."""

    async def entrypoint(self, turn: Turn, class_id: str | None) -> str:
        """The `MEMORY.md` of a class, or the person's own; empty if there is none."""
        ...

    async def add(self, turn: Turn, class_id: str | None, note: str, *, actor: str) -> None:
        """Add a note to it, once, however often it is asked to; the turn's session and trace are
        its provenance."""
        ...

    async def promotions(self, turn: Turn) -> Sequence[Promotion]:
        """What of the session's notes is worth keeping for good."""
        ...


#: Likely personal names in a text that is to be remembered.
FindNames = Callable[[Turn, str], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class HookParts:
    notebook: Notebook
    find_names: FindNames
