"""What a run is asked, what each stage gives to the next, and what the run comes to.

Names of fields are the spec's. Code writes all of it; models only answer what a stage asks them.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.library.service import AnswerPassage, ParagraphView, Role
from bottega.research.agents.definition import Depth

Share = Annotated[float, Field(ge=0, le=1)]
#: The kind of our runs.
KIND = "research"
DEFAULT_AGENT = "deep-research"


class Output(BaseModel):
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class PriorSection(Output):
    #: `P1`, `P2` … in the order in which they are given.
    label: str
    heading: str
    #: The first 200 characters of what it said.
    excerpt: str
    run_id: str
    #: References of the paragraphs that it cited.
    citations: list[str] = []


class PriorResearch(BaseModel):
    model_config = ConfigDict(frozen=True)

    #: What was asked then.
    question: str | None = None
    #: The newest first; at most 30 over a chain of follow-ups.
    sections: list[PriorSection] = []
    #: Every paragraph that was cited, by reference: delta retrieval leaves these out.
    cited: list[str] = []

    def __bool__(self) -> bool:
        return bool(self.sections)


class SubQuery(Output):
    query: str
    role: Role = Role.PRIMARY
    #: Document numbers or paths that it is held to; empty searches everywhere.
    standards: list[str] = []


class QueryPlan(Output):
    """Stage 0, `query_plan`."""

    original_query: str
    clarity_score: Share
    recommended_action: Literal["proceed", "clarify"]
    assumptions: list[str] = []
    alternative_interpretations: list[str] = []
    clarification_questions: list[str] = []
    primary_standards: list[str] = []
    sub_queries: list[SubQuery]
    scope: str = ""
    depth_mode: Depth = Depth.STANDARD
    authority_sources: list[str] = []


class WebSource(Output):
    #: `W1`, `W2` … in the order in which they were found.
    label: str
    url: str
    title: str
    excerpt: str = ""
    query: str = ""


class IntentChanges(Output):
    sub_queries_added: list[str] = []
    sub_queries_modified: list[str] = []
    sub_queries_removed: list[str] = []
    sub_queries_demoted: list[str] = []
    scope_changed: bool = False
    standards_added: list[str] = []

    @property
    def any(self) -> bool:
        return any(self.model_dump().values())


class Calibration(Output):
    """Stage 1, `websearch_calibration`."""

    skipped: bool
    skip_reason: str | None = None
    web_queries_executed: list[str] = []
    web_sources: list[WebSource] = []
    intent_changes: IntentChanges = IntentChanges()
    web_research_context: str = ""
    #: The plan to go on with; without, that of stage 0.
    query_plan_refined: QueryPlan | None = None


class Truth(Output):
    """One of the three that are kept apart: whether words stand there, whether a passage says what
    is claimed, whether it is what was asked."""

    holds: bool
    probability: Share
    #: Who or what says so: `verbatim`, the name of a reader, `model`.
    method: str


class Retrieved(Output):
    """A paragraph that was found, and why it is there."""

    paragraph: ParagraphView
    role: Role
    score: float
    #: The sub-query that found it best.
    sub_query: str
    #: `keyword`, `vector`, `reference`, `term:…`, `hop:315.12(a)`, `guide`.
    paths: list[str] = []
    #: How likely it answers the question, of those that were read with it.
    answers: Share = 0.0


class Retrieval(Output):
    """Stage 2, `retrieval_summary` and the paragraphs themselves."""

    total_paragraphs_found: int
    unique_after_dedup: int
    standards_covered: list[str] = []
    role_counts: dict[str, int] = {}
    skipped_sub_queries: list[str] = []
    #: Whether the library holds an answer at all, in its own judgement.
    answerable: bool = True
    confidence: Share = 1.0
    reasons: list[str] = []
    #: The five that answer likeliest, each with its sentence.
    passages: list[AnswerPassage] = []
    #: Best first. Not part of the event that tells of the stage.
    paragraphs: list[Retrieved] = []
    #: Paragraphs already cited by prior research, as `[P#]`: not fetched again.
    prior_cited: list[str] = []


class Claim(Output):
    """One sentence of an answer, and what it rests on."""

    text: str
    #: References of paragraphs: `315.12(a)`.
    citations: list[str] = []
    #: Labels of web sources and prior research: `W1`, `P2`.
    labels: list[str] = []


class AnswerSection(Output):
    heading: str
    claims: list[Claim]


class ClaimedRelation(Output):
    source: str
    target: str
    relation: str


class Synthesis(Output):
    """Stage 3: `synthesis` is the text, made by code from the claims."""

    title: str
    #: The answer in a few sentences, each with what it rests on.
    summary: list[Claim]
    sections: list[AnswerSection] = []
    key_findings: list[str] = []
    conclusions: list[str] = []
    #: Things that the answer names and the sources must name too.
    entities: list[str] = []
    relations: list[ClaimedRelation] = []
    #: Why there is no answer in the sources, if there is none.
    cannot_answer: str | None = None
    synthesis: str = ""
    citations_used: list[str] = []

    @property
    def claims(self) -> list[Claim]:
        return [*self.summary, *(claim for section in self.sections for claim in section.claims)]


class JudgedClaim(Output):
    claim: Claim
    #: `supported`, `unsupported` or `undecided`, over all that it cites; `uncited` has nothing.
    verdict: Literal["supported", "unsupported", "undecided", "uncited"]
    reasons: list[str] = []
    #: References that are not in the library.
    invented: list[str] = []
    #: Its words stand in the paragraph; the paragraph says so; it is what was asked.
    quoted: Truth | None = None
    supported: Truth | None = None
    answers: Truth | None = None


class VerificationScores(Output):
    entity_grounding: Share
    citation_accuracy: Share
    relation_preservation: Share
    #: How many were found.
    contradictions: int


class Verified(Output):
    """Stage 4."""

    verification_scores: VerificationScores
    all_passed: bool
    #: The verbatim text of every paragraph that is cited, by reference.
    source_texts: dict[str, str] = {}
    missing_source_texts: list[str] = []
    claims: list[JudgedClaim] = []
    #: What failed on each axis, for people and for the repair.
    failures: list[str] = []


class AnswerStatus(StrEnum):
    VERIFIED = "verified"
    #: It goes out marked: a threshold was missed, or a claim had to go.
    UNVERIFIED = "unverified"
    REFUSED = "refused"


class Delivered(Output):
    """Stage 5."""

    answer_delivered: bool
    status: AnswerStatus
    output_file_path: str | None = None
    total_citations: int = 0
    markdown: str = ""
    #: What `answer.json` holds.
    answer: dict[str, Any] = {}


class ResearchOrder(BaseModel):
    """The input of a run."""

    model_config = ConfigDict(frozen=True)

    question: str
    library: str
    agent: str = DEFAULT_AGENT
    #: Without, the analysis chooses.
    depth: Depth | None = None
    #: Go on at every pause as if the person had said so.
    auto_proceed: bool = False
    #: The run whose answer this question is about.
    follow_up_of: str | None = None
    #: US dollars; without, the agent's own limit.
    budget_usd: float | None = None


class ExitReason(StrEnum):
    COMPLETED = "completed"
    ERROR = "error"
    BREAKOUT = "breakout"
    CANCELLED = "cancelled"


class ResearchOutcome(BaseModel):
    """The output of a run. One that failed has an error instead."""

    model_config = ConfigDict(frozen=True)

    exit_reason: ExitReason
    status: AnswerStatus | None = None
    markdown: str = ""
    answer: dict[str, Any] = {}
    output_file_path: str | None = None
    #: US dollars.
    cost: float = 0.0
    #: After a breakout: what the person wants answered instead.
    open_question: str | None = None
