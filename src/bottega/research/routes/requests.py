"""What agents ask of people: only people answer, and only here."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from bottega.core.callers import CurrentCaller
from bottega.research.desk import Desk
from bottega.research.session_tools.requests import RequestView

Words = Annotated[str, Field(max_length=20_000)]


class RequestList(BaseModel):
    requests: list[RequestView]


class PauseReply(BaseModel):
    text: Words


class PlanJudgement(BaseModel):
    approved: bool
    comment: Words = ""


class GivenCredential(BaseModel):
    value: Words


def add_routes(routes: APIRouter, desk: Desk) -> None:
    requests = desk.session.requests

    @routes.get("/requests")
    async def list_requests(
        caller: CurrentCaller,
        session_id: Annotated[str | None, Query(max_length=100)] = None,
        open_only: bool = True,
    ) -> RequestList:
        """The longest waiting first."""
        found = await requests.list(
            user_id=caller.user_id, session_id=session_id, open_only=open_only
        )
        return RequestList(requests=list(found))

    @routes.post("/requests/{request_id}/reply")
    async def reply_to_request(
        request_id: str, given: PauseReply, caller: CurrentCaller
    ) -> RequestView:
        """Words at a pause of an agent from outside."""
        return await requests.reply(request_id, given.text, user_id=caller.user_id)

    @routes.post("/requests/{request_id}/plan")
    async def judge_plan(
        request_id: str, given: PlanJudgement, caller: CurrentCaller
    ) -> RequestView:
        return await requests.judge_plan(
            request_id, approved=given.approved, comment=given.comment, user_id=caller.user_id
        )

    @routes.post("/requests/{request_id}/credential")
    async def give_credential(
        request_id: str, given: GivenCredential, caller: CurrentCaller
    ) -> RequestView:
        """Kept encrypted; the agent hears only that it is there."""
        return await requests.give_credential(request_id, given.value, user_id=caller.user_id)

    @routes.post("/requests/{request_id}/decline")
    async def decline_request(request_id: str, caller: CurrentCaller) -> RequestView:
        return await requests.decline(request_id, user_id=caller.user_id)
