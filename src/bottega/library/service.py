"""Libraries as other rooms use them: to search, to walk, to read and to verify."""

from dataclasses import dataclass

from bottega.core.search import SearchType
from bottega.core.services import Core
from bottega.library.context import Role, estimate_tokens, format_context
from bottega.library.graph.graph import Graph
from bottega.library.graph.views import Hop, Hops
from bottega.library.libraries import Libraries
from bottega.library.reading.document import Kind
from bottega.library.searching.answerable import Answerability, AnswerabilityJudge
from bottega.library.searching.search import LibrarySearch
from bottega.library.tables import Library
from bottega.library.tool_arguments import Citation, Relation
from bottega.library.verifying.verification import Verification
from bottega.library.verifying.verified import CitationDetail, CitationReport, Report
from bottega.library.views import DocumentView, Hit, ParagraphView, Results
from bottega.library.web_search import WebResults, WebSearch

__all__ = [
    "Answerability",
    "Citation",
    "CitationDetail",
    "CitationReport",
    "DocumentView",
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
    "WebResults",
    "estimate_tokens",
    "format_context",
    "open_library",
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
