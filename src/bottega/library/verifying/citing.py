"""From a citation to the text that it stands for.

What a reference stands for is more than one row: 315.12 includes its (a) to (c), and 315.12(a)
means little without the words that lead to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.errors import NotFound
from bottega.library import repository
from bottega.library.judging.citations import find_cited as read_cited
from bottega.library.judging.statements import join_lead
from bottega.library.judging.verdicts import ErrorCategory
from bottega.library.reading.references import ancestors
from bottega.library.tables import Library, LibraryParagraph
from bottega.library.views import ParagraphView


@dataclass(frozen=True, slots=True)
class Cited:
    paragraph: ParagraphView
    #: Its own words with those of its items.
    text: str
    #: The words that lead to it.
    leads: tuple[str, ...]
    #: Otherwise there is only what would contain it: 315.12 for 315.12(z).
    is_there: bool

    @property
    def in_full(self) -> str:
        """As a statement of its own."""
        text = self.text
        for lead in self.leads:
            if lead.rstrip().endswith(":"):
                text = join_lead(lead, text)
        return text

    @property
    def quoted(self) -> str:
        """For people, as it is written."""
        return "\n".join([*self.leads, self.text])


async def find_cited(session: AsyncSession, library: Library, identifier: str) -> Cited | None:
    """What is meant, or else the nearest that contains it."""
    meant = await repository.paragraph(session, library.id, identifier)
    paragraph = meant or await repository.nearest_above(session, library.id, identifier)
    if paragraph is None:
        return None
    read = read_cited(paragraph.ref, await _family(session, library, paragraph))
    assert not isinstance(read, ErrorCategory), "a paragraph is in its own family"
    return Cited(paragraph, read.text, read.neighbours, is_there=meant is not None)


async def get_cited(
    session: AsyncSession, library: Library, identifiers: Sequence[str]
) -> list[Cited]:
    """All of them, or a `NotFound` that names those that are not there."""
    found = [await find_cited(session, library, identifier) for identifier in identifiers]
    cited = [each for each in found if each is not None and each.is_there]
    if len(cited) == len(identifiers):
        return cited
    missing = [
        identifier
        for identifier, each in zip(identifiers, found, strict=True)
        if each is None or not each.is_there
    ]
    raise NotFound(
        f"The library {library.name!r} has no {', '.join(map(repr, missing))}. Give ids or "
        "references that a search returned.",
        missing=missing,
    )


async def _family(
    session: AsyncSession, library: Library, paragraph: ParagraphView
) -> dict[str, str]:
    """The texts of a paragraph, of what it belongs to and of what belongs to it."""
    # Only by brackets: 4.9.1 is a section of its own, not an item of 4.9.
    above = [ref for ref in ancestors(paragraph.ref) if paragraph.ref.startswith(f"{ref}(")]
    leading = await repository.by_refs(session, library.id, above)
    below = await session.scalars(
        select(LibraryParagraph)
        .where(LibraryParagraph.document_id == paragraph.document_id)
        .where(LibraryParagraph.ref.startswith(f"{paragraph.ref}(", autoescape=True))
        .order_by(LibraryParagraph.position)
    )
    return {each.ref: each.text for each in (*leading.values(), paragraph, *below)}
