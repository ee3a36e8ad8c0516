"""What can be asked of libraries and of what is in them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bottega.core.operations import Delete, Get, McpTool, Post, operation
from bottega.core.rooms import Caller
from bottega.library.documents.schemas import (
    CreateInput,
    DocumentList,
    DocumentsRequest,
    DocumentView,
    InLibrary,
    LibraryList,
    LibraryRequest,
    LibraryStatus,
    LibraryView,
    ParagraphContext,
    ParagraphInput,
    ParagraphRequest,
    ParagraphView,
    Removed,
)
from bottega.library.parsers.document import Kind

if TYPE_CHECKING:
    from bottega.library.service import LibraryRoom


def library_tool(name: str, description: str) -> McpTool:
    """A tool of all libraries; at a library's own endpoint it is named after that one.

    It changes nothing: documents come in by the command line and over HTTP.
    """
    return McpTool(f"library_{name}", description, read_only=True)


@operation(Get("/libraries"))
async def list_libraries(room: "LibraryRoom", caller: Caller) -> LibraryList:
    return LibraryList(libraries=list(await room.libraries.listing(caller.user_id)))


@operation(Post("/libraries", status=201))
async def create_library(room: "LibraryRoom", asked: CreateInput, caller: Caller) -> LibraryView:
    made = await room.libraries.create(asked.name, asked.title, user_id=caller.user_id)
    return LibraryView.model_validate(made)


@operation(Get("/libraries/{name}"))
async def library_status(
    room: "LibraryRoom", asked: LibraryRequest, caller: Caller
) -> LibraryStatus:
    """What is in it, and which files could not be read."""
    return await room.libraries.status(asked.name, caller.user_id)


@operation(Delete("/libraries/{name}"))
async def remove_library(room: "LibraryRoom", asked: LibraryRequest, caller: Caller) -> Removed:
    """With its documents as they were read; the files themselves stay where they are."""
    await room.libraries.remove(asked.name, caller.user_id)
    return Removed(removed=asked.name)


@operation(Get("/libraries/{name}/documents"))
async def list_documents(
    room: "LibraryRoom", asked: DocumentsRequest, caller: Caller
) -> DocumentList:
    library = await room.libraries.get(asked.name, caller.user_id)
    return DocumentList(documents=await room.libraries.documents(library, asked.kind))


@operation(Get("/libraries/{name}/paragraph"))
async def get_paragraph(
    room: "LibraryRoom", asked: ParagraphRequest, caller: Caller
) -> ParagraphView:
    library = await room.libraries.get(asked.name, caller.user_id)
    return await room.libraries.paragraph(library, asked.identifier)


@operation(Get("/libraries/{name}/paragraph/context"))
async def get_paragraph_context(
    room: "LibraryRoom", asked: ParagraphRequest, caller: Caller
) -> ParagraphContext:
    """A paragraph in its place: its file, what stands around it, the terms it rests on."""
    library = await room.libraries.get(asked.name, caller.user_id)
    return await room.libraries.surroundings(library, asked.identifier)


@operation(library_tool("get_paragraph", "A paragraph by id or reference."))
async def read_paragraph(
    room: "LibraryRoom", asked: ParagraphInput, caller: Caller
) -> ParagraphView:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.libraries.paragraph(library, asked.identifier)


@operation(library_tool("list_standards", "The standards."))
async def list_standards(
    room: "LibraryRoom", asked: InLibrary, caller: Caller
) -> dict[str, Sequence[DocumentView]]:
    library = await room.libraries.get(asked.library, caller.user_id)
    return {"standards": await room.libraries.documents(library, Kind.STANDARD)}


@operation(library_tool("list_guides", "The guides."))
async def list_guides(
    room: "LibraryRoom", asked: InLibrary, caller: Caller
) -> dict[str, Sequence[DocumentView]]:
    library = await room.libraries.get(asked.library, caller.user_id)
    return {"guides": await room.libraries.documents(library, Kind.GUIDE)}


@operation(library_tool("kb_status", "What is in it; an unknown name gets the known."))
async def kb_status(room: "LibraryRoom", asked: InLibrary, caller: Caller) -> LibraryStatus:
    return await room.libraries.status(asked.library, caller.user_id)
