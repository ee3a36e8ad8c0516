"""`/api/costs`: what model calls cost, in all and by model."""

from fastapi import APIRouter

from bottega.core.bounds import Instant
from bottega.core.callers import CurrentCaller
from bottega.core.llm.ledger import Spending
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.errors import Forbidden


def cost_routes(core: Core) -> APIRouter:
    router = APIRouter(tags=["costs"])

    @router.get("/costs")
    async def get_costs(
        caller: CurrentCaller, session_id: str | None = None, since: Instant | None = None
    ) -> Spending:
        """What was spent: on one session, or by the whole house, which its owner may see."""
        if session_id is not None:
            await core.sessions.get(session_id, user_id=caller.user_id)
        elif caller.user_id != LOCAL_USER:
            raise Forbidden("The costs of the house are its owner's; name a session of yours.")
        return await core.ledger.totals(session_id, since)

    return router
