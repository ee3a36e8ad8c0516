"""How documents get into a library, and how far that is.

Documents are uploaded. A folder on the server's disk is read for its owner alone, at the same
machine: that is what `bottega library add` asks for.
"""

import asyncio
from collections.abc import AsyncIterator
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, Form, Query, Request, UploadFile, status
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from bottega.core.callers import CurrentCaller
from bottega.core.events import MISSED, Subscription
from bottega.core.examples import examples
from bottega.core.streams import OpenStreams, frame
from bottega.core.users import LOCAL_USER
from bottega.errors import Forbidden, InvalidInput, NotFound, TooLarge
from bottega.library.desk import Desk
from bottega.library.reading.document import Kind
from bottega.library.views import IngestProgress

EXAMPLE = "harbour"
EXAMPLE_TITLE = "Rules of the harbour"
MAX_FILES = 200
#: Seconds between two states: nobody reads faster.
PACE = 0.2

Wait = Annotated[float, Query(ge=0, le=30, description="Seconds to wait for its end.")]


class FolderInput(BaseModel):
    folder: str = Field(min_length=1, max_length=4_096, description="An absolute path.")
    kind: Kind | None = None


class Started(BaseModel):
    run_id: str


class StartedExample(Started):
    #: The library's name.
    library: str


def add_routes(routes: APIRouter, desk: Desk) -> None:
    libraries, ingest = desk.libraries, desk.ingest

    async def progress_of(name: str, run_id: str, user_id: str) -> IngestProgress:
        library = await libraries.get(name, user_id)
        progress = await ingest.progress(run_id, user_id)
        if progress.library != library.name:
            raise NotFound(f"The library {name!r} has no ingest {run_id!r}.")
        return progress

    @routes.post("/upload", status_code=status.HTTP_202_ACCEPTED)
    async def upload_documents(
        library: Annotated[str, Form(description="Its name; it has to be there.")],
        files: Annotated[list[UploadFile], File()],
        caller: CurrentCaller,
        kind: Annotated[Kind | None, Form(description="Default: as the document says.")] = None,
    ) -> Started:
        """Add documents, or new editions of them: a file's name is what it is known by."""
        into = await libraries.get(library, caller.user_id)
        contents = await _read(files)
        return Started(run_id=await ingest.upload(into, contents, kind=kind))

    @routes.post("/example", status_code=status.HTTP_202_ACCEPTED)
    async def add_example_library(caller: CurrentCaller) -> StartedExample:
        """The rules of a small harbour, which come with the house: a library to try things on."""
        contents = await asyncio.to_thread(_example_documents)
        into = await libraries.ensure(EXAMPLE, EXAMPLE_TITLE, user_id=caller.user_id)
        return StartedExample(library=into.name, run_id=await ingest.upload(into, contents))

    @routes.post("/{name}/ingest", status_code=status.HTTP_202_ACCEPTED)
    async def ingest_folder(
        name: str, asked: FolderInput, caller: CurrentCaller, request: Request
    ) -> Started:
        """Make the library what a folder of this machine holds; what is unchanged is skipped."""
        if caller.user_id != LOCAL_USER or not _is_here(request):
            raise Forbidden(
                "Folders are read only for the owner of this machine, and from it. Upload the "
                "documents instead."
            )
        folder = Path(asked.folder)
        if not folder.is_absolute():
            raise InvalidInput(f"The folder {asked.folder!r} is not an absolute path.")
        library = await libraries.get(name, caller.user_id)
        return Started(run_id=await ingest.folder(library, folder, kind=asked.kind))

    @routes.get("/{name}/ingests/{run_id}")
    async def ingest_status(
        name: str, run_id: str, caller: CurrentCaller, wait: Wait = 0
    ) -> IngestProgress:
        """How far it is; with `wait`, as soon as it has ended or after so many seconds."""
        progress = await progress_of(name, run_id, caller.user_id)
        if progress.status.is_final or not wait:
            return progress
        try:
            async with asyncio.timeout(wait):
                await desk.core.runs.wait(run_id)
        except TimeoutError:
            pass
        return await ingest.progress(run_id)

    @routes.get("/{name}/ingests/{run_id}/events", response_class=StreamingResponse)
    async def follow_ingest(
        name: str, run_id: str, caller: CurrentCaller, streams: OpenStreams
    ) -> StreamingResponse:
        """The same as server-sent events, whenever it gets further, until it has ended."""
        await progress_of(name, run_id, caller.user_id)
        return streams.send(_follow(desk, run_id))


async def _follow(desk: Desk, run_id: str) -> AsyncIterator[bytes]:
    async with desk.core.bus.subscribe("run.*") as events:
        told = await desk.ingest.progress(run_id)
        yield frame(told.model_dump_json())
        while not told.status.is_final and await _hears_of(run_id, events):
            progress = await desk.ingest.progress(run_id)
            if progress != told:
                told = progress
                yield frame(told.model_dump_json())
                await asyncio.sleep(0 if told.status.is_final else PACE)


async def _hears_of(run_id: str, events: Subscription) -> bool:
    """Wait until something has happened in the run; not, if the house closes."""
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


def _example_documents() -> list[tuple[str, bytes]]:
    return [
        (file.name, file.read_bytes()) for file in sorted((examples() / "standards").glob("*.md"))
    ]


def _is_here(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False
