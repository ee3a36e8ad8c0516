"""What a library says: search, paragraphs, what they lead to, and whether a claim holds."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, model_validator

from bottega.core.callers import CurrentCaller
from bottega.core.search import SearchType
from bottega.library.desk import Desk
from bottega.library.graph.views import Hops
from bottega.library.searching.answerable import Answerability
from bottega.library.tables import Library
from bottega.library.tool_arguments import (
    MAX_QUERY,
    Citations,
    ComparedClaims,
    ComparedParagraphs,
    Entities,
    Paragraphs,
    Relations,
)
from bottega.library.verifying.texts import MAX_TEXT, TextReport, TextVerification
from bottega.library.verifying.verification import Verification
from bottega.library.verifying.verified import CitationReport, Report
from bottega.library.views import ParagraphContext, ParagraphView, Results

Words = Annotated[str, Query(min_length=1, max_length=MAX_QUERY)]
#: In the query, because references have all kinds of characters.
Identifier = Annotated[
    str, Query(min_length=1, max_length=500, description="An id, or a reference: `315.12(a)`.")
]


class VerifyInput(BaseModel):
    """What to check, each axis with what its tool takes; those without anything are left out."""

    citations: Citations = []
    entities: Entities = []
    #: Where the entities should be found.
    source_paragraph_ids: Paragraphs = []
    relations: Relations = []
    #: What should not contradict itself, or the claims.
    paragraph_ids: ComparedParagraphs = []
    synthesis_claims: ComparedClaims = []

    @model_validator(mode="after")
    def _something(self) -> "VerifyInput":
        if not (self.citations or self.entities or self.relations or self.paragraph_ids):
            raise ValueError("give `citations`, `entities`, `relations` or `paragraph_ids`")
        if self.entities and not self.source_paragraph_ids:
            raise ValueError("`entities` need `source_paragraph_ids` to be found in")
        return self


class TextInput(BaseModel):
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


class Verified(BaseModel):
    all_passed: bool
    citations: CitationReport | None = None
    entities: Report | None = None
    relations: Report | None = None
    contradictions: Report | None = None


def add_routes(routes: APIRouter, desk: Desk) -> None:
    libraries = desk.libraries

    @routes.get("/{name}/search")
    async def search_library(
        name: str,
        query: Words,
        caller: CurrentCaller,
        max_results: Annotated[int, Query(ge=1, le=100)] = 20,
        filter: Annotated[
            list[str] | None, Query(description="Only in these documents: numbers or paths.")
        ] = None,
        search_type: SearchType = SearchType.HYBRID,
        rerank: bool = False,
    ) -> Results:
        """Best first; each hit says what found it."""
        return await desk.search.search(
            await libraries.get(name, caller.user_id),
            query,
            max_results=max_results,
            filter=filter,
            search_type=search_type,
            rerank=rerank,
        )

    @routes.get("/{name}/answerable")
    async def is_answerable(name: str, query: Words, caller: CurrentCaller) -> Answerability:
        """Whether the library holds an answer at all: a search always finds something."""
        library = await libraries.get(name, caller.user_id)
        return await desk.answerability.answerable(library, query)

    @routes.get("/{name}/paragraph")
    async def get_paragraph(
        name: str, identifier: Identifier, caller: CurrentCaller
    ) -> ParagraphView:
        library = await libraries.get(name, caller.user_id)
        return await libraries.paragraph(library, identifier)

    @routes.get("/{name}/paragraph/context")
    async def get_paragraph_context(
        name: str, identifier: Identifier, caller: CurrentCaller
    ) -> ParagraphContext:
        """A paragraph in its place: its file, what stands around it, the terms it rests on."""
        library = await libraries.get(name, caller.user_id)
        return await libraries.surroundings(library, identifier)

    @routes.get("/{name}/neighbours")
    async def list_neighbours(
        name: str,
        identifier: Identifier,
        caller: CurrentCaller,
        max_hops: Annotated[int, Query(ge=1, le=6)] = 1,
        max_results: Annotated[int, Query(ge=1, le=100)] = 30,
        decay: Annotated[
            float, Query(ge=0, le=1, description="What is left of a score after each hop.")
        ] = 0.7,
    ) -> Hops:
        """What a paragraph leads to, and how."""
        library = await libraries.get(name, caller.user_id)
        return await desk.graph.hop(
            library, identifier, max_hops=max_hops, max_results=max_results, decay=decay
        )

    @routes.post("/{name}/verify")
    async def verify(name: str, asked: VerifyInput, caller: CurrentCaller) -> Verified:
        library = await libraries.get(name, caller.user_id)
        return await _verify(desk.verification, library, asked)

    @routes.post("/{name}/verify/text")
    async def verify_text(name: str, asked: TextInput, caller: CurrentCaller) -> TextReport:
        """Each sentence against what it cites, or else against what the library has nearest."""
        library = await libraries.get(name, caller.user_id)
        return await TextVerification(desk.core, desk.search, desk.verification).verify(
            library, asked.text
        )


async def _verify(axes: Verification, library: Library, asked: VerifyInput) -> Verified:
    found: dict[str, CitationReport | Report] = {}
    if asked.citations:
        found["citations"] = await axes.citations(library, asked.citations)
    if asked.entities:
        found["entities"] = await axes.entities(library, asked.entities, asked.source_paragraph_ids)
    if asked.relations:
        found["relations"] = await axes.relations(library, asked.relations)
    if asked.paragraph_ids:
        found["contradictions"] = await axes.contradictions(
            library, asked.paragraph_ids, asked.synthesis_claims
        )
    all_passed = all(report.passed for report in found.values())
    return Verified.model_validate({"all_passed": all_passed, **found})
