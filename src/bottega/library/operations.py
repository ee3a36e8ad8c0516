"""What can be asked of one library, whichever way its name was given."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel

from bottega.library.context import estimate_tokens, format_context
from bottega.library.desk import Desk
from bottega.library.graph.views import Hops, Trace
from bottega.library.reading.document import Kind
from bottega.library.tables import Library
from bottega.library.tool_arguments import (
    CitationsInput,
    ContextInput,
    ContradictionsInput,
    EntitiesInput,
    GuideHopInput,
    GuideSearchInput,
    HopInput,
    MultiTierInput,
    Nothing,
    ParagraphInput,
    RelationsInput,
    SearchInput,
    TraceInput,
    WebSearchInput,
)
from bottega.library.verifying.verified import CitationReport, Report
from bottega.library.views import DocumentView, LibraryStatus, ParagraphView, Results
from bottega.library.web_search import WebResults

In = TypeVar("In", bound=BaseModel)
Listing: TypeAlias = dict[str, Sequence[DocumentView]]


@dataclass(frozen=True, slots=True)
class Operation(Generic[In]):
    #: The tool's name, with `{0}` for the library's.
    pattern: str
    description: str
    arguments: type[In]
    run: Callable[[Library, In], Awaitable[Any]]


def operations(desk: Desk) -> list[Operation[Any]]:
    return [*finding(desk), *walking(desk), *looking_up(desk), *verifying(desk)]


def finding(desk: Desk) -> list[Operation[Any]]:
    search = desk.search

    async def hybrid_search(library: Library, asked: SearchInput) -> Results:
        return await search.search(
            library,
            asked.query,
            max_results=asked.max_results,
            filter=asked.filter,
            search_type=asked.search_type,
        )

    async def guide_search(library: Library, asked: GuideSearchInput) -> Results:
        return await search.guides(
            library,
            asked.query,
            max_results=asked.max_results,
            filter=asked.guide_filter,
            search_type=asked.search_type,
        )

    async def multi_tier_search(library: Library, asked: MultiTierInput) -> Results:
        return await search.multi_tier(
            library,
            asked.query,
            max_results=asked.max_results,
            tiers=asked.tiers,
            filter=asked.filter,
            search_type=asked.search_type,
        )

    return [
        Operation(
            "{0}_hybrid_search", "Find paragraphs by words and meaning.", SearchInput, hybrid_search
        ),
        Operation("{0}_guide_search", "Find sections of guides.", GuideSearchInput, guide_search),
        Operation(
            "{0}_multi_tier_search",
            "Find in standards and, weighing less, guides.",
            MultiTierInput,
            multi_tier_search,
        ),
    ]


def walking(desk: Desk) -> list[Operation[Any]]:
    graph = desk.graph

    async def hop_retrieve(library: Library, asked: HopInput) -> Hops:
        return await graph.hop(
            library,
            asked.paragraph_id,
            max_hops=asked.max_hops,
            decay=asked.decay,
            min_score=asked.min_score,
            max_results=asked.max_results,
        )

    async def guide_hop(library: Library, asked: GuideHopInput) -> Hops:
        return await graph.guide_to_standard(
            library,
            asked.guide_section_id,
            max_hops=asked.max_hops,
            decay=asked.decay,
            min_score=asked.min_score,
            max_results=asked.max_results,
        )

    async def debug_hop_trace(library: Library, asked: TraceInput) -> Trace:
        return await graph.trace(library, asked.start_id, asked.max_hops)

    return [
        Operation("{0}_hop_retrieve", "Paragraphs a paragraph leads to.", HopInput, hop_retrieve),
        Operation(
            "{0}_guide_to_{0}_hop",
            "Paragraphs of standards a guide's section leads to.",
            GuideHopInput,
            guide_hop,
        ),
        Operation(
            "{0}_debug_hop_trace", "Every step a hop considers.", TraceInput, debug_hop_trace
        ),
    ]


def looking_up(desk: Desk) -> list[Operation[Any]]:
    libraries = desk.libraries

    async def get_paragraph(library: Library, asked: ParagraphInput) -> ParagraphView:
        return await libraries.paragraph(library, asked.identifier)

    async def list_standards(library: Library, _asked: Nothing) -> Listing:
        return {"standards": await libraries.documents(library, Kind.STANDARD)}

    async def list_guides(library: Library, _asked: Nothing) -> Listing:
        return {"guides": await libraries.documents(library, Kind.GUIDE)}

    async def kb_status(library: Library, _asked: Nothing) -> LibraryStatus:
        return await libraries.status(library.name, library.user_id)

    async def context(library: Library, asked: ContextInput) -> dict[str, Any]:
        found = {each: await libraries.paragraph(library, each) for each in asked.paragraphs}
        # A role may be given to a reference in any form.
        roles = {found[each].id: role for each, role in asked.roles.items() if each in found}
        text = format_context(
            list(found.values()),
            asked.query,
            asked.max_tokens,
            {**asked.roles, **roles},
            asked.group_by_role,
        )
        return {"context": text, "tokens": estimate_tokens(text)}

    async def web_search(_library: Library, asked: WebSearchInput) -> WebResults:
        return await desk.web.search(
            asked.queries, max_results_per_query=asked.max_results_per_query
        )

    return [
        Operation(
            "{0}_get_paragraph", "A paragraph by id or reference.", ParagraphInput, get_paragraph
        ),
        Operation("{0}_list_standards", "The standards.", Nothing, list_standards),
        Operation("{0}_list_guides", "The guides.", Nothing, list_guides),
        Operation(
            "{0}_kb_status",
            "What is in it; an unknown name gets the known.",
            Nothing,
            kb_status,
        ),
        Operation("{0}_web_search", "Search the web.", WebSearchInput, web_search),
        Operation("{0}_format_context", "Paragraphs as XML for a prompt.", ContextInput, context),
    ]


def verifying(desk: Desk) -> list[Operation[Any]]:
    axes = desk.verification

    async def citation_verify(library: Library, asked: CitationsInput) -> CitationReport:
        return await axes.citations(library, asked.citations)

    async def entity_verify(library: Library, asked: EntitiesInput) -> Report:
        return await axes.entities(library, asked.entities, asked.source_paragraph_ids)

    async def relation_verify(library: Library, asked: RelationsInput) -> Report:
        return await axes.relations(library, asked.relations)

    async def contradiction_check(library: Library, asked: ContradictionsInput) -> Report:
        return await axes.contradictions(library, asked.paragraph_ids, asked.synthesis_claims)

    return [
        Operation(
            "{0}_citation_verify",
            "Whether paragraphs say what is claimed.",
            CitationsInput,
            citation_verify,
        ),
        Operation("{0}_entity_verify", "Whether sources name these.", EntitiesInput, entity_verify),
        Operation(
            "{0}_relation_verify",
            "Whether paragraphs are related so: cites, maps_to, belongs_to…",
            RelationsInput,
            relation_verify,
        ),
        Operation(
            "{0}_contradiction_check",
            "Where paragraphs and claims disagree.",
            ContradictionsInput,
            contradiction_check,
        ),
    ]
