"""What can be asked of reports and failures, and how people decide on these."""

from typing import TYPE_CHECKING

from bottega.board.failures.schemas import (
    Agreement,
    AgreementRequest,
    AssignRequest,
    ClassifyRequest,
    FailurePage,
    FailureRequest,
    FailuresRequest,
    FailureView,
    ReportList,
    ReportsRequest,
    TriageRequest,
)
from bottega.core.operations import Get, Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller

if TYPE_CHECKING:
    from bottega.board.service import Board

PATH = "/board/failures/{failure_id}"


@operation(Get("/board/reports"))
async def list_reports(board: "Board", asked: ReportsRequest) -> ReportList:
    """Newest first."""
    return await board.intake.reports(asked.project_id, asked.limit, asked.offset)


@operation(Get("/board/failures"))
async def list_failures(board: "Board", asked: FailuresRequest) -> FailurePage:
    """What fails first, the most urgent before the others."""
    return await board.triage.list(asked)


@operation(Get("/board/failures/agreement"))
async def show_agreement(board: "Board", asked: AgreementRequest) -> Agreement:
    """How often people decided as the rules had suggested."""
    return await board.triage.agreement(asked.project_id)


@operation(Get(PATH))
async def show_failure(board: "Board", asked: FailureRequest) -> FailureView:
    """With its error, its stack and the last runs of its test."""
    return await board.triage.show(asked.failure_id)


@operation(Post(f"{PATH}/triage"), needs=Right.DECIDE)
async def triage_failure(board: "Board", asked: TriageRequest, caller: Caller) -> FailureView:
    """Decide; from then on the rules do not."""
    return await board.triage.triage(asked.failure_id, asked, caller.user_id)


@operation(Post(f"{PATH}/classify", optional_body=True), needs=Right.DECIDE)
async def classify_failure(board: "Board", asked: ClassifyRequest, caller: Caller) -> FailureView:
    """With a class it stands; without one the rules classify it again."""
    return await board.triage.classify(asked.failure_id, asked.classification, caller.user_id)


@operation(Post(f"{PATH}/assign"))
async def assign_failure(board: "Board", asked: AssignRequest, caller: Caller) -> FailureView:
    """Note which agent's session looks into it."""
    return await board.triage.assign(asked.failure_id, asked.session_id, caller.user_id)


@operation(Post(f"{PATH}/propose"))
async def propose_failure(board: "Board", asked: FailureRequest, caller: Caller) -> FailureView:
    """Propose a change for it now, however often it was met."""
    return await board.triage.propose(asked.failure_id, caller.user_id)
