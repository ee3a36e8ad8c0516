"""Which libraries there are, and what is in them."""

from fastapi import APIRouter, status
from pydantic import BaseModel, Field

from bottega.core.callers import CurrentCaller
from bottega.library.desk import Desk
from bottega.library.reading.document import Kind
from bottega.library.views import DocumentView, LibraryListing, LibraryStatus, LibraryView


class CreateInput(BaseModel):
    name: str = Field(max_length=100, description="a-z, 0-9 and _; its tools are named after it.")
    title: str | None = Field(None, max_length=200)


class LibraryList(BaseModel):
    libraries: list[LibraryListing]


class DocumentList(BaseModel):
    documents: list[DocumentView]


class Removed(BaseModel):
    removed: str


def add_routes(routes: APIRouter, desk: Desk) -> None:
    libraries = desk.libraries

    @routes.get("")
    async def list_libraries(caller: CurrentCaller) -> LibraryList:
        return LibraryList(libraries=list(await libraries.listing(caller.user_id)))

    @routes.post("", status_code=status.HTTP_201_CREATED)
    async def create_library(asked: CreateInput, caller: CurrentCaller) -> LibraryView:
        made = await libraries.create(asked.name, asked.title, user_id=caller.user_id)
        return LibraryView.model_validate(made)

    @routes.get("/{name}")
    async def library_status(name: str, caller: CurrentCaller) -> LibraryStatus:
        """What is in it, and which files could not be read."""
        return await libraries.status(name, caller.user_id)

    @routes.delete("/{name}")
    async def remove_library(name: str, caller: CurrentCaller) -> Removed:
        """With its documents as they were read; the files themselves stay where they are."""
        await libraries.remove(name, caller.user_id)
        return Removed(removed=name)

    @routes.get("/{name}/documents")
    async def list_documents(
        name: str, caller: CurrentCaller, kind: Kind | None = None
    ) -> DocumentList:
        library = await libraries.get(name, caller.user_id)
        return DocumentList(documents=await libraries.documents(library, kind))
