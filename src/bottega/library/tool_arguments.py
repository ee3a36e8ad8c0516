"""What agents say to a library's tools. Models pay for every word of it: no descriptions where
the name says it."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from bottega.core.bounds import bounded
from bottega.core.search import SearchType
from bottega.library.context import Role

MAX_QUERY = 2_000
MAX_CLAIM = 5_000
MAX_ITEMS = 200
#: Every one is compared with every other.
MAX_COMPARED = 200


Query = Annotated[str, bounded(1, MAX_QUERY)]
#: A paragraph's id, or its reference as people write it.
Paragraph = Annotated[str, bounded(1, 500)]
Paragraphs = Annotated[list[Paragraph], bounded(1, MAX_ITEMS)]
Entities = Annotated[list[Annotated[str, bounded(1, 500)]], bounded(1, MAX_ITEMS)]
Claim = Annotated[str, bounded(1, MAX_CLAIM)]
ComparedParagraphs = Annotated[list[Paragraph], bounded(1, MAX_COMPARED)]
ComparedClaims = Annotated[list[Claim], bounded(0, MAX_COMPARED)]
MaxResults = Annotated[int, Field(ge=1, le=100)]
Hops = Annotated[int, Field(ge=1, le=6)]
Share = Annotated[float, Field(ge=0, le=1)]
Documents = Annotated[list[str] | str | None, Field(description="Document numbers or paths.")]


class Nothing(BaseModel):
    pass


class InLibrary(BaseModel):
    """What the generic tools take beside the arguments of a library's own."""

    library: str


class SearchInput(BaseModel):
    query: Query
    max_results: MaxResults = 20
    filter: Documents = None
    search_type: SearchType = SearchType.HYBRID


class GuideSearchInput(BaseModel):
    query: Query
    max_results: MaxResults = 10
    guide_filter: Documents = None
    search_type: SearchType = SearchType.HYBRID


class MultiTierInput(BaseModel):
    query: Query
    max_results: MaxResults = 20
    tiers: list[Literal[1, 2]] = Field([1, 2], description="1 standards, 2 guides")
    filter: Documents = None
    search_type: SearchType = SearchType.HYBRID


class HopInput(BaseModel):
    paragraph_id: Paragraph
    max_hops: Hops = 3
    decay: Share = 0.7
    min_score: Share = 0.01
    max_results: MaxResults = 30


class GuideHopInput(BaseModel):
    guide_section_id: Paragraph
    max_hops: Hops = 2
    decay: Share = 0.7
    min_score: Share = 0.01
    max_results: MaxResults = 30


class TraceInput(BaseModel):
    start_id: Paragraph
    max_hops: Hops = 3


class ParagraphInput(BaseModel):
    identifier: Paragraph


class EntitiesInput(BaseModel):
    entities: Entities
    source_paragraph_ids: Paragraphs


class Citation(BaseModel):
    """A claim, and the paragraph it is said to rest on."""

    paragraph_id: Paragraph | None = None
    paragraph_ref: Paragraph | None = None
    claim: Claim

    @model_validator(mode="after")
    def _cites(self) -> "Citation":
        if not (self.paragraph_id or self.paragraph_ref):
            raise ValueError("give `paragraph_id` or `paragraph_ref`")
        return self

    @property
    def cited(self) -> str:
        return self.paragraph_id or self.paragraph_ref or ""


Citations = Annotated[list[Citation], bounded(1, MAX_ITEMS)]


class CitationsInput(BaseModel):
    citations: Citations


class Relation(BaseModel):
    source_paragraph: Paragraph
    target_paragraph: Paragraph
    relation_type: Annotated[str, bounded(1, 50)]


Relations = Annotated[list[Relation], bounded(1, MAX_ITEMS)]


class RelationsInput(BaseModel):
    relations: Relations


class ContradictionsInput(BaseModel):
    paragraph_ids: ComparedParagraphs
    synthesis_claims: ComparedClaims = []


class ContextInput(BaseModel):
    paragraphs: Paragraphs
    query: Query
    max_tokens: int = Field(8000, ge=100, le=200_000)
    roles: dict[str, Role] = {}
    group_by_role: bool = True


class WebSearchInput(BaseModel):
    queries: Annotated[list[Query], bounded(1, 10)]
    max_results_per_query: int = Field(5, ge=1, le=20)
