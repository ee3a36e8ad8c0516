"""What can be asked of katas."""

from typing import TYPE_CHECKING, Any

from bottega.coach.practice.schemas import (
    AttemptRequest,
    KataLoad,
    KataRequest,
    KataReview,
    KataSummary,
    RequestKata,
    Review,
    SolutionReview,
)
from bottega.core.operations import Get, Post, SocketMessage, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller, Incoming
from bottega.errors import InvalidInput

if TYPE_CHECKING:
    from bottega.coach.service import Coach


@operation(Get("/coach/katas"))
async def list_katas(coach: "Coach", caller: Caller) -> list[KataSummary]:
    """Newest first."""
    return await coach.practice.katas(coach.editor_of(caller))


@operation(Post("/coach/katas/next"))
async def next_kata(coach: "Coach", caller: Caller) -> KataLoad:
    """The best to do next; one is taken from the catalogue where none is open."""
    return await coach.practice.load(coach.editor_of(caller), None)


@operation(Get("/coach/katas/{id}"))
async def show_kata(coach: "Coach", asked: KataRequest, caller: Caller) -> KataLoad:
    return await coach.practice.load(coach.editor_of(caller), asked.id)


@operation(Post("/coach/katas/{id}/attempts", status=201))
async def attempt_kata(coach: "Coach", attempt: AttemptRequest, caller: Caller) -> KataReview:
    asked = attempt.model_copy(update={"kata_id": attempt.id})
    return await coach.practice.review(coach.editor_of(caller), asked)


@operation(SocketMessage("practice:request_kata"), needs=Right.READ)
async def request_kata(coach: "Coach", asked: RequestKata, caller: Caller) -> KataLoad:
    return await coach.practice.load(coach.editor_of(caller), asked.kata_id)


@operation(SocketMessage("practice:submit_solution"))
async def submit_solution(coach: "Coach", asked: Review, incoming: Incoming[Any]) -> None:
    if asked.kata_id is None:
        raise InvalidInput("`kataId` is missing: which kata is this a solution of?")

    async def work() -> None:
        reviewed = await coach.practice.review(coach.editors.of_sender(incoming), asked)
        short = SolutionReview(
            kata_id=reviewed.kata_id,
            review=reviewed.feedback,
            level=reviewed.level,
            passed=reviewed.passed,
            constraints_unlocked=reviewed.unlocked_constraints,
        )
        incoming.reply(short.type, short)

    coach.background.run(incoming, work(), is_announced=True)
