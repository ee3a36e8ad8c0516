"""What a run is asked, and what it comes to."""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from bottega.research.agents.definition import Depth
from bottega.research.pipeline.outputs import AnswerStatus

#: The kind of our runs.
KIND = "research"
DEFAULT_AGENT = "deep-research"


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
