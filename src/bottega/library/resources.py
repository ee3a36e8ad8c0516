"""Libraries and their paragraphs as resources: `bottega://library/{library}/{reference}`.

A library has thousands of paragraphs: it is listed itself, and they are found by their references.
"""

from collections.abc import Sequence
from urllib.parse import quote

from bottega.core.operations import completions
from bottega.core.rooms import Caller, Contents, Given, Listed, Resource
from bottega.library.documents.schemas import DocumentView, ParagraphView
from bottega.library.documents.tables import Library
from bottega.library.service import LibraryRoom

LIBRARY = "bottega://library/"
MARKDOWN = "text/markdown"
#: More than a client is ever shown.
MOST_REFERENCES = 101


class LibraryResources:
    """What is read of any library; at a library's own endpoint, of that one."""

    def __init__(self, room: LibraryRoom, own: str | None = None) -> None:
        self._libraries = room.libraries
        self._own = own

    async def read_overview(self, given: Given, caller: Caller) -> Contents:
        library = await self._library(given, caller)
        documents = await self._libraries.documents(library)
        some = await self._libraries.references(library, "", limit=3)
        return Contents(_overview(library, documents, some), MARKDOWN)

    async def read_paragraph(self, given: Given, caller: Caller) -> Contents:
        library = await self._library(given, caller)
        found = await self._libraries.paragraph(library, given["reference"])
        return Contents(_paragraph(found), MARKDOWN)

    async def listed(self, caller: Caller) -> Sequence[Listed]:
        found = await self._libraries.list(caller.user_id)
        return [Listed(LIBRARY + each.name, f"Library: {each.title}", MARKDOWN) for each in found]

    async def complete_library(self, typed: str, _given: Given, caller: Caller) -> Sequence[str]:
        found = await self._libraries.list(caller.user_id)
        return completions(typed, [each.name for each in found])

    async def complete_reference(self, typed: str, given: Given, caller: Caller) -> Sequence[str]:
        library = await self._library(given, caller)
        return await self._libraries.references(library, typed, limit=MOST_REFERENCES)

    async def _library(self, given: Given, caller: Caller) -> Library:
        return await self._libraries.get(self._own or given["library"], caller.user_id)


def library_resources(room: LibraryRoom, name: str | None = None) -> list[Resource]:
    """Of every library; with a name, of that one at its own endpoint."""
    of = LibraryResources(room, name)
    which = "{library}" if name is None else name
    any_library = {"library": of.complete_library} if name is None else {}
    overview = Resource(
        name or "library",
        LIBRARY + which,
        f"What is in {'the' if name else 'a'} library: its documents, and how its paragraphs are "
        "cited.",
        MARKDOWN,
        of.read_overview,
        listed=None if name else of.listed,
        complete=any_library,
        relisted_by=() if name else ("library.created", "library.removed"),
    )
    paragraph = Resource(
        "paragraph",
        f"{LIBRARY}{which}/{{reference}}",
        "A paragraph by its reference or id.",
        MARKDOWN,
        of.read_paragraph,
        complete={**any_library, "reference": of.complete_reference},
    )
    return [overview, paragraph]


def _overview(library: Library, documents: Sequence[DocumentView], some: Sequence[str]) -> str:
    lines = [f"# {library.title}", ""]
    lines += [
        f"- {each.title} ({each.kind}, {each.paragraph_count} paragraphs"
        + (f", {each.prefix}.…)" if each.prefix else ")")
        for each in documents
    ]
    if not documents:
        lines.append("It is empty. Add documents with `bottega library add`.")
    if some:
        examples = ", ".join(f"`{LIBRARY}{library.name}/{quote(ref, safe='')}`" for ref in some)
        lines += ["", f"Paragraphs are at addresses such as {examples}."]
    return "\n".join(lines)


def _paragraph(found: ParagraphView) -> str:
    place = " › ".join([found.document, *found.headings])
    return f"**{found.ref}** · {place}\n\n{found.text}\n"
