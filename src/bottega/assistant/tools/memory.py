"""`read_memory` and `update_memory`: what was learned, and what should be.

An agent's notes in topic files are its working notes: they need no ceremony, and what is worth
keeping of them is proposed to the person at the end. `MEMORY.md` is what every later session begins
with, so there the person is asked. A likely personal name is asked about wherever it stands.
"""

from collections.abc import Sequence

from pydantic import Field

from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files.captures import (
    Capture,
    CaptureEvent,
    CaptureProposal,
    FindNames,
    check_names,
)
from bottega.assistant.memory_files.notes import LONGEST_FILE, WriteResult
from bottega.assistant.memory_files.paths import EXAMPLES, MemoryPath, WriteMode, parse_path
from bottega.assistant.memory_files.repository import MemoryFile
from bottega.assistant.memory_files.service import MemoryFiles, access_of, place_of
from bottega.conversation.pauses import Permission
from bottega.conversation.tools import Arguments, BuiltTool, Path, built
from bottega.core.trust.permissions import ToolClass
from bottega.errors import Forbidden

CHANGES = frozenset({ToolClass.WRITE})
_THE_WHOLE = ("", "memory")


class ReadMemory(Arguments):
    path: Path = Field(description=f"such as {EXAMPLES}; memory/ lists all files")


class UpdateMemory(Arguments):
    path: Path = Field(description=f"such as {EXAMPLES}")
    content: str = Field(
        min_length=1,
        max_length=LONGEST_FILE,
        description="markdown, best as list items; never with names of people",
    )
    mode: WriteMode = Field(
        WriteMode.APPEND, description="append adds to the file or begins it; replace overwrites it"
    )


class MemoryTools:
    def __init__(
        self, turn: Turn, files: MemoryFiles, find_names: FindNames, permission: Permission
    ) -> None:
        self._turn = turn
        self._files = files
        self._find_names = find_names
        self._permission = permission

    def reading(self) -> BuiltTool[ReadMemory]:
        return built(self.read_memory)

    def writing(self) -> BuiltTool[UpdateMemory]:
        return built(self.update_memory, in_step=False)

    async def read_memory(self, asked: ReadMemory) -> str:
        """A file of what was learned from earlier work with this person or one of their classes."""
        turn = self._turn
        if asked.path.strip().strip("/") in _THE_WHOLE:
            return _listed(await self._files.list(turn.user_id))
        place = parse_path(asked.path)
        if str(place) in turn.set_aside:
            raise Forbidden(f"The person has set {place} aside this time. Go on without it.")
        return await self._files.read(str(place), access_of(turn, turn.agent.name))

    async def update_memory(self, asked: UpdateMemory) -> str:
        """Note what will be useful next time. Put details into topic files and keep MEMORY.md a
        short index of at most 200 lines."""
        place, turn = parse_path(asked.path), self._turn
        if place.is_entrypoint:
            what = f"write to {place}, which every later session begins with"
            await self._permission.obtain("update_memory", CHANGES, what, asked.content)
        content = await self._without_names(place, asked.content)
        if content is None:
            return "Nothing was written: it may name somebody, and the person did not keep it."
        written = await turn.steps.step(
            "tool update_memory", self._write, str(place), content, asked.mode
        )
        return _told(written)

    async def _without_names(self, place: MemoryPath, text: str) -> str | None:
        """As the person wants it, if there may be a name in what is new; `None` is not at all."""
        access = access_of(self._turn, self._turn.agent.name)

        async def find_names(turn: Turn, text: str) -> Sequence[str]:
            return await self._find_names(turn, await self._files.novel(str(place), text, access))

        proposal = CaptureProposal(id="note", text=text, class_id=place.class_id or None)
        capture = Capture(proposal=proposal, event=CaptureEvent.PROPOSED, text=text)
        [checked] = await check_names(self._turn, find_names, [capture])
        return checked.text

    async def _write(self, path: str, text: str, mode: WriteMode) -> WriteResult:
        access = access_of(self._turn, self._turn.agent.name)
        return await self._files.write(path, text, access, mode)


def _listed(rows: Sequence[MemoryFile]) -> str:
    lines = [f"{place_of(row)} (lines: {len(row.content.splitlines())})" for row in rows]
    return "\n".join(lines) or "Nothing is remembered yet."


def _told(written: WriteResult) -> str:
    if not written.is_changed:
        return f"{written.path} says so already."
    done = "Began" if written.is_new else "Wrote to"
    return "\n".join(filter(None, (f"{done} {written.path}.", written.advice)))
