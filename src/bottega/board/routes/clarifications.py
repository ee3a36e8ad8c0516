"""Agents' questions over HTTP: `/api/board/clarifications`."""

from typing import Annotated

from fastapi import APIRouter, Query, status
from pydantic import BaseModel, Field

from bottega.board.agents.clarifications import LONGEST_WAIT, Clarifications
from bottega.board.queue.views import ClarificationView
from bottega.board.tool_arguments import Answer, Id, NewQuestion
from bottega.core.callers import CurrentCaller

Seconds = Annotated[float, Query(ge=0, le=LONGEST_WAIT)]
OpenOnly = Annotated[bool, Query(alias="open", description="Only those that wait for an answer.")]


class ClarificationList(BaseModel):
    clarifications: list[ClarificationView] = Field(description="Open ones: the oldest first.")


def router(clarifications: Clarifications) -> APIRouter:
    routes = APIRouter(prefix="/board/clarifications", tags=["board"])

    @routes.get("")
    async def list_clarifications(
        caller: CurrentCaller, open_only: OpenOnly = True, project_id: Id | None = None
    ) -> ClarificationList:
        rows = await clarifications.list(caller.user_id, open_only=open_only, project_id=project_id)
        shown = [ClarificationView.model_validate(row) for row in rows]
        return ClarificationList(clarifications=shown)

    @routes.post("", status_code=status.HTTP_201_CREATED)
    async def ask(asked: NewQuestion, caller: CurrentCaller) -> ClarificationView:
        row = await clarifications.ask(
            asked.session_id,
            caller.user_id,
            asked.question,
            options=asked.options,
            blocking=asked.blocking,
        )
        return ClarificationView.model_validate(row)

    @routes.get("/{clarification_id}")
    async def show_clarification(
        clarification_id: Id, caller: CurrentCaller, wait_seconds: Seconds = 0
    ) -> ClarificationView:
        """With `wait_seconds` as soon as it is answered, or as it is after that time."""
        row = await clarifications.wait(clarification_id, caller.user_id, wait_seconds)
        return ClarificationView.model_validate(row)

    @routes.post("/{clarification_id}/answer")
    async def answer(
        clarification_id: Id, asked: Answer, caller: CurrentCaller
    ) -> ClarificationView:
        """One of the options, or own words."""
        row = await clarifications.answer(clarification_id, asked.answer, caller.user_id)
        return ClarificationView.model_validate(row)

    return routes
