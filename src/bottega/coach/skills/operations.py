"""What can be asked of skills and knowledge gaps."""

from typing import TYPE_CHECKING

from bottega.coach.skills.schemas import DreyfusRadar, GapMark, GapsRequest, GapView
from bottega.core.operations import Get, Post, operation
from bottega.core.rooms import Caller

if TYPE_CHECKING:
    from bottega.coach.service import Coach


@operation(Get("/coach/gaps"))
async def list_gaps(coach: "Coach", asked: GapsRequest, caller: Caller) -> list[GapView]:
    """Severe first."""
    return await coach.gaps.list(coach.editor_of(caller), asked.addressed)


@operation(Post("/coach/gaps/{id}/addressed"))
async def mark_gap(coach: "Coach", said: GapMark, caller: Caller) -> GapView:
    """Say that a gap is closed, or that it is not after all."""
    return await coach.gaps.mark(coach.editor_of(caller), said.id, said.addressed)


@operation(Get("/coach/dashboard/dreyfus"))
async def get_radar(coach: "Coach", caller: Caller) -> DreyfusRadar:
    """Every skill's stage as a point, and the stage over all."""
    return await coach.skills.radar(caller.user_id)
