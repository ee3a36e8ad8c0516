"""A person's workspace for one plugin: a folder of markdown that they and their agents work in.

It is filled on first use with what the plugin ships. Names that begin with a dot are the
workspace's own (`.history`, `.shipped.json`): nobody reads or writes them through here.
"""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from weakref import WeakValueDictionary

from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.plugins.reading import WORKSPACE
from bottega.assistant.workspace.history import History, Version
from bottega.assistant.workspace.pages import Pages
from bottega.assistant.workspace.seeding import Offer, Seeding
from bottega.assistant.workspace.view import WorkspaceView, view
from bottega.core.files.listing import EntryType, Listing
from bottega.core.files.paths import relative_path, shown
from bottega.core.files.sandbox import Sandbox
from bottega.core.files.text import Encoding
from bottega.core.services import Core
from bottega.errors import Conflict, Forbidden, InvalidInput

#: A text of this size is a book; an imported specification has a tenth of it.
MOST_BYTES = 4 * 1024 * 1024

_SAFE_NAME = re.compile(r"[A-Za-z0-9_@-][A-Za-z0-9_.@-]{0,127}")

#: One writer at a time in each folder: two agents of a person may be at work in it.
_locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()


class Workspace:
    def __init__(self, folder: Path, shipped: Path | None = None) -> None:
        self.folder = folder.absolute()
        self._sandbox = Sandbox(self.folder, max_file_bytes=MOST_BYTES)
        self._seeding = Seeding(self._sandbox, shipped)
        self._history = History(self._sandbox)
        self._lock = _locks.setdefault(self.folder, asyncio.Lock())
        self._is_ready = False

    async def read(self, path: str) -> str:
        return await self._read(await self._settle(path))

    async def exists(self, path: str) -> bool:
        return await self._sandbox.type_of(await self._settle(path)) is EntryType.FILE

    async def list(self, path: str = "") -> Listing:
        """One folder's names, in reading order."""
        found = await self._sandbox.list(await self._settle(path))
        return Listing(found.path, _visible(found.directories), _visible(found.files))

    async def files(self) -> Sequence[str]:
        """Every file by its path, in the order of their names."""
        await self._get_ready()
        return await asyncio.to_thread(lambda: Pages(self._sandbox).paths)

    async def write(self, path: str, text: str) -> str:
        """Create or overwrite a file; what it said before is kept. Gives the path as it is."""
        path = await self._settle(path)
        async with self._lock:
            await self._write(path, text)
        return path

    async def replace(self, path: str, old: str, new: str) -> str:
        """Replace the one place where `old` stands."""
        if not old:
            raise InvalidInput("Say which text to replace: an empty one stands everywhere.")
        path = await self._settle(path)
        async with self._lock:
            text = await self._read(path)
            times = text.count(old)
            if times != 1:
                found = f"stands there {times} times" if times else "does not stand there"
                raise Conflict(
                    f"Nothing was replaced in {shown(path)}: the text {found}. Read the file again "
                    "and give a text that stands there exactly once, with the lines around it."
                )
            await self._write(path, text.replace(old, new))
        return path

    async def remove(self, path: str) -> None:
        """A file, not a folder; its versions stay."""
        path = await self._settle(path)
        async with self._lock:
            await self._history.keep(path)
            await self._sandbox.remove(path)

    async def versions(self, path: str) -> Sequence[Version]:
        """What a file said before, newest first."""
        return await self._history.versions(await self._settle(path))

    async def read_version(self, path: str, version: int) -> str:
        return await self._history.read(await self._settle(path), version)

    async def restore(self, path: str, version: int) -> None:
        """Bring a version back; what it replaces becomes a version itself."""
        path = await self._settle(path)
        async with self._lock:
            await self._write(path, await self._history.read(path, version))

    async def offers(self) -> Sequence[Offer]:
        """What the plugin ships by now and the workspace does not have: new and changed files."""
        await self._get_ready()
        return await self._seeding.offers()

    async def read_shipped(self, path: str) -> str:
        """As the plugin has it by now."""
        return (await self._seeding.read(await self._settle(path))).decode(errors="replace")

    async def accept(self, path: str) -> None:
        """Take an offered file; the person's own becomes a version."""
        path = await self._settle(path)
        async with self._lock:
            await self._write(path, await self._seeding.read(path))
            await self._seeding.settle(path)

    async def decline(self, path: str) -> None:
        """Do not offer it again until it changes."""
        path = await self._settle(path)
        async with self._lock:
            await self._seeding.settle(path)

    async def view(
        self, request: str, *, listed: Sequence[str] = (), class_id: str | None = None
    ) -> WorkspaceView:
        """What of the workspace belongs into a prompt for this request."""
        await self._get_ready()
        return await asyncio.to_thread(self._view, request, listed, class_id)

    def _view(self, request: str, listed: Sequence[str], class_id: str | None) -> WorkspaceView:
        pages = Pages(self._sandbox)
        return view(pages, request, listed, self._seeding.folders(), class_id)

    async def _read(self, path: str) -> str:
        content = await self._sandbox.read_text(path)
        if content.binary:
            raise InvalidInput(f"{shown(path)} is not text ({content.size:,} bytes).")
        return content.content

    async def _write(self, path: str, content: str | bytes) -> None:
        await self._history.keep(path, unless=content)
        await self._sandbox.write(path, content, encoding=Encoding.UTF_8)

    async def _settle(self, path: str) -> str:
        """The path as seen from the workspace; `workspace/` before it is understood."""
        await self._get_ready()
        try:
            path = relative_path(self._sandbox.root, path, self.folder)
        except Forbidden:
            raise Forbidden(
                f"{shown(path)} is outside the workspace. Use a path such as classes/3B.md."
            ) from None
        path = path.removeprefix("workspace/") if path != "workspace" else ""
        if any(part.startswith(".") for part in path.split("/")):
            raise Forbidden(f"{shown(path)}: names that begin with a dot are the workspace's own.")
        return path

    async def _get_ready(self) -> None:
        if not self._is_ready:
            async with self._lock:
                await self._seeding.seed()
            self._is_ready = True


def workspace_for(core: Core, user_id: str, plugin: Plugin) -> Workspace:
    """`{DATA_DIR}/workspaces/{user}/{plugin}`; made and filled when it is first used."""
    for name in (user_id, plugin.name):
        if not _SAFE_NAME.fullmatch(name):
            raise InvalidInput(f"{name[:128]!r} cannot be the name of a folder.")
    folder = core.choices.data_dir / "workspaces" / user_id / plugin.name
    return Workspace(folder, plugin.folder / WORKSPACE)


def _visible(names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith(".")]
