"""Explanations, reviews, katas and gaps over HTTP: `/api/coach`."""

from fastapi import APIRouter, status

from bottega.coach.desk.desk import Desks
from bottega.coach.explaining.explainer import Explainer
from bottega.coach.practice.gaps import Gaps, GapView
from bottega.coach.practice.practice import Practice
from bottega.coach.protocol.dashboard import KataSummary
from bottega.coach.protocol.learning import (
    Explain,
    Explanation,
    KataLoad,
    KataReview,
    PhaseReview,
    Review,
)
from bottega.coach.reviewing.phase_review import PhaseReviews
from bottega.core.callers import CurrentCaller
from bottega.core.wire import Wired


class Addressed(Wired):
    addressed: bool


def router(
    desks: Desks,
    explainer: Explainer,
    practice: Practice,
    phase_reviews: PhaseReviews,
    gaps: Gaps,
) -> APIRouter:
    routes = APIRouter(prefix="/coach", tags=["coach"])
    add_reviews(routes, desks, explainer, practice, phase_reviews)
    add_katas(routes, desks, practice)
    add_gaps(routes, desks, gaps)
    return routes


def add_reviews(
    routes: APIRouter,
    desks: Desks,
    explainer: Explainer,
    practice: Practice,
    phase_reviews: PhaseReviews,
) -> None:
    @routes.post("/explain")
    async def explain(asked: Explain, caller: CurrentCaller) -> Explanation:
        return await explainer.explain(desks.of(caller.user_id), asked)

    @routes.post("/review")
    async def review(asked: Review, caller: CurrentCaller) -> KataReview | PhaseReview:
        """A kata's solution; without a `kataId`, the work of the active phase."""
        desk = desks.of(caller.user_id)
        if asked.kata_id is None:
            return await phase_reviews.review(desk)
        return await practice.review(desk, asked)


def add_katas(routes: APIRouter, desks: Desks, practice: Practice) -> None:
    @routes.get("/katas")
    async def list_katas(caller: CurrentCaller) -> list[KataSummary]:
        """Newest first."""
        return await practice.katas(desks.of(caller.user_id))

    @routes.post("/katas/next")
    async def next_kata(caller: CurrentCaller) -> KataLoad:
        """The best to do next; one is taken from the catalogue where none is open."""
        return await practice.load(desks.of(caller.user_id), None)

    @routes.get("/katas/{id}")
    async def show_kata(id: str, caller: CurrentCaller) -> KataLoad:
        return await practice.load(desks.of(caller.user_id), id)

    @routes.post("/katas/{id}/attempts", status_code=status.HTTP_201_CREATED)
    async def attempt_kata(id: str, attempt: Review, caller: CurrentCaller) -> KataReview:
        asked = attempt.model_copy(update={"kata_id": id})
        return await practice.review(desks.of(caller.user_id), asked)


def add_gaps(routes: APIRouter, desks: Desks, gaps: Gaps) -> None:
    @routes.get("/gaps")
    async def list_gaps(caller: CurrentCaller, addressed: bool | None = None) -> list[GapView]:
        """Severe first."""
        return await gaps.list(desks.of(caller.user_id), addressed)

    @routes.post("/gaps/{id}/addressed")
    async def mark_gap(id: str, said: Addressed, caller: CurrentCaller) -> GapView:
        """Say that a gap is closed, or that it is not after all."""
        return await gaps.mark(desks.of(caller.user_id), id, said.addressed)
