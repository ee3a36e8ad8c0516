"""Libraries as other rooms use them: to search, to walk, to read and to verify."""

from dataclasses import dataclass

from bottega.core.search import SearchType
from bottega.core.services import Core
from bottega.library import repository
from bottega.library.context import Role, estimate_tokens, format_context
from bottega.library.graph.edges import EdgeKind
from bottega.library.graph.graph import Graph
from bottega.library.graph.views import Hop, Hops
from bottega.library.judging.statements import join_lead, sentences
from bottega.library.judging.words import concept
from bottega.library.libraries import Libraries
from bottega.library.prompts.web_search import WebPage
from bottega.library.reading.document import Kind
from bottega.library.reading.references import normalise_ref, parent_ref
from bottega.library.searching.answerable import Answerability, AnswerabilityJudge
from bottega.library.searching.evidence import Question
from bottega.library.searching.search import LibrarySearch
from bottega.library.searching.sought import has_what_is_sought
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
    "EdgeKind",
    "Hit",
    "Hop",
    "Hops",
    "Kind",
    "Library",
    "LibraryService",
    "ParagraphView",
    "Question",
    "Relation",
    "Report",
    "Results",
    "Role",
    "SearchType",
    "WebPage",
    "WebResults",
    "WebSearch",
    "concept",
    "estimate_tokens",
    "format_context",
    "has_what_is_sought",
    "join_lead",
    "normalise_ref",
    "open_library",
    "parent_ref",
    "sentences",
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

    async def terms(self, library: Library) -> dict[str, str]:
        """What it defines its words to mean, in the order of the alphabet."""
        async with self.core.database.read() as session:
            rows = await repository.terms(session, library.id)
        return {row.term: row.definition for row in rows}


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
