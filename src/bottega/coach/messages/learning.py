"""Explanations, reviews and katas over WebSocket.

Explanations and reviews go to all of the person's windows, and so do their failures; the services
say both, so here a failure that was said is not said again.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ParamSpec

from bottega.coach.desk.desk import Desks
from bottega.coach.explaining.explainer import Explainer
from bottega.coach.messages.background import Background
from bottega.coach.practice.practice import Practice
from bottega.coach.protocol.learning import Explain, RequestKata, Review, SolutionReview
from bottega.coach.reviewing.phase_review import PhaseReviews
from bottega.core.rooms import Incoming, Message
from bottega.errors import BottegaError, InvalidInput

Given = ParamSpec("Given")


def messages(
    desks: Desks,
    background: Background,
    explainer: Explainer,
    practice: Practice,
    phase_reviews: PhaseReviews,
) -> list[Message[Any]]:
    async def explain(incoming: Incoming[Explain]) -> None:
        work = _announced(explainer.explain, desks.of_sender(incoming), incoming.payload)
        background.run(incoming, work)

    async def review(incoming: Incoming[Review]) -> None:
        desk = desks.of_sender(incoming)
        if incoming.payload.kata_id is None:
            background.run(incoming, _announced(phase_reviews.review, desk))
        else:
            background.run(incoming, _announced(practice.review, desk, incoming.payload))

    async def submit_solution(incoming: Incoming[Review]) -> None:
        if incoming.payload.kata_id is None:
            raise InvalidInput("`kataId` is missing: which kata is this a solution of?")

        async def work() -> None:
            with suppress(BottegaError):
                told = await practice.review(desks.of_sender(incoming), incoming.payload)
                short = SolutionReview(
                    kata_id=told.kata_id,
                    review=told.feedback,
                    level=told.level,
                    passed=told.passed,
                    constraints_unlocked=told.unlocked_constraints,
                )
                incoming.reply(short.type, short)

        background.run(incoming, work())

    async def request_kata(incoming: Incoming[RequestKata]) -> None:
        loaded = await practice.load(desks.of_sender(incoming), incoming.payload.kata_id)
        incoming.reply(loaded.type, loaded)

    return [
        Message("user:explain", Explain, explain),
        Message("user:review", Review, review),
        Message("practice:submit_solution", Review, submit_solution),
        Message("practice:request_kata", RequestKata, request_kata),
    ]


async def _announced(
    work: Callable[Given, Awaitable[object]], *args: Given.args, **kwargs: Given.kwargs
) -> None:
    with suppress(BottegaError):
        await work(*args, **kwargs)
