"""Libraries and their paragraphs as resources: `bottega://library/{library}/{reference}`.

A library has thousands of paragraphs: it is listed itself, and they are found by their references.
"""

from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import quote

from bottega.core.completing import beginning
from bottega.core.rooms import Caller, Contents, Given, Listed, Resource
from bottega.library.desk import Desk
from bottega.library.tables import Library
from bottega.library.views import DocumentView, ParagraphView

LIBRARY = "bottega://library/"
MARKDOWN = "text/markdown"
#: More than a client is ever shown.
MOST_REFERENCES = 101

#: Which library is meant, for whoever may know of it.
Choose = Callable[[Given, Caller], Awaitable[Library]]


def generic_resources(desk: Desk) -> list[Resource]:
    async def choose(given: Given, caller: Caller) -> Library:
        return await desk.libraries.get(given["library"], caller.user_id)

    async def listed(caller: Caller) -> Sequence[Listed]:
        found = await desk.libraries.list(caller.user_id)
        return [Listed(LIBRARY + each.name, f"Library: {each.title}", MARKDOWN) for each in found]

    async def complete(typed: str, _given: Given, caller: Caller) -> Sequence[str]:
        return beginning(typed, await library_names(desk, caller))

    overview = Resource(
        "library",
        LIBRARY + "{library}",
        "What is in a library: its documents, and how its paragraphs are cited.",
        MARKDOWN,
        _read_overview(desk, choose),
        listed=listed,
        complete={"library": complete},
        relisted_by=("library.created", "library.removed"),
    )
    paragraph = Resource(
        "paragraph",
        LIBRARY + "{library}/{reference}",
        "A paragraph by its reference or id.",
        MARKDOWN,
        _read_paragraph(desk, choose),
        complete={"library": complete, "reference": _complete_reference(desk, choose)},
    )
    return [overview, paragraph]


def named_resources(desk: Desk, name: str) -> list[Resource]:
    """The same of one library, at its own endpoint."""

    async def choose(_given: Given, caller: Caller) -> Library:
        return await desk.libraries.get(name, caller.user_id)

    return [
        Resource(
            name,
            LIBRARY + name,
            "What is in the library: its documents, and how its paragraphs are cited.",
            MARKDOWN,
            _read_overview(desk, choose),
        ),
        Resource(
            "paragraph",
            f"{LIBRARY}{name}/{{reference}}",
            "A paragraph by its reference or id.",
            MARKDOWN,
            _read_paragraph(desk, choose),
            complete={"reference": _complete_reference(desk, choose)},
        ),
    ]


async def library_names(desk: Desk, caller: Caller) -> list[str]:
    return [each.name for each in await desk.libraries.list(caller.user_id)]


def _read_overview(desk: Desk, choose: Choose) -> Callable[[Given, Caller], Awaitable[Contents]]:
    async def read(given: Given, caller: Caller) -> Contents:
        library = await choose(given, caller)
        documents = await desk.libraries.documents(library)
        some = await desk.libraries.references(library, "", limit=3)
        return Contents(_overview(library, documents, some), MARKDOWN)

    return read


def _read_paragraph(desk: Desk, choose: Choose) -> Callable[[Given, Caller], Awaitable[Contents]]:
    async def read(given: Given, caller: Caller) -> Contents:
        library = await choose(given, caller)
        found = await desk.libraries.paragraph(library, given["reference"])
        return Contents(_paragraph(found), MARKDOWN)

    return read


def _complete_reference(
    desk: Desk, choose: Choose
) -> Callable[[str, Given, Caller], Awaitable[Sequence[str]]]:
    async def complete(typed: str, given: Given, caller: Caller) -> Sequence[str]:
        library = await choose(given, caller)
        return await desk.libraries.references(library, typed, limit=MOST_REFERENCES)

    return complete


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
