"""What can be asked of ingests; uploads, folders and streams are in the room's `routes.py`."""

import asyncio
from typing import TYPE_CHECKING

from bottega.core.examples import examples
from bottega.core.operations import Get, Post, operation
from bottega.core.rooms import Caller
from bottega.library.ingest.schemas import IngestProgress, IngestRequest, StartedExample

if TYPE_CHECKING:
    from bottega.library.service import LibraryRoom

EXAMPLE = "harbour"
EXAMPLE_TITLE = "Rules of the harbour"


@operation(Post("/libraries/example", status=202))
async def add_example_library(room: "LibraryRoom", caller: Caller) -> StartedExample:
    """The rules of a small harbour, which come with the house: a library to try things on."""
    contents = await asyncio.to_thread(_example_documents)
    into = await room.libraries.ensure(EXAMPLE, EXAMPLE_TITLE, user_id=caller.user_id)
    return StartedExample(library=into.name, run_id=await room.ingest.upload(into, contents))


@operation(Get("/libraries/{name}/ingests/{run_id}"))
async def ingest_status(
    room: "LibraryRoom", asked: IngestRequest, caller: Caller
) -> IngestProgress:
    """How far it is; with `wait`, as soon as it has ended or after so many seconds."""
    library = await room.libraries.get(asked.name, caller.user_id)
    progress = await room.ingest.progress_in(library, asked.run_id, caller.user_id)
    if progress.status.is_final or not asked.wait:
        return progress
    try:
        async with asyncio.timeout(asked.wait):
            await room.core.runs.wait(asked.run_id)
    except TimeoutError:
        pass
    return await room.ingest.progress(asked.run_id)


def _example_documents() -> list[tuple[str, bytes]]:
    return [
        (file.name, file.read_bytes()) for file in sorted((examples() / "standards").glob("*.md"))
    ]
