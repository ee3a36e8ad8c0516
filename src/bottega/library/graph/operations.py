"""What a paragraph leads to."""

from typing import TYPE_CHECKING

from bottega.core.operations import Get, operation
from bottega.core.rooms import Caller
from bottega.library.documents.operations import library_tool
from bottega.library.graph.schemas import (
    GuideHopInput,
    HopInput,
    Hops,
    NeighboursRequest,
    Trace,
    TraceInput,
)

if TYPE_CHECKING:
    from bottega.library.service import LibraryRoom


@operation(Get("/libraries/{name}/neighbours"))
async def list_neighbours(room: "LibraryRoom", asked: NeighboursRequest, caller: Caller) -> Hops:
    """What a paragraph leads to, and how."""
    return await room.graph.hop(
        await room.libraries.get(asked.name, caller.user_id),
        asked.identifier,
        max_hops=asked.max_hops,
        max_results=asked.max_results,
        decay=asked.decay,
    )


@operation(library_tool("hop_retrieve", "Paragraphs a paragraph leads to."))
async def hop_retrieve(room: "LibraryRoom", asked: HopInput, caller: Caller) -> Hops:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.graph.hop(library, **asked.options)


@operation(
    library_tool("guide_to_library_hop", "Paragraphs of standards a guide's section leads to.")
)
async def guide_hop(room: "LibraryRoom", asked: GuideHopInput, caller: Caller) -> Hops:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.graph.guide_to_standard(library, **asked.options)


@operation(library_tool("debug_hop_trace", "Every step a hop considers."))
async def debug_hop_trace(room: "LibraryRoom", asked: TraceInput, caller: Caller) -> Trace:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.graph.trace(library, asked.start_id, asked.max_hops)
