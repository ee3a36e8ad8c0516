"""Libraries: making, listing and removing them, and what is in them."""

import re
from collections.abc import Sequence
from pathlib import Path

import structlog
from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError

from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput, NotFound, Unavailable
from bottega.library import repository
from bottega.library.filling.sources import UPLOADED
from bottega.library.indexes import Indexes, collection_of
from bottega.library.reading.document import Kind
from bottega.library.searching.terms import Terms
from bottega.library.tables import Library
from bottega.library.views import (
    DocumentView,
    LibraryListing,
    LibraryStatus,
    LibraryView,
    ParagraphContext,
    ParagraphView,
    RejectionView,
)

log = structlog.get_logger()

NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
#: Paragraphs shown before and after one.
AROUND = 2


class Libraries:
    def __init__(self, core: Core) -> None:
        self._core = core
        self.indexes = Indexes(core)

    async def create(
        self, name: str, title: str | None = None, *, user_id: str = LOCAL_USER
    ) -> Library:
        if not NAME.fullmatch(name):
            raise InvalidInput(
                f"A library cannot be called {name!r}: its tools are named after it. Use up to 31 "
                "of a-z, 0-9 and _, beginning with a letter."
            )
        made = Library(name=name, title=(title or "").strip() or name, user_id=user_id)
        try:
            async with self._core.database.write() as session:
                session.add(made)
        except IntegrityError:
            raise Conflict(
                f"There is a library {name!r} already. Choose another name, or add to that one."
            ) from None
        self._tell("library.created", made)
        return made

    async def list(self, user_id: str = LOCAL_USER) -> Sequence[Library]:
        async with self._core.database.read() as session:
            return await repository.libraries(session, user_id)

    async def listing(self, user_id: str = LOCAL_USER) -> Sequence[LibraryListing]:
        async with self._core.database.read() as session:
            found = await repository.libraries(session, user_id)
            sizes = await repository.sizes(session, user_id)
        return [
            LibraryListing(
                **dict(LibraryView.model_validate(each)),
                documents=sizes.get(each.id, (0, 0))[0],
                paragraphs=sizes.get(each.id, (0, 0))[1],
            )
            for each in found
        ]

    async def get(self, name: str, user_id: str = LOCAL_USER) -> Library:
        async with self._core.database.read() as session:
            found = await repository.library(session, name, user_id)
            if found is not None:
                return found
            names = [each.name for each in await repository.libraries(session, user_id)]
        there_are = f"There are: {', '.join(names)}." if names else "There is none yet: make one."
        raise NotFound(f"There is no library {name!r}. {there_are}", valid_options=names)

    async def ensure(
        self, name: str, title: str | None = None, *, user_id: str = LOCAL_USER
    ) -> Library:
        """The library of that name, made if it is not there."""
        async with self._core.database.read() as session:
            found = await repository.library(session, name, user_id)
        return found or await self.create(name, title, user_id=user_id)

    async def remove(self, name: str, user_id: str = LOCAL_USER) -> None:
        library = await self.get(name, user_id)
        async with self._core.database.write() as session:
            await session.execute(delete(Library).where(Library.id == library.id))
            await self._core.text_index.drop(collection_of(library.id), session=session)
        try:
            await self.indexes.drop_vectors(library.id)
        except Unavailable as error:
            # Nobody finds them any more: a library of the same name has another id.
            log.warning("library.vectors_left", library=name, error=error.message)
        self._tell("library.removed", library)

    async def documents(self, library: Library, kind: Kind | None = None) -> Sequence[DocumentView]:
        async with self._core.database.read() as session:
            rows = await repository.documents(session, library.id, kind)
            return [DocumentView.model_validate(row) for row in rows]

    async def paragraph(self, library: Library, identifier: str) -> ParagraphView:
        """By id, or by reference as anybody writes it."""
        async with self._core.database.read() as session:
            found = await repository.paragraph(session, library.id, identifier)
            if found is not None:
                return found
            above = await repository.nearest_above(session, library.id, identifier)
        nearest = f" The nearest is {above.ref}." if above else ""
        raise NotFound(
            f"The library {library.name!r} has no paragraph {identifier!r}.{nearest}",
            nearest=above.ref if above else None,
        )

    async def references(self, library: Library, typed: str, limit: int) -> Sequence[str]:
        """References that begin so."""
        async with self._core.database.read() as session:
            return await repository.refs_beginning(session, library.id, typed.strip(), limit)

    async def surroundings(self, library: Library, identifier: str) -> ParagraphContext:
        """A paragraph with what stands around it and the terms that it rests on."""
        paragraph = await self.paragraph(library, identifier)
        async with self._core.database.read() as session:
            before, after = await repository.around(session, paragraph, AROUND)
            terms = await repository.defined_terms(session, library.id)
        named = Terms((each.term, each.definition) for each in terms).named(paragraph.text)
        return ParagraphContext(
            paragraph=paragraph,
            file=_file(library, paragraph.path),
            before=before,
            after=after,
            defines=[each for each in terms if each.ref == paragraph.ref],
            uses=[each for each in terms if each.term in named and each.ref != paragraph.ref],
        )

    async def status(self, name: str, user_id: str = LOCAL_USER) -> LibraryStatus:
        library = await self.get(name, user_id)
        collection = collection_of(library.id)
        async with self._core.database.read() as session:
            counts = await repository.counts(session, library.id)
            edges = await repository.edge_counts(session, library.id)
            rejected = await repository.rejections(session, library.id)
            words = await self._core.text_index.count(collection, session=session)
        return LibraryStatus(
            library=LibraryView.model_validate(library),
            standards=counts.get(Kind.STANDARD, 0),
            guides=counts.get(Kind.GUIDE, 0),
            paragraphs=counts["paragraphs"],
            terms=counts["terms"],
            edges=dict(edges),
            indexed_words=words,
            indexed_vectors=await self._count_vectors(collection),
            embedder=self._core.embedder.name,
            rejections=[RejectionView.model_validate(row) for row in rejected],
        )

    async def _count_vectors(self, collection: str) -> int | None:
        try:
            held = await self._core.vectors.collection(collection)
        except Unavailable:
            return None
        return held.count if held else 0

    def _tell(self, topic: str, library: Library) -> None:
        payload = {"library": library.name, "library_id": library.id}
        self._core.bus.publish(Event(topic, payload, user_id=library.user_id))


def _file(library: Library, path: str) -> str | None:
    """Uploads have none; what lies outside the library's folder has its whole path already."""
    if path.startswith(UPLOADED):
        return None
    if Path(path).is_absolute():
        return path
    return str(Path(library.root, path)) if library.root else None
