"""A library of the example standards, or of documents that a test writes, without an ingest run."""

import hashlib
from pathlib import Path

from bottega.library.filling.comparing import Incoming
from bottega.library.filling.storing import Store
from bottega.library.libraries import Libraries
from bottega.library.reading import read_document
from bottega.library.tables import Library
from tests.library.house import House


async def put_books(house: House, name: str, documents: dict[str, str]) -> Library:
    """The library after these documents, by path, have been added or replaced."""
    libraries = Libraries(house.core)
    library = await libraries.ensure(name)
    store = Store(house.core, libraries.indexes)
    incoming = [
        Incoming(
            path,
            hashlib.sha256(text.encode()).hexdigest(),
            len(text.encode()),
            read_document(text.encode(), path),
        )
        for path, text in documents.items()
    ]
    await store.put(library.id, incoming, {})
    await store.link(library.id)
    return await libraries.get(name)


async def put_standards(house: House) -> Library:
    return await put_books(house, "harbour", texts_of(house.standards))


def texts_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.md"))}
