"""A person's workspace for one plugin: a folder of markdown that they and their agents work in.

It is filled on first use with what the plugin ships. Names that begin with a dot are the
workspace's own (`.history`, `.shipped.json`): nobody reads or writes them through here.

`.shipped.json` remembers what was handed over or declined, by its digest. A person's file is never
overwritten: not on first use, if they were there before, and not by a newer version of the plugin.
What files said before is in `.history/{path}@/{number}`, the last twenty of each.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakValueDictionary

from pydantic import TypeAdapter, ValidationError

from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.plugins.reader import WORKSPACE
from bottega.assistant.workspace.view import Pages, WorkspaceView, view
from bottega.core.definitions.folders import DefinitionFolder
from bottega.core.files.encoding import Encoding
from bottega.core.files.listing import EntryType, Listing
from bottega.core.files.paths import relative_path, shown
from bottega.core.files.sandbox import Sandbox
from bottega.core.services import Core
from bottega.errors import BottegaError, Conflict, Forbidden, InvalidInput, NotFound

RECORD = ".shipped.json"

_RECORD: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])


@dataclass(frozen=True, slots=True)
class Offer:
    path: str
    #: Else the plugin ships another text than the workspace has.
    is_new: bool


class ShippedFiles:
    def __init__(self, workspace: Sandbox, shipped: Path | None) -> None:
        self._workspace = workspace
        self._shipped = shipped

    async def seed(self) -> None:
        """On first use, put in what is not there yet. A crash before the record is written leaves
        a first use for the next time."""
        await asyncio.to_thread(self._workspace.root.mkdir, parents=True, exist_ok=True)
        if await self._workspace.exists(RECORD):
            return
        record: dict[str, str] = {}
        for path in await self._paths():
            data = await self.read(path)
            record[path] = _digest(data)
            if not await self._workspace.exists(path):
                await self._workspace.write(path, data)
        await self._save(record)

    async def offers(self) -> list[Offer]:
        """What is shipped and neither there nor turned down. A file that the person removed is not
        offered again."""
        record, offers = await self._load(), []
        for path in await self._paths():
            digest = _digest(await self.read(path))
            own = await self._digest_of_own(path)
            is_settled = digest in (record.get(path), own)
            if not is_settled and (path not in record or own is not None):
                offers.append(Offer(path, is_new=own is None))
        return offers

    async def settle(self, path: str) -> None:
        """Remember that the person has decided about the file as it is shipped now."""
        digest = _digest(await self.read(path))
        await self._save({**await self._load(), path: digest})

    async def read(self, path: str) -> bytes:
        if self._shipped is None:
            raise NotFound(f"The plugin ships no file {path!r}.")
        return await Sandbox(self._shipped).read_bytes(path)

    def folders(self) -> list[str]:
        """Blocking: the shipped folders, such as `classes`."""
        return DefinitionFolder(self._shipped).folders(".") if self._shipped else []

    async def _paths(self) -> list[str]:
        return (
            await asyncio.to_thread(DefinitionFolder(self._shipped).walk, ".")
            if self._shipped
            else []
        )

    async def _digest_of_own(self, path: str) -> str | None:
        try:
            return _digest(await self._workspace.read_bytes(path))
        except NotFound:
            return None

    async def _load(self) -> dict[str, str]:
        try:
            return _RECORD.validate_json(await self._workspace.read_bytes(RECORD))
        except (NotFound, ValidationError):
            # Lost or damaged by hand: then everything that differs is offered, nothing is lost.
            return {}

    async def _save(self, record: dict[str, str]) -> None:
        await self._workspace.write(RECORD, json.dumps(record, indent=2, sort_keys=True) + "\n")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


FOLDER = ".history"
MOST_VERSIONS = 20


@dataclass(frozen=True, slots=True)
class Version:
    #: Counts up from 1; a higher one is newer.
    number: int
    saved_at: datetime
    size: int


class VersionHistory:
    """Callers hold the workspace's lock when they write."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def keep(self, path: str, *, unless: str | bytes | None = None) -> None:
        """Put what a file says now among its versions, if it is there and not that text."""
        try:
            data = await self._sandbox.read_bytes(path)
        except NotFound:
            return
        if data == (unless.encode() if isinstance(unless, str) else unless):
            return
        numbers = await self._numbers(path)
        number = max(numbers, default=0) + 1
        await self._sandbox.write(_place(path, number), data)
        for old in numbers[: 1 - MOST_VERSIONS]:
            with suppress(NotFound):
                await self._sandbox.remove(_place(path, old))

    async def versions(self, path: str) -> list[Version]:
        numbers = await self._numbers(path)
        return [await asyncio.to_thread(self._version, path, each) for each in reversed(numbers)]

    async def read(self, path: str, number: int) -> str:
        try:
            return (await self._sandbox.read_text(_place(path, number))).content
        except NotFound:
            numbers = await self._numbers(path)
            there_are = ", ".join(map(str, numbers)) or "none"
            raise NotFound(
                f"{path!r} has no version {number}; there are: {there_are}.",
                valid_options=numbers,
            ) from None

    async def _numbers(self, path: str) -> list[int]:
        try:
            files = (await self._sandbox.list(_place(path))).files
        except BottegaError:
            return []
        return sorted(int(name) for name in files if name.isdecimal())

    def _version(self, path: str, number: int) -> Version:
        status = (self._sandbox.root / _place(path, number)).stat()
        return Version(number, datetime.fromtimestamp(status.st_mtime, UTC), status.st_size)


def _place(path: str, number: int | None = None) -> str:
    # The sign keeps the versions of a file `a` apart from those of a file in a folder `a`.
    return f"{FOLDER}/{path}@" + (f"/{number}" if number is not None else "")


#: A text of this size is a book; an imported specification has a tenth of it.
MOST_BYTES = 4 * 1024 * 1024

_SAFE_NAME = re.compile(r"[A-Za-z0-9_@-][A-Za-z0-9_.@-]{0,127}")

#: One writer at a time in each folder: two agents of a person may be at work in it.
_locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()


class Workspace:
    def __init__(self, folder: Path, shipped: Path | None = None) -> None:
        self.folder = folder.absolute()
        self._sandbox = Sandbox(self.folder, max_file_bytes=MOST_BYTES)
        self._seeding = ShippedFiles(self._sandbox, shipped)
        self._history = VersionHistory(self._sandbox)
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
