"""What each stage gives to the next. Names of fields are the spec's; models write none of it."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.library.service import ParagraphView, Role
from bottega.research.agents.definition import Depth

Share = Annotated[float, Field(ge=0, le=1)]


class Output(BaseModel):
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


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


class Retrieved(Output):
    """A paragraph that was found, and why it is there."""

    paragraph: ParagraphView
    role: Role
    score: float
    #: The sub-query that found it best.
    sub_query: str
    #: `keyword`, `vector`, `reference`, `term:…`, `hop:315.12(a)`, `guide`.
    paths: list[str] = []


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
