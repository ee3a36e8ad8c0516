"""Reading and writing the workspace, and nothing beside it."""

from collections.abc import Sequence

from pydantic import Field

from bottega.assistant.loop.turn import Turn
from bottega.assistant.workspace.service import Workspace
from bottega.assistant.workspace.view import lines_of
from bottega.conversation.pauses import Permission
from bottega.conversation.tools import Arguments, BuiltTool, Path, Text, built
from bottega.core.files.paths import shown
from bottega.core.trust.permissions import ToolClass
from bottega.errors import Forbidden, InvalidInput

#: Of one answer; a longer file is read piece by piece.
MOST_LINES = 2_000
MOST_CHARACTERS = 100_000
CHANGES = frozenset({ToolClass.WRITE})


class ReadFile(Arguments):
    path: Path = Field(description="within the workspace: classes/3B.md")
    first_line: int = Field(1, ge=1, le=2**31 - 1)
    last_line: int | None = Field(None, ge=1, le=2**31 - 1)


class WriteFile(Arguments):
    path: Path
    content: Text


class StrReplace(Arguments):
    path: Path
    old: Text = Field(min_length=1, description="stands in the file exactly once")
    new: Text


class ListDirectory(Arguments):
    path: Path = Field("", description="empty is the workspace itself")


class FileTools:
    def __init__(self, turn: Turn, workspace: Workspace, permission: Permission) -> None:
        self._turn = turn
        self._workspace = workspace
        self._permission = permission

    def reading(self) -> Sequence[BuiltTool[ReadFile] | BuiltTool[ListDirectory]]:
        return [built(self.read_file), built(self.list_directory)]

    def writing(self) -> Sequence[BuiltTool[WriteFile] | BuiltTool[StrReplace]]:
        return [built(self.write_file, in_step=False), built(self.str_replace, in_step=False)]

    async def read_file(self, asked: ReadFile) -> str:
        """A file of the workspace, with line numbers (L12: …) to cite it by."""
        path = asked.path.strip().removeprefix("./").removeprefix("workspace/")
        if path in self._turn.set_aside:
            raise Forbidden(f"The person has set {shown(path)} aside this time. Go on without it.")
        lines = lines_of(await self._workspace.read(asked.path))
        last = asked.last_line or len(lines)
        if not asked.first_line <= last or asked.first_line > len(lines):
            raise InvalidInput(
                f"{shown(asked.path)} has {len(lines)} lines; lines {asked.first_line} to {last} "
                "are none of them."
            )
        return _numbered(lines, asked.first_line, min(last, len(lines)))

    async def list_directory(self, asked: ListDirectory) -> str:
        """The files and folders of a folder of the workspace."""
        found = await self._workspace.list(asked.path)
        entries = [*(f"{name}/" for name in found.directories), *found.files]
        return "\n".join(entries) or "(empty)"

    async def write_file(self, asked: WriteFile) -> str:
        """Create or overwrite a file of the workspace. What it said before is kept."""
        what = f"write the file {asked.path}"
        await self._permission.obtain("write_file", CHANGES, what, asked.content)
        path = await self._turn.steps.step(
            "tool write_file", self._workspace.write, asked.path, asked.content
        )
        return self._wrote(path, f"Wrote {path} (lines: {len(lines_of(asked.content))}).")

    async def str_replace(self, asked: StrReplace) -> str:
        """Replace a text in a file of the workspace. It must stand there exactly once."""
        excerpt = f"{asked.old}\n→\n{asked.new}"
        await self._permission.obtain("str_replace", CHANGES, f"change {asked.path}", excerpt)
        path = await self._turn.steps.step(
            "tool str_replace", self._workspace.replace, asked.path, asked.old, asked.new
        )
        return self._wrote(path, f"Replaced it in {path}.")

    def _wrote(self, path: str, told: str) -> str:
        # Outside the step: a replay leaves the step out and must know it all the same.
        self._turn.written.append(path)
        return told


def _numbered(lines: Sequence[str], first: int, last: int) -> str:
    shown_lines: list[str] = []
    room = MOST_CHARACTERS
    for number, line in enumerate(lines[first - 1 : min(last, first + MOST_LINES - 1)], first):
        text = f"L{number}: {line}"
        if len(text) > room and shown_lines:
            break
        shown_lines.append(text[:MOST_CHARACTERS])
        room -= len(text)
    end = first + len(shown_lines) - 1
    if end < last:
        shown_lines.append(
            f"(Lines {first} to {end} of {len(lines)}; ask for more from {end + 1} on.)"
        )
    return "\n".join(shown_lines)
