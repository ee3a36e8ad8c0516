"""From a citation to the text that it stands for.

What a reference stands for is more than one row: 315.12 includes its (a) to (c), 315.12(a) means
little without the words that lead to it, and a section is all of its paragraphs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.errors import NotFound
from bottega.library.documents import repository
from bottega.library.documents.schemas import ParagraphView
from bottega.library.documents.tables import Library, LibraryParagraph
from bottega.library.parsers.references import ancestors, parent_ref

#: Between a section and the number of a paragraph in it: `10.4 ¶11`.
PARAGRAPH_SIGN = " ¶"
#: Paragraphs of a section that are read.
MOST_PARTS = 200
#: "In these standards: …" says where and when, and takes a comma.
_CIRCUMSTANCE = re.compile(
    r"\W*(?:in|on|at|for|during|if|when|where|while|unless|after|before)\b", re.IGNORECASE
)
_ITEM_NUMBER = re.compile(r"^\(?\w{1,4}[.)]\s+")


@dataclass(frozen=True, slots=True)
class CitedPart:
    """One paragraph of what is cited."""

    id: str
    ref: str
    #: Its own words with those of its items.
    text: str
    #: The words that lead to it.
    leads: tuple[str, ...] = ()

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


@dataclass(frozen=True, slots=True)
class Cited:
    paragraph: ParagraphView
    #: The paragraph that is meant, and if that begins a section, all others of it.
    parts: tuple[CitedPart, ...]
    #: Otherwise there is only what would contain it: 315.12 for 315.12(z).
    is_there: bool

    @property
    def in_full(self) -> str:
        return self.parts[0].in_full


def join_lead(lead: str, item: str) -> str:
    """ "The card shall show:" and "(a) the name;" as one sentence."""
    lead, item = lead.strip().rstrip(":"), _ITEM_NUMBER.sub("", item.strip().rstrip(";. "))
    return f"{lead}{',' if _CIRCUMSTANCE.match(lead) else ''} {item}."


async def find_cited(session: AsyncSession, library: Library, identifier: str) -> Cited | None:
    """What is meant, or else the nearest that contains it."""
    meant = await repository.paragraph(session, library.id, identifier)
    if meant is None:
        first = f"{identifier.strip()}{PARAGRAPH_SIGN}1"
        meant = await repository.paragraph(session, library.id, first)
    paragraph = meant or await repository.nearest_above(session, library.id, identifier)
    if paragraph is None:
        return None
    parts = await _parts(session, library, paragraph)
    if meant is None or identifier.strip() == paragraph.id:
        parts = parts[:1]
    return Cited(paragraph, parts, is_there=meant is not None)


def read_cited(ref: str, paragraphs: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The text of a paragraph with all its items, and the words that lead to it.

    `paragraphs` are texts by reference, at least the paragraph itself and its relatives.
    """
    items = [
        f"{other.removeprefix(ref)} {text.rstrip(';. ')}"
        for other, text in paragraphs.items()
        if other.endswith(")") and parent_ref(other) == ref
    ]
    text = f"{paragraphs[ref]} {'; '.join(items)}." if items else paragraphs[ref]
    lead = paragraphs.get(parent_ref(ref) or "") if ref.endswith(")") else None
    return text, (lead,) if lead else ()


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


async def _parts(
    session: AsyncSession, library: Library, paragraph: ParagraphView
) -> tuple[CitedPart, ...]:
    """The paragraph itself, then the others of the section that it begins."""
    # Only by brackets: 4.9.1 is a section of its own, not an item of 4.9.
    above = [ref for ref in ancestors(paragraph.ref) if paragraph.ref.startswith(f"{ref}(")]
    leading = await repository.by_refs(session, library.id, above)
    section = paragraph.ref.removesuffix(f"{PARAGRAPH_SIGN}1")
    # One in the middle of a section stands for itself alone.
    prefixes = [f"{paragraph.ref}("]
    if PARAGRAPH_SIGN not in section:
        prefixes.append(f"{section}{PARAGRAPH_SIGN}")
    below = await session.scalars(
        select(LibraryParagraph)
        .where(LibraryParagraph.document_id == paragraph.document_id)
        .where(or_(*(LibraryParagraph.ref.startswith(each, autoescape=True) for each in prefixes)))
        .order_by(LibraryParagraph.position)
    )
    rows: dict[str, ParagraphView | LibraryParagraph] = {paragraph.ref: paragraph}
    rows |= {each.ref: each for each in below}
    texts = {ref: each.text for ref, each in (*leading.items(), *rows.items())}
    beginnings = [ref for ref in rows if ref == paragraph.ref or not ref.endswith(")")]
    return tuple(
        CitedPart(rows[ref].id, ref, *read_cited(ref, texts)) for ref in beginnings[:MOST_PARTS]
    )
