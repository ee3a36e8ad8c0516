"""What can be searched for in a library, and on the web."""

from typing import TYPE_CHECKING

from bottega.core.operations import Get, operation
from bottega.core.rooms import Caller
from bottega.library.documents.operations import library_tool
from bottega.library.search.schemas import (
    Answerability,
    ContextInput,
    FormattedContext,
    GuideSearchInput,
    MultiTierInput,
    QuestionRequest,
    Results,
    SearchInput,
    SearchRequest,
    WebResults,
    WebSearchInput,
)

if TYPE_CHECKING:
    from bottega.library.service import LibraryRoom


@operation(Get("/libraries/{name}/search"))
async def search_library(room: "LibraryRoom", asked: SearchRequest, caller: Caller) -> Results:
    """Best first; each hit says what found it."""
    return await room.search.search(
        await room.libraries.get(asked.name, caller.user_id),
        asked.query,
        max_results=asked.max_results,
        filter=asked.filter,
        search_type=asked.search_type,
        rerank=asked.rerank,
    )


@operation(Get("/libraries/{name}/answerable"))
async def is_answerable(
    room: "LibraryRoom", asked: QuestionRequest, caller: Caller
) -> Answerability:
    """Whether the library holds an answer at all: a search always finds something."""
    library = await room.libraries.get(asked.name, caller.user_id)
    return await room.answerability.answerable(library, asked.query)


@operation(library_tool("hybrid_search", "Find paragraphs by words and meaning."))
async def hybrid_search(room: "LibraryRoom", asked: SearchInput, caller: Caller) -> Results:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.search.search(library, **asked.options)


@operation(library_tool("guide_search", "Find sections of guides."))
async def guide_search(room: "LibraryRoom", asked: GuideSearchInput, caller: Caller) -> Results:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.search.guides(library, **asked.options)


@operation(library_tool("multi_tier_search", "Find in standards and, weighing less, guides."))
async def multi_tier_search(room: "LibraryRoom", asked: MultiTierInput, caller: Caller) -> Results:
    library = await room.libraries.get(asked.library, caller.user_id)
    return await room.search.multi_tier(library, **asked.options)


@operation(library_tool("web_search", "Search the web."))
async def web_search(room: "LibraryRoom", asked: WebSearchInput, caller: Caller) -> WebResults:
    await room.libraries.get(asked.library, caller.user_id)
    return await room.web.search(asked.queries, max_results_per_query=asked.max_results_per_query)


@operation(library_tool("format_context", "Paragraphs as XML for a prompt."))
async def format_paragraphs(
    room: "LibraryRoom", asked: ContextInput, caller: Caller
) -> FormattedContext:
    from bottega.core.text.words import estimate_tokens
    from bottega.library.search.context import format_context

    library = await room.libraries.get(asked.library, caller.user_id)
    found = {each: await room.libraries.paragraph(library, each) for each in asked.paragraphs}
    # A role may be given to a reference in any form.
    roles = {found[each].id: role for each, role in asked.roles.items() if each in found}
    text = format_context(
        list(found.values()),
        asked.query,
        asked.max_tokens,
        {**asked.roles, **roles},
        asked.group_by_role,
    )
    return FormattedContext(context=text, tokens=estimate_tokens(text))
