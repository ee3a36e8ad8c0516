"""Libraries, their documents and paragraphs, as every door shows them."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from bottega.core.operations import bounded
from bottega.library.parsers.document import Kind

MAX_QUERY = 2_000
MAX_ITEMS = 200

Query = Annotated[str, bounded(1, MAX_QUERY)]
#: The same, told in the OpenAPI document.
Words = Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]
#: A paragraph's id, or its reference as people write it.
ParagraphIdentifier = Annotated[str, bounded(1, 500)]
Paragraphs = Annotated[list[ParagraphIdentifier], bounded(1, MAX_ITEMS)]
MaxResults = Annotated[int, Field(ge=1, le=100)]


class InLibrary(BaseModel):
    """What every tool takes; those of one library are without it."""

    library: str

    @property
    def options(self) -> dict[str, Any]:
        """The other arguments, as the service takes them by their names."""
        return {name: value for name, value in self if name != "library"}


class ParagraphInput(InLibrary):
    identifier: ParagraphIdentifier


class LibraryRequest(BaseModel):
    name: str


class DocumentsRequest(LibraryRequest):
    kind: Kind | None = None


class ParagraphRequest(LibraryRequest):
    #: In the query, because references have all kinds of characters.
    identifier: str = Field(
        min_length=1, max_length=500, description="An id, or a reference: `315.12(a)`."
    )


class CreateInput(BaseModel):
    name: str = Field(max_length=100, description="a-z, 0-9 and _; its tools are named after it.")
    title: str | None = Field(None, max_length=200)


class View(BaseModel):
    model_config = ConfigDict(from_attributes=True, frozen=True)


class LibraryView(View):
    id: str
    name: str
    title: str
    root: str | None
    version: int
    created_at: datetime
    updated_at: datetime


class LibraryListing(LibraryView):
    """A library among others."""

    documents: int
    paragraphs: int


class DocumentView(View):
    id: str
    path: str
    title: str
    kind: Kind
    prefix: str | None
    size: int
    paragraph_count: int
    problems: list[str]
    ingested_at: datetime


class ParagraphView(View):
    id: str
    ref: str
    text: str
    headings: list[str]
    #: Line, page or block: `line 12`.
    start: str | None
    document_id: str
    document: str
    path: str
    kind: Kind


class TermView(View):
    term: str
    definition: str
    #: Where it is defined.
    ref: str


class ParagraphContext(View):
    """A paragraph in its place."""

    paragraph: ParagraphView
    #: The whole path of its file, if that was read from this machine's disk.
    file: str | None
    before: list[ParagraphView]
    after: list[ParagraphView]
    #: What it defines, and what it uses that is defined elsewhere.
    defines: list[TermView]
    uses: list[TermView]


class RejectionView(View):
    path: str
    reason: str
    rejected_at: datetime


class LibraryStatus(View):
    library: LibraryView
    standards: int
    guides: int
    paragraphs: int
    terms: int
    #: By kind of edge: cites, maps_to, hop.
    edges: dict[str, int]
    #: Paragraphs that can be found by words, and by meaning.
    indexed_words: int
    indexed_vectors: int | None = Field(description="Null while the vector store is away.")
    embedder: str
    rejections: list[RejectionView]


class LibraryList(BaseModel):
    libraries: list[LibraryListing]


class DocumentList(BaseModel):
    documents: list[DocumentView]


class Removed(BaseModel):
    removed: str
