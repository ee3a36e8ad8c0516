"""A kata's constraints, and a kata as its learner may see it: without tests and instructor's notes.

A level reached unlocks the constraints that ask for no more than it. Taking on one that is still
locked is allowed: who opts in wants the challenge.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from bottega.coach.practice.catalogue import KataConstraint
from bottega.coach.practice.repository import best_level, is_solved
from bottega.coach.practice.schemas import (
    AttemptView,
    Constraint,
    KataLoad,
    KataSummary,
    KataView,
    OfferedConstraint,
)
from bottega.coach.practice.solution import parse
from bottega.coach.practice.tables import KataSpec
from bottega.coach.skills.tables import KnowledgeGap


def constraints_of(kata: KataSpec) -> list[KataConstraint]:
    """The easiest first."""
    found = [
        KataConstraint(
            title=stored["title"],
            description=stored.get("description", ""),
            minLevel=stored.get("minLevel", 1),
            # A model may have written it: one that is no Python cannot judge anybody.
            check=check if (check := stored.get("check")) and parse(check) else None,
        )
        for stored in kata.constraints
    ]
    return sorted(found, key=lambda constraint: constraint.min_level)


def resolve(known: Sequence[KataConstraint], titles: Iterable[str]) -> list[KataConstraint]:
    """Those that the titles mean; a title that means none is ignored (FR-155, EC-77)."""
    wanted = {_plain(title) for title in titles}
    return [constraint for constraint in known if _plain(constraint.title) in wanted]


def attempts_under(
    attempts: Sequence[dict[str, Any]], active: Sequence[KataConstraint]
) -> list[dict[str, Any]]:
    """The attempts made under these constraints and no others (FR-156)."""
    wanted = {_plain(constraint.title) for constraint in active}
    return [
        attempt
        for attempt in attempts
        if {_plain(title) for title in attempt.get("constraints", ())} == wanted
    ]


def mastered(attempts: Iterable[dict[str, Any]]) -> frozenset[str]:
    """The titles of all constraints under which an attempt has passed."""
    return frozenset(
        title
        for attempt in attempts
        if attempt.get("passed")
        for title in attempt.get("constraints", ())
    )


def newly_unlocked(
    known: Sequence[KataConstraint], previous_best: int | None, level: int
) -> list[KataConstraint]:
    """FR-158. Before the first attempt nothing is unlocked."""
    before = previous_best or 0
    return [constraint for constraint in known if before < constraint.min_level <= level]


def next_challenge(known: Sequence[KataConstraint], done: Collection[str]) -> KataConstraint | None:
    """The easiest that was not mastered yet, locked or not."""
    return next((constraint for constraint in known if constraint.title not in done), None)


def _plain(title: str) -> str:
    return " ".join(title.lower().split())


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
    return [Constraint.model_validate(each, from_attributes=True) for each in constraints]
