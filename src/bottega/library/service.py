"""Libraries as other rooms use them: to search, to walk, to read and to verify."""

from dataclasses import dataclass, fields

from bottega.core.search.hybrid import SearchType
from bottega.core.services import Core
from bottega.library.documents.schemas import DocumentView, ParagraphView
from bottega.library.documents.service import Libraries
from bottega.library.documents.tables import Library
from bottega.library.graph.schemas import EdgeKind, Hop, Hops
from bottega.library.graph.service import Graph
from bottega.library.ingest.service import Ingest
from bottega.library.parsers.document import Kind
from bottega.library.parsers.references import normalise_ref, parent_ref
from bottega.library.search.answerability import AnswerabilityJudge, question_words
from bottega.library.search.context import format_context
from bottega.library.search.schemas import (
    Answerability,
    AnswerPassage,
    Hit,
    Results,
    Role,
    WebPage,
    WebResults,
)
from bottega.library.search.service import LibrarySearch, WebSearch
from bottega.library.verify.citations import join_lead
from bottega.library.verify.schemas import (
    Citation,
    CitationDetail,
    CitationReport,
    Relation,
    Report,
)
from bottega.library.verify.service import TextVerification, Verification

__all__ = [
    "AnswerPassage",
    "Answerability",
    "Citation",
    "CitationDetail",
    "CitationReport",
    "DocumentView",
    "EdgeKind",
    "Hit",
    "Hop",
    "Hops",
    "Kind",
    "Library",
    "LibraryService",
    "ParagraphView",
    "Relation",
    "Report",
    "Results",
    "Role",
    "SearchType",
    "WebPage",
    "WebResults",
    "WebSearch",
    "format_context",
    "join_lead",
    "normalise_ref",
    "open_library",
    "parent_ref",
    "question_words",
]


@dataclass(frozen=True, slots=True)
class LibraryService:
    core: Core
    libraries: Libraries
    search: LibrarySearch
    answerability: AnswerabilityJudge
    graph: Graph
    verification: Verification
    web: WebSearch


def open_library(core: Core) -> LibraryService:
    return LibraryService(
        core,
        Libraries(core),
        LibrarySearch(core),
        AnswerabilityJudge(core),
        Graph(core),
        Verification(core),
        WebSearch(core.gateway),
    )


@dataclass(frozen=True, slots=True)
class LibraryRoom(LibraryService):
    """What the room's own doors use: the same, with ingest and the checking of whole texts."""

    ingest: Ingest
    texts: TextVerification


def open_library_room(core: Core) -> LibraryRoom:
    """Also registers the runs by which libraries are filled and linked: once in a process."""
    shared = open_library(core)
    parts = {field.name: getattr(shared, field.name) for field in fields(shared)}
    return LibraryRoom(
        **parts,
        ingest=Ingest(core, shared.libraries),
        texts=TextVerification(core, shared.search, shared.verification),
    )
