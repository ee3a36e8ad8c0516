"""What a search is asked, and what it finds."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from bottega.core.operations import bounded
from bottega.core.search_types import Fit, SearchType
from bottega.library.documents.schemas import (
    InLibrary,
    LibraryRequest,
    MaxResults,
    Paragraphs,
    ParagraphView,
    Query,
    View,
    Words,
)

Documents = Annotated[list[str] | str | None, Field(description="Document numbers or paths.")]


class Role(StrEnum):
    """In the order in which the budget is spent."""

    PRIMARY = "primary"
    SUPPORTING = "supporting"
    CONTEXT = "context"


class SearchInput(InLibrary):
    query: Query
    max_results: MaxResults = 20
    filter: Documents = None
    search_type: SearchType = SearchType.HYBRID


class GuideSearchInput(InLibrary):
    query: Query
    max_results: MaxResults = 10
    guide_filter: Documents = None
    search_type: SearchType = SearchType.HYBRID


class MultiTierInput(InLibrary):
    query: Query
    max_results: MaxResults = 20
    tiers: list[Literal[1, 2]] = Field([1, 2], description="1 standards, 2 guides")
    filter: Documents = None
    search_type: SearchType = SearchType.HYBRID


class ContextInput(InLibrary):
    paragraphs: Paragraphs
    query: Query
    max_tokens: int = Field(8000, ge=100, le=200_000)
    roles: dict[str, Role] = Field({})
    group_by_role: bool = True


class WebSearchInput(InLibrary):
    queries: Annotated[list[Query], bounded(1, 10)]
    max_results_per_query: int = Field(5, ge=1, le=20)


class QuestionRequest(LibraryRequest):
    query: Words


class SearchRequest(QuestionRequest):
    max_results: MaxResults = 20
    filter: list[str] | None = Field(None, description="Only in these documents: numbers or paths.")
    search_type: SearchType = SearchType.HYBRID
    rerank: bool = False


class FormattedContext(BaseModel):
    context: str
    tokens: int


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
    expanded_by: list[str] = Field([])


class AnswerPassage(View):
    """A passage that may answer, and how likely it is."""

    ref: str
    document: str
    #: What of it answers best, word by word.
    sentence: str
    probability: float
    fit: Fit


class Answerability(View):
    #: Whether anything fits.
    answerable: bool
    #: How likely it is that the best passage answers, from 0 to 1.
    confidence: float
    #: What the best passage takes up of the question, and what is missing.
    reasons: list[str]
    #: Its reference.
    best: str | None
    fit: Fit = Fit.NOTHING
    #: Which reader gave the probabilities.
    method: str = ""
    #: The best five, likeliest first.
    passages: list[AnswerPassage] = Field([])


class WebPage(BaseModel):
    query: str
    url: str
    title: str
    excerpt: str


class WebResults(BaseModel):
    #: Nothing was searched, for the reason beside it.
    skipped: bool
    skip_reason: str | None = None
    queries: list[str]
    results: list[WebPage] = []
