"""What can be asked of a person's workspace for a plugin: its files, their versions and offers."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from bottega.core.operations import Delete, Get, Post, Put, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller

if TYPE_CHECKING:
    from bottega.assistant.service import Assistant

FilePath = Annotated[str, Field(min_length=1, max_length=500)]


class Text(BaseModel):
    text: Annotated[str, Field(max_length=4_000_000)]


class FileView(BaseModel):
    path: str
    text: str


class FileList(BaseModel):
    files: list[str]
    #: Files that ship with the plugin and are newer than, or missing from, the workspace.
    offers: list[str] = []


class VersionView(BaseModel, from_attributes=True):
    #: Counts up from 1; a higher one is newer.
    number: int
    saved_at: datetime
    size: int


class VersionList(BaseModel):
    versions: list[VersionView]


class RemovedItem(BaseModel):
    removed: str


class WorkspaceRequest(BaseModel):
    plugin: str


class FileRequest(WorkspaceRequest):
    path: FilePath


class WriteRequest(Text):
    plugin: str
    path: FilePath


class VersionRequest(FileRequest):
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]


@operation(Get("/assistant/workspaces/{plugin}"))
async def list_files(assistant: "Assistant", asked: WorkspaceRequest, caller: Caller) -> FileList:
    """Filled on first use with what the plugin ships."""
    return await _list(assistant, asked.plugin, caller)


@operation(Get("/assistant/workspaces/{plugin}/file"))
async def read_file(assistant: "Assistant", asked: FileRequest, caller: Caller) -> FileView:
    workspace = await assistant.workspace(asked.plugin, caller.user_id)
    return FileView(path=asked.path, text=await workspace.read(asked.path))


@operation(Put("/assistant/workspaces/{plugin}/file", query=("path",)), needs=Right.EDIT)
async def write_file(assistant: "Assistant", asked: WriteRequest, caller: Caller) -> FileView:
    """The version before is kept."""
    workspace = await assistant.workspace(asked.plugin, caller.user_id)
    await workspace.write(asked.path, asked.text)
    return FileView(path=asked.path, text=await workspace.read(asked.path))


@operation(Delete("/assistant/workspaces/{plugin}/file"), needs=Right.EDIT)
async def remove_file(assistant: "Assistant", asked: FileRequest, caller: Caller) -> RemovedItem:
    """It can be restored from its versions."""
    await (await assistant.workspace(asked.plugin, caller.user_id)).remove(asked.path)
    return RemovedItem(removed=asked.path)


@operation(Get("/assistant/workspaces/{plugin}/versions"))
async def file_versions(assistant: "Assistant", asked: FileRequest, caller: Caller) -> VersionList:
    found = await (await assistant.workspace(asked.plugin, caller.user_id)).versions(asked.path)
    return VersionList(versions=[VersionView.model_validate(each) for each in found])


@operation(Get("/assistant/workspaces/{plugin}/version"))
async def read_version(assistant: "Assistant", asked: VersionRequest, caller: Caller) -> FileView:
    """What a file said before."""
    workspace = await assistant.workspace(asked.plugin, caller.user_id)
    text = await workspace.read_version(asked.path, asked.version)
    return FileView(path=asked.path, text=text)


@operation(
    Post("/assistant/workspaces/{plugin}/restore", query=("path", "version")), needs=Right.EDIT
)
async def restore_file(assistant: "Assistant", asked: VersionRequest, caller: Caller) -> FileView:
    workspace = await assistant.workspace(asked.plugin, caller.user_id)
    await workspace.restore(asked.path, asked.version)
    return FileView(path=asked.path, text=await workspace.read(asked.path))


@operation(Post("/assistant/workspaces/{plugin}/accept", query=("path",)), needs=Right.DECIDE)
async def accept_offer(assistant: "Assistant", asked: FileRequest, caller: Caller) -> FileView:
    """Take what the plugin ships in place of one's own; that one is kept as a version."""
    workspace = await assistant.workspace(asked.plugin, caller.user_id)
    await workspace.accept(asked.path)
    return FileView(path=asked.path, text=await workspace.read(asked.path))


@operation(Get("/assistant/workspaces/{plugin}/shipped"))
async def read_shipped(assistant: "Assistant", asked: FileRequest, caller: Caller) -> FileView:
    """What the plugin ships under that name, to compare with one's own."""
    workspace = await assistant.workspace(asked.plugin, caller.user_id)
    return FileView(path=asked.path, text=await workspace.read_shipped(asked.path))


@operation(Post("/assistant/workspaces/{plugin}/decline", query=("path",)), needs=Right.DECIDE)
async def decline_offer(assistant: "Assistant", asked: FileRequest, caller: Caller) -> FileList:
    """Keep one's own; it is not offered again until the plugin ships another."""
    await (await assistant.workspace(asked.plugin, caller.user_id)).decline(asked.path)
    return await _list(assistant, asked.plugin, caller)


async def _list(assistant: "Assistant", plugin: str, caller: Caller) -> FileList:
    workspace = await assistant.workspace(plugin, caller.user_id)
    offers = [offer.path for offer in await workspace.offers()]
    return FileList(files=list(await workspace.files()), offers=offers)
