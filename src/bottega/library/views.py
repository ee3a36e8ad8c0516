"""Libraries, their documents and paragraphs, as every door shows them."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from bottega.core.runs import RunStatus
from bottega.core.search import SearchType
from bottega.library.reading.document import Kind


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


class Hit(View):
    paragraph: ParagraphView
    #: What hits are ordered by; comparable within one search only.
    score: float
    #: Reciprocal rank fusion of the two halves, for those who compare with it.
    rrf_score: float
    #: What found it: `keyword`, `vector`, `reference`, `term:dangerous goods`.
    paths: list[str]


class Results(View):
    query: str
    hits: list[Hit]
    #: What was really searched: `keyword` if vectors were away.
    search_type: SearchType
    #: Why it is not what was asked for.
    degraded: str | None = None
    #: The defined terms that widened the query.
    expanded_by: list[str] = []


class Rejected(View):
    path: str
    #: From a closed set: `encrypted`, `too_large`, `malformed` …
    reason: str
    message: str


class Oddity(View):
    """Something about a document that went in all the same."""

    path: str
    message: str


class IngestReport(View):
    """What an ingest changed."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    removed: int = 0
    #: Paragraphs of the documents that were added or replaced.
    paragraphs: int = 0
    #: Files of the folder that are no documents.
    ignored: int = 0
    rejected: list[Rejected] = []
    problems: list[Oddity] = []

    def __add__(self, other: "IngestReport") -> "IngestReport":
        return IngestReport(
            **{name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields}
        )


class IngestProgress(View):
    run_id: str
    library: str
    status: RunStatus
    #: Files.
    done: int
    total: int
    report: IngestReport
    error: str | None = None
