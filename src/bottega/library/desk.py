"""The parts of the room that its own doors ask: what other rooms have, and the way in."""

from dataclasses import dataclass

from bottega.core.services import Core
from bottega.library.filling.ingest import Ingest
from bottega.library.service import LibraryService, open_library


@dataclass(frozen=True, slots=True)
class Desk(LibraryService):
    ingest: Ingest


def open_desk(core: Core) -> Desk:
    service = open_library(core)
    return Desk(
        service.core,
        service.libraries,
        service.search,
        service.answerability,
        service.graph,
        service.verification,
        service.web,
        Ingest(core, service.libraries),
    )
