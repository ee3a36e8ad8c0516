"""The parts of the room that its doors ask, each built once."""

from dataclasses import dataclass

from bottega.core.services import Core
from bottega.library.answerable import AnswerabilityJudge
from bottega.library.graph import Graph
from bottega.library.ingest import Ingest
from bottega.library.libraries import Libraries
from bottega.library.search import LibrarySearch
from bottega.library.verification import Verification
from bottega.library.web_search import WebSearch


@dataclass(frozen=True, slots=True)
class Desk:
    core: Core
    libraries: Libraries
    ingest: Ingest
    search: LibrarySearch
    answerability: AnswerabilityJudge
    graph: Graph
    verification: Verification
    web: WebSearch


def open_desk(core: Core) -> Desk:
    libraries = Libraries(core)
    return Desk(
        core,
        libraries,
        Ingest(core, libraries),
        LibrarySearch(core),
        AnswerabilityJudge(core),
        Graph(core),
        Verification(core),
        WebSearch(core.gateway),
    )
