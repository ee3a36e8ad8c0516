"""Asking for a review: of a kata's solution, or of the active phase's work.

What goes wrong is sent to the windows by the services (and raised).
"""

from typing import TYPE_CHECKING, Any

from bottega.coach.practice.schemas import KataReview, Review
from bottega.coach.review.schemas import PhaseReview
from bottega.core.operations import Post, SocketMessage, operation
from bottega.core.rooms import Caller, Incoming

if TYPE_CHECKING:
    from bottega.coach.service import Coach


@operation(Post("/coach/review"))
async def review(coach: "Coach", asked: Review, caller: Caller) -> KataReview | PhaseReview:
    """A kata's solution; without a `kataId`, the work of the active phase."""
    return await _review(coach, asked, caller)


@operation(SocketMessage("user:review"))
async def review_in_window(coach: "Coach", asked: Review, incoming: Incoming[Any]) -> None:
    work = _review(coach, asked, incoming.connection.caller)
    coach.background.run(incoming, work, is_announced=True)


async def _review(coach: "Coach", asked: Review, caller: Caller) -> KataReview | PhaseReview:
    editor = coach.editor_of(caller)
    if asked.kata_id is None:
        return await coach.phase_reviews.review(editor)
    return await coach.practice.review(editor, asked)
