"""What can be asked of evals: to play the cases, and what they came to."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, Field

from bottega.assistant.evals.report import AssistantReport
from bottega.core.operations import Get, Post, operation
from bottega.core.rooms import Caller
from bottega.core.run_status import RunStatus

if TYPE_CHECKING:
    from bottega.assistant.service import Assistant
    from bottega.core.runs import Run


class EvalOrder(BaseModel, frozen=True):
    cases: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="Only those whose name contains this."
    )
    #: Played once more without each of these.
    without: Annotated[
        list[Literal["skills", "workspace", "memory", "subagents"]], Field(max_length=4)
    ] = []
    #: Played once more with this `provider:model`.
    model: Annotated[str, Field(max_length=200)] | None = None


class EvalState(BaseModel):
    run_id: str
    status: RunStatus
    #: When it has been completed.
    report: AssistantReport | None
    error: dict[str, Any] | None

    @classmethod
    def of(cls, run: "Run") -> Self:
        report = AssistantReport.model_validate(run.output) if run.output else None
        return cls(run_id=run.id, status=run.status, report=report, error=run.error)


class EvalRequest(BaseModel):
    run_id: str
    wait: Annotated[float, Field(ge=0, le=30)] = 0


@operation(Post("/assistant/evals", status=201))
async def start_eval(assistant: "Assistant", order: EvalOrder, caller: Caller) -> EvalState:
    """Play the shipped cases, judge them, and compare with what is left out."""
    return EvalState.of(await assistant.evals.start(order, user_id=caller.user_id))


@operation(Get("/assistant/evals/{run_id}"))
async def get_eval(assistant: "Assistant", asked: EvalRequest, caller: Caller) -> EvalState:
    """Its report; with `wait`, as soon as it is there or after so many seconds."""
    run = await assistant.evals.get(asked.run_id, user_id=caller.user_id)
    if asked.wait and not run.status.is_final:
        with suppress(TimeoutError):
            async with asyncio.timeout(asked.wait):
                await assistant.core.runs.wait(asked.run_id)
    return EvalState.of(await assistant.evals.get(asked.run_id, user_id=caller.user_id))
