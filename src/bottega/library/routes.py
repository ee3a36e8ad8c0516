"""Documents come into a library, and how far that is as a stream.

Documents are uploaded. A folder on the server's disk is read for its owner alone, at the same
machine: that is what `bottega library add` asks for.
"""

import asyncio
from collections.abc import AsyncIterator
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile, status
from starlette.responses import StreamingResponse

from bottega.core.doors.callers import CurrentCaller
from bottega.core.doors.streams import OpenStreams, frame
from bottega.core.events import MISSED, Subscription
from bottega.core.roles import Right, needs
from bottega.errors import Forbidden, InvalidInput, TooLarge
from bottega.library.ingest.schemas import FolderInput, LibraryStarted
from bottega.library.parsers.document import Kind
from bottega.library.service import LibraryRoom

MAX_FILES = 200
#: Seconds between two states: nobody reads faster.
PACE = 0.2


def router(room: LibraryRoom) -> APIRouter:
    ingests = IngestRoutes(room)
    routes = APIRouter(prefix="/libraries", tags=["library"])
    routes.post("/upload", status_code=status.HTTP_202_ACCEPTED)(ingests.upload_documents)
    routes.post("/{name}/ingest", status_code=status.HTTP_202_ACCEPTED)(ingests.ingest_folder)
    events = routes.get("/{name}/ingests/{run_id}/events", response_class=StreamingResponse)
    events(ingests.follow_ingest)
    return routes


class IngestRoutes:
    def __init__(self, room: LibraryRoom) -> None:
        self._room = room

    async def upload_documents(
        self,
        library: Annotated[str, Form(description="Its name; it has to be there.")],
        files: Annotated[list[UploadFile], File()],
        caller: CurrentCaller,
        kind: Annotated[Kind | None, Form(description="Default: as the document says.")] = None,
    ) -> LibraryStarted:
        """Add documents, or new editions of them: a file's name is what it is known by."""
        into = await self._room.libraries.get(library, caller.user_id)
        contents = await _read(files)
        return LibraryStarted(run_id=await self._room.ingest.upload(into, contents, kind=kind))

    @needs(Right.ADMINISTER)
    async def ingest_folder(
        self, name: str, asked: FolderInput, caller: CurrentCaller, request: Request
    ) -> LibraryStarted:
        """Make the library what a folder of this machine holds; what is unchanged is skipped."""
        if not _is_here(request):
            raise Forbidden(
                "Folders are read only for the owner of this machine, and from it. Upload the "
                "documents instead."
            )
        folder = Path(asked.folder)
        if not folder.is_absolute():
            raise InvalidInput(f"The folder {asked.folder!r} is not an absolute path.")
        library = await self._room.libraries.get(name, caller.user_id)
        return LibraryStarted(
            run_id=await self._room.ingest.folder(library, folder, kind=asked.kind)
        )

    async def follow_ingest(
        self, name: str, run_id: str, caller: CurrentCaller, streams: OpenStreams
    ) -> StreamingResponse:
        """The same as server-sent events, whenever it gets further, until it has ended."""
        library = await self._room.libraries.get(name, caller.user_id)
        await self._room.ingest.progress_in(library, run_id, caller.user_id)
        return streams.send(_follow(self._room, run_id))


async def _follow(room: LibraryRoom, run_id: str) -> AsyncIterator[bytes]:
    async with room.core.bus.subscribe("run.*") as events:
        told = await room.ingest.progress(run_id)
        yield frame(told.model_dump_json())
        while not told.status.is_final and await _has_event_of(run_id, events):
            progress = await room.ingest.progress(run_id)
            if progress != told:
                told = progress
                yield frame(told.model_dump_json())
                await asyncio.sleep(0 if told.status.is_final else PACE)


async def _has_event_of(run_id: str, events: Subscription) -> bool:
    """Wait for an event of the run; false if the subscription ends before one comes."""
    async for event in events:
        if event.topic == MISSED or event.payload.get("run_id") == run_id:
            return True
    return False


async def _read(files: list[UploadFile]) -> list[tuple[str, bytes]]:
    if len(files) > MAX_FILES:
        raise TooLarge(f"{len(files)} files at once are too many; send {MAX_FILES} at most.")
    contents = []
    for file in files:
        if not file.filename:
            raise InvalidInput("An uploaded file has no name; its name is what it is known by.")
        contents.append((file.filename, await file.read()))
    return contents


def _is_here(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False
