"""What an ingest changed, and how far it is."""

from pydantic import BaseModel, Field

from bottega.core.run_status import RunStatus
from bottega.library.documents.schemas import LibraryRequest, View
from bottega.library.parsers.document import Kind


class FolderInput(BaseModel):
    folder: str = Field(min_length=1, max_length=4_096, description="An absolute path.")
    kind: Kind | None = None


class IngestRequest(LibraryRequest):
    run_id: str
    wait: float = Field(0, ge=0, le=30, description="Seconds to wait for its end.")


class LibraryStarted(BaseModel):
    run_id: str


class StartedExample(LibraryStarted):
    #: The library's name.
    library: str


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
    rejected: list[Rejected] = Field([])
    #: Left out on purpose: pages that only lead to others, and the source of a page that is read.
    skipped: list[Rejected] = Field([])
    problems: list[Oddity] = Field([])

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
