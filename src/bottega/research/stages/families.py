"""Paragraphs that are only whole together: a lead-in and its items."""

from collections.abc import Sequence

from bottega.errors import NotFound
from bottega.library.service import EdgeKind, Library, LibraryService, ParagraphView, parent_ref

MOST_ITEMS = 30


def needs_family(paragraph: ParagraphView) -> bool:
    return is_item(paragraph) or is_lead(paragraph)


def is_item(paragraph: ParagraphView) -> bool:
    """315.12(a), and not 315.12."""
    return paragraph.ref.endswith(")")


def is_lead(paragraph: ParagraphView) -> bool:
    return paragraph.text.rstrip().endswith(":")


def root_ref(paragraph: ParagraphView) -> str:
    """What it is an item of, or itself."""
    return paragraph.ref.partition("(")[0] or paragraph.ref


async def family_of(
    service: LibraryService, library: Library, paragraphs: Sequence[ParagraphView]
) -> list[ParagraphView]:
    """The leads of items and the items of leads, without those that were given."""
    found: dict[str, ParagraphView] = {}
    for paragraph in paragraphs:
        if is_item(paragraph):
            found.update((each.id, each) for each in await _leads(service, library, paragraph))
        if is_lead(paragraph):
            found.update((each.id, each) for each in await _items(service, library, paragraph))
    given = {each.id for each in paragraphs}
    return [each for key, each in found.items() if key not in given]


async def _leads(
    service: LibraryService, library: Library, paragraph: ParagraphView
) -> list[ParagraphView]:
    leads, ref = [], parent_ref(paragraph.ref)
    while ref is not None:
        try:
            leads.append(await service.libraries.paragraph(library, ref))
        except NotFound:
            break
        ref = parent_ref(ref) if is_item(leads[-1]) else None
    return leads


async def _items(
    service: LibraryService, library: Library, paragraph: ParagraphView
) -> list[ParagraphView]:
    around = await service.graph.hop(library, paragraph.id, max_hops=1, max_results=MOST_ITEMS)
    return [
        each.paragraph
        for each in around.hops
        if each.path[0].kind is EdgeKind.BELONGS_TO and each.path[0].backwards
    ]
