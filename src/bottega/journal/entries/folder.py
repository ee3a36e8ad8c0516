"""The journal's files: `{DATA_DIR}/journal/{user}/{project}/`, one JSON file an entry.

    active.json            the open entry of everybody who names no session
    active-{session}.json  the open entry of one session
    orphan-{id}.json       an open entry that a newer one took the place of
    resolved-{id}.json     resolved, but not in the database yet
    *.bad-{time}           what could not be read: set aside for a person, never deleted

They are their user's alone: not in the project, where others work too, and readable by nobody else
on the machine. `{project}` is the project's name and a hash of its path. Earlier versions kept the
local user's in `.claude/journal` of the project; those are taken over once.
"""

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import structlog
from pydantic import ValidationError

from bottega.core import clock
from bottega.core.db.sqlite import ProcessLock
from bottega.core.files.closed import ClosedPaths
from bottega.core.files.failures import explained
from bottega.core.files.lookup import find_place
from bottega.core.files.sandbox import Sandbox
from bottega.core.users import LOCAL_USER
from bottega.errors import Forbidden, InvalidInput, NotFound
from bottega.journal.entries.model import Entry

#: Where the local user's entries once were, in the project.
FORMER_FOLDER = ".claude/journal"

log = structlog.get_logger()


class JournalFolder:
    def __init__(self, data_dir: Path, project: Path) -> None:
        self._sandbox = Sandbox(data_dir / "journal", file_mode=0o600)
        self._former = Sandbox(project, closed=ClosedPaths(owned=FORMER_FOLDER))
        words = re.sub(r"[^A-Za-z0-9]+", "-", project.name).strip("-")[:40]
        self._key = f"{words}-{hashlib.sha256(os.fsencode(project)).hexdigest()[:16]}"
        self._lock = ProcessLock(self._sandbox.root / f"{self._key}.lock")

    @asynccontextmanager
    async def changing(self) -> AsyncIterator[None]:
        """One change at a time, also of other processes in this project."""
        await asyncio.to_thread(make_private, self._sandbox.root)
        async with self._lock:
            yield

    async def has_begun(self) -> bool:
        """Whether the local user's folder is there."""
        return await self._sandbox.exists(self._folder(LOCAL_USER))

    async def begin(self) -> None:
        """Make the local user's folder: from now on nothing is taken over."""
        await self._make(LOCAL_USER)

    async def take_over(self) -> list[str]:
        """Move the local user's entries here from where they once were; their files' names."""
        async with self.changing():
            await self._make(LOCAL_USER)
            try:
                names = (await self._former.list(FORMER_FOLDER)).files
            except (NotFound, InvalidInput, Forbidden):
                return []
            names = [name for name in names if ".json" in name]
            for name in names:
                former = f"{FORMER_FOLDER}/{name}"
                data = await self._former.read_bytes(former)
                await self._sandbox.write(self._path(LOCAL_USER, name), data)
                await self._former.remove(former)
            return names

    def close(self) -> None:
        self._lock.close()

    async def read(self, user_id: str, name: str) -> Entry | None:
        """The entry in a file; `None` if there is none, or none that can be read."""
        path = self._path(user_id, name)
        try:
            data = await self._sandbox.read_bytes(path)
        except NotFound:
            return None
        try:
            return Entry.model_validate_json(data)
        except ValidationError as error:
            await self._set_aside(path, data, _first_problem(error))
        return None

    async def write(self, user_id: str, name: str, entry: Entry) -> None:
        text = entry.model_dump_json(indent=2, exclude_none=True) + "\n"
        await self._make(user_id)
        await self._sandbox.write(self._path(user_id, name), text.encode())

    async def move(self, user_id: str, name: str, to: str) -> None:
        await asyncio.to_thread(self._rename, self._path(user_id, name), to)

    async def remove(self, user_id: str, name: str) -> None:
        with suppress(NotFound):
            await self._sandbox.remove(self._path(user_id, name))

    async def names(self, user_id: str, *prefixes: str) -> list[str]:
        """The entries' file names that begin so; ids begin with their time, so oldest first."""
        try:
            listing = await self._sandbox.list(self._folder(user_id))
        except (NotFound, InvalidInput):
            return []
        files = (name for name in listing.files if name.endswith(".json"))
        return sorted(name for name in files if name.startswith(prefixes))

    async def users(self) -> list[str]:
        """Everybody who has files here."""
        try:
            users = (await self._sandbox.list()).directories
        except (NotFound, InvalidInput):
            return []
        return [user for user in users if await self._sandbox.exists(f"{user}/{self._key}")]

    async def _set_aside(self, path: str, data: bytes, why: str) -> None:
        aside = f"{path.rpartition('/')[2]}.bad-{clock.now():%Y%m%dT%H%M%S%f}"
        # Somebody else may have just set it aside, or mended it.
        with suppress(NotFound):
            if await self._sandbox.read_bytes(path) == data:
                await asyncio.to_thread(self._rename, path, aside)
                log.warning("journal.file_set_aside", file=path, kept_as=aside, why=why)

    def _rename(self, path: str, name: str) -> None:
        with (
            explained("move", path),
            find_place(self._sandbox.root, path, follow=False) as place,
        ):
            # Not flushed: an entry says itself whether it is resolved, whatever its file is called.
            directory = place.directory
            os.rename(place.name, name, src_dir_fd=directory, dst_dir_fd=directory)

    async def _make(self, user_id: str) -> None:
        await asyncio.to_thread(make_private, self._sandbox.root / self._folder(user_id))

    def _folder(self, user_id: str) -> str:
        return f"{quote(user_id, safe='')}/{self._key}"

    def _path(self, user_id: str, name: str) -> str:
        return f"{self._folder(user_id)}/{name}"


def make_private(folder: Path) -> None:
    """A folder that only its owner may enter, with those above it. Blocking."""
    if not folder.is_dir():
        if not folder.parent.is_dir():
            make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    return f"{field}: {first['msg']}" if field else first["msg"]
