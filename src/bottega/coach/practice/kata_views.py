"""A kata as its learner may see it: without its tests and without the instructor's notes."""

from collections.abc import Iterable

from bottega.coach.practice.constraints import KataConstraint, constraints_of
from bottega.coach.protocol.dashboard import KataSummary
from bottega.coach.protocol.learning import (
    AttemptView,
    Constraint,
    KataLoad,
    KataView,
    OfferedConstraint,
)
from bottega.coach.repository.learning import best_level, is_solved
from bottega.coach.tables import KataSpec, KnowledgeGap


def load_view(kata: KataSpec, gap: KnowledgeGap) -> KataLoad:
    best = best_level(kata)
    return KataLoad(
        kata=KataView(
            id=kata.id,
            title=kata.title,
            topic=gap.topic,
            description=kata.description,
            scaffolding_code=kata.scaffolding_code,
            attempts=[AttemptView.model_validate(attempt) for attempt in kata.user_attempts],
            best_level=best,
        ),
        constraints=[
            OfferedConstraint(
                title=constraint.title,
                description=constraint.description,
                min_level=constraint.min_level,
                unlocked=constraint.min_level <= (best or 0),
            )
            for constraint in constraints_of(kata)
        ],
    )


def summary(kata: KataSpec, gap: KnowledgeGap) -> KataSummary:
    return KataSummary(
        id=kata.id,
        title=kata.title,
        topic=gap.topic,
        attempts_count=len(kata.user_attempts),
        best_level=best_level(kata),
        solved=is_solved(kata),
        constraint_count=len(kata.constraints),
    )


def constraint_views(constraints: Iterable[KataConstraint]) -> list[Constraint]:
    return [
        Constraint(
            title=constraint.title,
            description=constraint.description,
            min_level=constraint.min_level,
        )
        for constraint in constraints
    ]
