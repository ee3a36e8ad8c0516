"""`/api/sign-ins`: the browsers that a passcode signed in, each of which can be signed out."""

from datetime import datetime

from fastapi import APIRouter, Request

from bottega.core import clock
from bottega.core.doors.callers import CurrentCaller
from bottega.core.roles import Right, needs
from bottega.core.sign_ins import BrowserSignIn, SignIns
from bottega.server.api.views import RowView
from bottega.server.login import sign_in_of


class SignInView(RowView):
    id: str
    user_id: str
    #: Where the browser was; behind a trusted proxy, the address that the proxy saw.
    address: str
    #: What it said of itself.
    agent: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    is_live: bool
    #: Whether it is the one that asks.
    is_current: bool


def _view(row: BrowserSignIn, request: Request) -> SignInView:
    is_live = row.ended_at is None and row.expires_at > clock.now()
    return SignInView.of(row, is_live=is_live, is_current=row.id == sign_in_of(request))


def sign_in_routes(sign_ins: SignIns) -> APIRouter:
    router = APIRouter(prefix="/sign-ins", tags=["sign-in"])

    @router.get("")
    async def list_sign_ins(request: Request, caller: CurrentCaller) -> list[SignInView]:
        """The caller's browsers that are or were signed in, newest first."""
        return [_view(row, request) for row in await sign_ins.list(caller.user_id)]

    @router.delete("/{sign_in_id}")
    @needs(Right.DECIDE)
    async def end_sign_in(sign_in_id: str, request: Request, caller: CurrentCaller) -> SignInView:
        """Sign a browser out, and end what it has open."""
        return _view(await sign_ins.end(sign_in_id, user_id=caller.user_id), request)

    return router
