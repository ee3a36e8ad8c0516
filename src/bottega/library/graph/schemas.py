"""What a walk through a library is asked, and what it reaches."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from bottega.library.documents.schemas import (
    InLibrary,
    MaxResults,
    ParagraphIdentifier,
    ParagraphRequest,
    ParagraphView,
    View,
)

HopCount = Annotated[int, Field(ge=1, le=6)]
Share = Annotated[float, Field(ge=0, le=1)]


class EdgeKind(StrEnum):
    CITES = "cites"
    MAPS_TO = "maps_to"
    BELONGS_TO = "belongs_to"
    HOP = "hop"


class StepVerdict(StrEnum):
    FOLLOWED = "followed"
    #: A better path leads there.
    KNOWN_BETTER = "known_better"
    TOO_WEAK = "too_weak"


class HopInput(InLibrary):
    paragraph_id: ParagraphIdentifier
    max_hops: HopCount = 3
    decay: Share = 0.7
    min_score: Share = 0.01
    max_results: MaxResults = 30


class GuideHopInput(InLibrary):
    guide_section_id: ParagraphIdentifier
    max_hops: HopCount = 2
    decay: Share = 0.7
    min_score: Share = 0.01
    max_results: MaxResults = 30


class TraceInput(InLibrary):
    start_id: ParagraphIdentifier
    max_hops: HopCount = 3


class NeighboursRequest(ParagraphRequest):
    max_hops: HopCount = 1
    max_results: MaxResults = 30
    decay: Share = Field(0.7, description="What is left of a score after each hop.")


class GraphStep(View):
    source_ref: str
    target_ref: str
    kind: EdgeKind
    weight: float
    #: Against the edge: to what cites, not to what is cited.
    backwards: bool
    #: Of the paragraph it leads to.
    score: float


class Hop(View):
    """A paragraph that was reached, and how."""

    paragraph: ParagraphView
    score: float
    #: How many.
    hops: int
    path: list[GraphStep]


class Hops(View):
    start: ParagraphView
    #: Best first.
    hops: list[Hop]
    #: More could be reached with more results.
    cut: bool
    #: Whether the edges by meaning are those of the library as it is now.
    linked: bool


class TracedStep(GraphStep):
    #: How many hops from the start it leads.
    hops: int
    verdict: StepVerdict


class Trace(View):
    start: ParagraphView
    #: Every step that was considered, in the order in which it was.
    steps: list[TracedStep]
    hops: list[Hop]
    linked: bool
