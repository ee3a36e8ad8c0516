"""A person's own files: the workspace of a plugin, and what was remembered."""

import asyncio
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from bottega.assistant.desk import Desk
from bottega.assistant.memory_files.access import Access
from bottega.assistant.memory_files.paths import MemoryPath
from bottega.assistant.memory_files.writing import WriteMode
from bottega.assistant.plugins.loading import plugin_folders
from bottega.assistant.workspace.workspace import Workspace, workspace_for
from bottega.core.callers import CurrentCaller

Path = Annotated[str, Query(min_length=1, max_length=500)]
Version = Annotated[int, Query(ge=1, le=2**31 - 1)]


class Text(BaseModel):
    text: Annotated[str, Field(max_length=4_000_000)]


class FileView(BaseModel):
    path: str
    text: str


class FileList(BaseModel):
    files: list[str]
    #: Files that ship with the plugin and are newer than, or missing from, the workspace.
    offers: list[str] = []


class VersionView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    #: Counts up from 1; a higher one is newer.
    number: int
    saved_at: datetime
    size: int


class VersionList(BaseModel):
    versions: list[VersionView]


class MemoryFileView(BaseModel):
    path: str
    #: `teacher` or `class`.
    scope: str
    class_id: str | None
    importance: float
    updated_at: datetime


class MemoryFileList(BaseModel):
    files: list[MemoryFileView]


class Removed(BaseModel):
    removed: str


def add_routes(routes: APIRouter, desk: Desk) -> None:
    async def workspace(plugin: str, user_id: str) -> Workspace:
        found = await asyncio.to_thread(plugin_folders(desk.core).load, plugin)
        return workspace_for(desk.core, user_id, found)

    @routes.get("/workspaces/{plugin}")
    async def list_files(plugin: str, caller: CurrentCaller) -> FileList:
        """Filled on first use with what the plugin ships."""
        shelf = await workspace(plugin, caller.user_id)
        offers = [offer.path for offer in await shelf.offers()]
        return FileList(files=list(await shelf.files()), offers=offers)

    @routes.get("/workspaces/{plugin}/file")
    async def read_file(plugin: str, path: Path, caller: CurrentCaller) -> FileView:
        shelf = await workspace(plugin, caller.user_id)
        return FileView(path=path, text=await shelf.read(path))

    @routes.put("/workspaces/{plugin}/file")
    async def write_file(plugin: str, path: Path, given: Text, caller: CurrentCaller) -> FileView:
        """The version before is kept."""
        shelf = await workspace(plugin, caller.user_id)
        await shelf.write(path, given.text)
        return FileView(path=path, text=await shelf.read(path))

    @routes.delete("/workspaces/{plugin}/file")
    async def remove_file(plugin: str, path: Path, caller: CurrentCaller) -> Removed:
        """It can be restored from its versions."""
        await (await workspace(plugin, caller.user_id)).remove(path)
        return Removed(removed=path)

    @routes.get("/workspaces/{plugin}/versions")
    async def file_versions(plugin: str, path: Path, caller: CurrentCaller) -> VersionList:
        found = await (await workspace(plugin, caller.user_id)).versions(path)
        return VersionList(versions=[VersionView.model_validate(each) for each in found])

    @routes.get("/workspaces/{plugin}/version")
    async def read_version(
        plugin: str, path: Path, version: Version, caller: CurrentCaller
    ) -> FileView:
        """What a file said before."""
        shelf = await workspace(plugin, caller.user_id)
        return FileView(path=path, text=await shelf.read_version(path, version))

    @routes.post("/workspaces/{plugin}/restore")
    async def restore_file(
        plugin: str, path: Path, version: Version, caller: CurrentCaller
    ) -> FileView:
        shelf = await workspace(plugin, caller.user_id)
        await shelf.restore(path, version)
        return FileView(path=path, text=await shelf.read(path))

    @routes.post("/workspaces/{plugin}/accept")
    async def accept_offer(plugin: str, path: Path, caller: CurrentCaller) -> FileView:
        """Take what the plugin ships in place of one's own; that one is kept as a version."""
        shelf = await workspace(plugin, caller.user_id)
        await shelf.accept(path)
        return FileView(path=path, text=await shelf.read(path))

    @routes.get("/workspaces/{plugin}/shipped")
    async def read_shipped(plugin: str, path: Path, caller: CurrentCaller) -> FileView:
        """What the plugin ships under that name, to compare with one's own."""
        shelf = await workspace(plugin, caller.user_id)
        return FileView(path=path, text=await shelf.read_shipped(path))

    @routes.post("/workspaces/{plugin}/decline")
    async def decline_offer(plugin: str, path: Path, caller: CurrentCaller) -> FileList:
        """Keep one's own; it is not offered again until the plugin ships another."""
        await (await workspace(plugin, caller.user_id)).decline(path)
        return await list_files(plugin, caller)

    @routes.get("/memory")
    async def list_memory_files(caller: CurrentCaller) -> MemoryFileList:
        found = await desk.memory_files.list(caller.user_id)
        return MemoryFileList(
            files=[
                MemoryFileView(
                    path=str(MemoryPath(each.class_id, each.path)),
                    scope=each.scope,
                    class_id=each.class_id or None,
                    importance=each.importance,
                    updated_at=each.updated_at,
                )
                for each in found
            ]
        )

    @routes.get("/memory/file")
    async def read_memory_file(path: Path, caller: CurrentCaller) -> FileView:
        text = await desk.memory_files.read(path, Access(caller.user_id))
        return FileView(path=path, text=text)

    @routes.put("/memory/file")
    async def write_memory_file(path: Path, given: Text, caller: CurrentCaller) -> FileView:
        """A person's own words are theirs: no name is asked about."""
        access = Access(caller.user_id)
        await desk.memory_files.write(path, given.text, access, WriteMode.REPLACE, vouched=True)
        return FileView(path=path, text=await desk.memory_files.read(path, access))

    @routes.delete("/memory/file")
    async def remove_memory_file(path: Path, caller: CurrentCaller) -> Removed:
        await desk.memory_files.delete(path, Access(caller.user_id))
        return Removed(removed=path)
