"""The metrics schema: a row for every turn of a session.

Derived from what the specification says that traces capture; each group below is an item of that
list. What people and agents wrote is personal, and stands in a row only if it is asked for; counts,
decisions and names of tools, skills, sections and memory files always do.
"""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field


class Row(BaseModel):
    model_config = ConfigDict(frozen=True)


class DecisionMetrics(Row):
    """What a person decided at a gate."""

    kind: str
    decision: str
    at: datetime
    #: The section that was judged, or the tool that was allowed.
    subject: str | None = None
    #: Personal: the revision asked for, the answer, the proposal as it was and as it became.
    about: str | None = None
    text: str | None = None


class TurnMetrics(Row):
    # Session reference: what lets rows of one sitting, or of one person, be put together.
    session_id: str
    run_id: str
    trace_id: str
    participant: str = Field(description="the same for all turns of a person, and no name")
    plugin: str
    command: str | None
    agent: str = Field(description="the one that ended the turn")
    class_id: str | None
    started_at: datetime
    seconds: float | None = Field(description="from the request to the end, waiting included")
    waiting_seconds: float = Field(description="of these, spent waiting for the person")
    status: str = Field(description="the loop's status, or the run's if it came to none")
    offline: bool

    # Model calls.
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    stop_reasons: dict[str, int]

    # Tool calls: skill tiers and session lookups among them.
    tool_calls: int
    failed_tool_calls: int
    retried_tool_calls: int
    tools: dict[str, int]
    skills_tier_2: int
    skills_tier_3: int
    skills: list[str]
    session_searches: int
    sessions_read: int
    sessions_found: list[str]

    # Hook executions.
    hooks: dict[str, int] = Field(description="by name and outcome: `feedforward pass`")
    aborted_by: str | None

    # Feedforward engagement.
    feedforward: str | None = Field(description="confirm, modify or dismiss; the last one")
    feedforward_memory_shown: int

    # Reflection prompt responses.
    reflection_answered: int
    reflection_skipped: int

    # Adjudication decisions, by section or for the whole.
    adjudication_accepted: int
    adjudication_revised: int
    adjudication_alternatives: int

    # Memory-capture decisions.
    captures_proposed: int
    captures_confirmed: int
    captures_edited: int
    captures_dismissed: int
    captures_for_class: int = Field(description="of those proposed; the others are the teacher's")
    promotions_proposed: int

    # Memory reads and writes.
    memory_reads: int
    memory_writes: int
    memory_files: list[str]
    memory_actors: dict[str, int]

    # Curriculum evidence checks.
    evidence_checked: int
    evidence_matched: int
    evidence: list[str] = Field(description="`curriculum/cfe-maths.md:L3-L4 match`")

    # Confidence calibration.
    confidence: int | None = Field(description="1 to 5, where it was asked for")

    # Other gates.
    permissions_asked: int
    permissions_denied: int
    names_questioned: int

    # Subagents and handoffs.
    subagents: list[str]
    handoffs: list[str] = Field(description="`planner > reviewer`")

    decisions: list[DecisionMetrics]

    # Personal.
    input: str | None = None
    output: str | None = None
    session_queries: list[str] | None = None
