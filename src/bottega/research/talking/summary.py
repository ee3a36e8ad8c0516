"""What a run leaves behind for the rest of the conversation: `pipeline-summary.json`.

The answer itself is long and stands in the conversation; the summary is small, is kept beside it
whatever becomes of the transcript, and is read anew for every later turn. A run that ended early
leaves what it had.
"""

import asyncio
from enum import StrEnum
from typing import Annotated, Any

import structlog
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError
from bottega.research.agents.definition import StageName
from bottega.research.folders import SessionFolder
from bottega.research.pipeline.orders import ExitReason
from bottega.research.pipeline.outputs import AnswerStatus, VerificationScores
from bottega.research.pipeline.state import PipelineState

MOST_ITEMS = 8
LONGEST_ITEM = 240
LONGEST_QUESTION = 400

log = structlog.get_logger()


class EndedAs(StrEnum):
    """How a run ended; or that it waits, for one that has not."""

    COMPLETED = "completed"
    PAUSED = "paused"
    ERROR = "error"
    BREAKOUT = "breakout"
    CANCELLED = "cancelled"


def _cut(length: int) -> BeforeValidator:
    def cut(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        # A half of a surrogate pair, as JSON may bring it, cannot be written.
        line = " ".join(value.encode(errors="replace").decode().split())
        return line if len(line) <= length else line[: length - 1].rstrip() + "…"

    return BeforeValidator(cut)


def _first(items: Any) -> Any:
    return items[:MOST_ITEMS] if isinstance(items, list) else items


Item = Annotated[str, _cut(LONGEST_ITEM)]
Items = Annotated[list[Item], BeforeValidator(_first)]


class PipelineSummary(BaseModel):
    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )

    run_id: str = ""
    original_query: Annotated[str, _cut(LONGEST_QUESTION)] = ""
    #: What it set out to look for.
    sub_queries: Items = []
    #: What the web added to the plan.
    calibration: Item = ""
    #: What the library gave.
    retrieval: Item = ""
    key_findings: Items = []
    conclusions: Items = []
    verification_scores: VerificationScores | None = None
    answer_status: AnswerStatus | None = None
    completed_stages: list[int] = Field(default=[], max_length=100)
    #: No answer was delivered.
    was_partial: bool = True
    exit_reason: EndedAs
    error: Item | None = None


def summarise(
    state: PipelineState, exit_reason: ExitReason | EndedAs | None = None
) -> PipelineSummary:
    """From whatever stages there are; without a reason, the state's own."""
    synthesis = state.output_of(StageName.SYNTHESIZE) or {}
    verified = state.output_of(StageName.VERIFY) or {}
    delivered = state.output_of(StageName.OUTPUT) or {}
    return PipelineSummary(
        run_id=state.run_id,
        original_query=state.original_query or "",
        sub_queries=state.sub_query_texts,
        calibration=_told_calibration(state.output_of(StageName.CALIBRATE)),
        retrieval=_told_retrieval(state.output_of(StageName.RETRIEVE)),
        key_findings=synthesis.get("key_findings") or [],
        conclusions=synthesis.get("conclusions") or [],
        verification_scores=verified.get("verification_scores"),
        answer_status=delivered.get("status"),
        completed_stages=list(state.completed_stages),
        was_partial=state.was_partial,
        exit_reason=EndedAs(exit_reason or state.exit_reason or EndedAs.PAUSED),
        error=state.error["message"] if state.error else None,
    )


async def write_summary(folder: SessionFolder, summary: PipelineSummary) -> None:
    """Put it in the place of the one before, all at once."""
    await asyncio.to_thread(folder.path.mkdir, parents=True, exist_ok=True)
    text = summary.model_dump_json(by_alias=True, exclude_none=True, indent=2) + "\n"
    await Sandbox(folder.path).write(folder.summary, text)


async def read_summary(folder: SessionFolder) -> PipelineSummary | None:
    """The newest; `None` without one, or when the file cannot be understood."""
    if not await asyncio.to_thread(folder.summary.is_file):
        return None
    try:
        file = await Sandbox(folder.path).read_text(folder.summary)
        return PipelineSummary.model_validate_json(file.content)
    except (ValidationError, BottegaError) as error:
        log.warning("research.summary_unreadable", path=str(folder.summary), error=str(error))
        return None


def _told_calibration(output: dict[str, Any] | None) -> str:
    if output is None:
        return ""
    if output.get("skipped"):
        return f"Not searched on the web: {output.get('skip_reason') or 'no reason given'}"
    return f"{len(output.get('web_sources', []))} pages on the web were looked at."


def _told_retrieval(output: dict[str, Any] | None) -> str:
    if output is None:
        return ""
    if not output.get("answerable", True):
        return "The library does not hold an answer. " + " ".join(output.get("reasons", []))
    covered = ", ".join(output.get("standards_covered", []))
    return f"{output.get('unique_after_dedup', 0)} paragraphs from {covered or 'the library'}."
