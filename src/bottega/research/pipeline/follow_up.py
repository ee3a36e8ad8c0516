"""What a follow-up question starts from: the answers that its chain of questions already got.

The truth is the outcome of the earlier runs in the database; `answer.json` is a mirror of it.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from bottega.core.runs import Run, RunStatus
from bottega.core.services import Core
from bottega.errors import NotFound
from bottega.research.agents.definition import FollowUpConfig
from bottega.research.pipeline.schemas import (
    KIND,
    AnswerStatus,
    ExitReason,
    PriorResearch,
    PriorSection,
    ResearchOrder,
    ResearchOutcome,
)
from bottega.research.pipeline.views import DeliveredClaim, DeliveredSection

#: Over a chain of follow-ups.
MOST_SECTIONS = 30
LONGEST_EXCERPT = 200
#: Of the newest runs of a session, how many are looked at for an answer.
RECENT_RUNS = 50

SUMMARY_HEADING = "In short"


class _PriorAnswer(BaseModel):
    """An answer is read for what it has: one of an older version may have less."""

    model_config = ConfigDict(extra="ignore")

    summary: str | list[DeliveredClaim] = ""
    summary_claims: list[DeliveredClaim] = []
    sections: list[DeliveredSection] = []


async def load_prior(
    core: Core, run_id: str, user_id: str | None, settings: FollowUpConfig
) -> PriorResearch:
    """The sections of the run that is followed up and of those before it, the newest first."""
    first = await core.runs.get(run_id, user_id=user_id)
    if not settings.enabled:
        return PriorResearch()
    most = min(settings.max_prior_sections, MOST_SECTIONS)
    parts: list[tuple[str, str, list[DeliveredClaim]]] = []
    async for run in _chain(core, first):
        parts += [(run.id, heading, claims) for heading, claims in _parts(run)]
        if len(parts) >= most:
            break
    sections = [_section(f"P{place}", *part) for place, part in enumerate(parts[:most], 1)]
    cited = dict.fromkeys(ref for section in sections for ref in section.citations)
    return PriorResearch(
        question=_order(first).question,
        sections=sections,
        cited=list(cited) if settings.delta_retrieval else [],
    )


async def last_answered(core: Core, session_id: str, user_id: str | None) -> Run | None:
    """The newest run of the session that came to an answer, for a follow-up to start from."""
    runs = await core.runs.list(
        kind=KIND,
        status=RunStatus.COMPLETED,
        session_id=session_id,
        user_id=user_id,
        limit=RECENT_RUNS,
    )
    return next((run for run in runs if _answer(run)), None)


async def _chain(core: Core, run: Run) -> AsyncIterator[Run]:
    """The run, the one that it follows up, and so on back; each once."""
    seen: set[str] = set()
    while run.id not in seen:
        seen.add(run.id)
        yield run
        before = _order(run).follow_up_of
        if before is None:
            return
        try:
            run = await core.runs.get(before, user_id=run.user_id)
        except NotFound:  # deleted since
            return


def _order(run: Run) -> ResearchOrder:
    return ResearchOrder.model_validate(run.input)


def _answer(run: Run) -> Mapping[str, Any]:
    """What the run answered; nothing for one that refused, was left or failed."""
    if run.output is None:
        return {}
    outcome = ResearchOutcome.model_validate(run.output)
    if outcome.exit_reason is not ExitReason.COMPLETED or outcome.status is AnswerStatus.REFUSED:
        return {}
    return outcome.answer


def _parts(run: Run) -> Iterator[tuple[str, list[DeliveredClaim]]]:
    try:
        answer = _PriorAnswer.model_validate(_answer(run))
    except ValidationError:
        return
    short = answer.summary_claims or answer.summary
    if short:
        yield SUMMARY_HEADING, [DeliveredClaim(text=short)] if isinstance(short, str) else short
    for section in answer.sections:
        yield section.heading, section.claims or [DeliveredClaim(text=section.text)]


def _section(label: str, run_id: str, heading: str, claims: list[DeliveredClaim]) -> PriorSection:
    text = " ".join(" ".join(claim.text for claim in claims).split())
    return PriorSection(
        label=label,
        heading=heading,
        excerpt=text[:LONGEST_EXCERPT],
        run_id=run_id,
        citations=list(dict.fromkeys(ref for claim in claims for ref in claim.citations)),
    )
