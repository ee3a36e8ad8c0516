"""What can be asked of memory files: to see, read, rewrite and remove one's own."""

from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import BaseModel

from bottega.assistant.memory_files.paths import MemoryAccess, MemoryPath, WriteMode
from bottega.assistant.workspace.operations import FilePath, FileView, RemovedItem, Text
from bottega.core.operations import Delete, Get, Put, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller

if TYPE_CHECKING:
    from bottega.assistant.service import Assistant


class MemoryFileView(BaseModel):
    path: str
    #: `teacher` or `class`.
    scope: str
    class_id: str | None
    importance: float
    updated_at: datetime


class MemoryFileList(BaseModel):
    files: list[MemoryFileView]


class MemoryFileRequest(BaseModel):
    path: FilePath


class MemoryWriteRequest(Text):
    path: FilePath


@operation(Get("/assistant/memory"))
async def list_memory_files(assistant: "Assistant", caller: Caller) -> MemoryFileList:
    return MemoryFileList(
        files=[
            MemoryFileView(
                path=str(MemoryPath(each.class_id, each.path)),
                scope=each.scope,
                class_id=each.class_id or None,
                importance=each.importance,
                updated_at=each.updated_at,
            )
            for each in await assistant.memory_files.list(caller.user_id)
        ]
    )


@operation(Get("/assistant/memory/file"))
async def read_memory_file(
    assistant: "Assistant", asked: MemoryFileRequest, caller: Caller
) -> FileView:
    text = await assistant.memory_files.read(asked.path, MemoryAccess(caller.user_id))
    return FileView(path=asked.path, text=text)


@operation(Put("/assistant/memory/file", query=("path",)), needs=Right.DECIDE)
async def write_memory_file(
    assistant: "Assistant", asked: MemoryWriteRequest, caller: Caller
) -> FileView:
    """A person's own words are theirs: no name is asked about."""
    access = MemoryAccess(caller.user_id)
    await assistant.memory_files.write(asked.path, asked.text, access, WriteMode.REPLACE)
    text = await assistant.memory_files.read(asked.path, access)
    return FileView(path=asked.path, text=text)


@operation(Delete("/assistant/memory/file"), needs=Right.DECIDE)
async def remove_memory_file(
    assistant: "Assistant", asked: MemoryFileRequest, caller: Caller
) -> RemovedItem:
    await assistant.memory_files.delete(asked.path, MemoryAccess(caller.user_id))
    return RemovedItem(removed=asked.path)
