"""Walks through a library, as every door shows them."""

from bottega.library.graph.edges import EdgeKind
from bottega.library.graph.traversal import Verdict
from bottega.library.views import ParagraphView, View


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
    verdict: Verdict


class Trace(View):
    start: ParagraphView
    #: Every step that was considered, in the order in which it was.
    steps: list[TracedStep]
    hops: list[Hop]
    linked: bool
