"""What can be verified against a library."""

from typing import TYPE_CHECKING

from bottega.core.operations import Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller
from bottega.library.documents.operations import library_tool
from bottega.library.verify.schemas import (
    CitationReport,
    CitationsInput,
    ContradictionsInput,
    EntitiesInput,
    RelationsInput,
    Report,
    TextReport,
    TextRequest,
    Verified,
    VerifyRequest,
)

if TYPE_CHECKING:
    from bottega.library.service import LibraryRoom


@operation(Post("/libraries/{name}/verify"), needs=Right.READ)
async def verify(room: "LibraryRoom", asked: VerifyRequest, caller: Caller) -> Verified:
    library = await room.libraries.get(asked.name, caller.user_id)
    axes = room.verification
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


@operation(Post("/libraries/{name}/verify/text"), needs=Right.READ)
async def verify_text(room: "LibraryRoom", asked: TextRequest, caller: Caller) -> TextReport:
    """Each sentence against what it cites, or else against what the library has nearest."""
    library = await room.libraries.get(asked.name, caller.user_id)
    return await room.texts.verify(library, asked.text)


@operation(library_tool("citation_verify", "Whether paragraphs say what is claimed."))
async def citation_verify(
    room: "LibraryRoom", asked: CitationsInput, caller: Caller
) -> CitationReport:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.verification.citations(library, asked.citations)


@operation(library_tool("entity_verify", "Whether sources name these."))
async def entity_verify(room: "LibraryRoom", asked: EntitiesInput, caller: Caller) -> Report:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.verification.entities(library, asked.entities, asked.source_paragraph_ids)


@operation(
    library_tool(
        "relation_verify", "Whether paragraphs are related so: cites, maps_to, belongs_to…"
    )
)
async def relation_verify(room: "LibraryRoom", asked: RelationsInput, caller: Caller) -> Report:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.verification.relations(library, asked.relations)


@operation(library_tool("contradiction_check", "Where paragraphs and claims disagree."))
async def contradiction_check(
    room: "LibraryRoom", asked: ContradictionsInput, caller: Caller
) -> Report:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.verification.contradictions(
        library, asked.paragraph_ids, asked.synthesis_claims
    )
