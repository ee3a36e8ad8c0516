"""Asking for an explanation. What goes wrong is sent to the windows by the service (and raised)."""

from typing import TYPE_CHECKING, Any

from bottega.coach.explain.schemas import Explain, Explanation
from bottega.core.operations import Post, SocketMessage, operation
from bottega.core.rooms import Caller, Incoming

if TYPE_CHECKING:
    from bottega.coach.service import Coach


@operation(Post("/coach/explain"))
async def explain(coach: "Coach", asked: Explain, caller: Caller) -> Explanation:
    return await coach.explainer.explain(coach.editor_of(caller), asked)


@operation(SocketMessage("user:explain"))
async def explain_in_window(coach: "Coach", asked: Explain, incoming: Incoming[Any]) -> None:
    work = coach.explainer.explain(coach.editors.of_sender(incoming), asked)
    coach.background.run(incoming, work, is_announced=True)
