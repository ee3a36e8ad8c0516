"""The review of a phase's work."""

from typing import ClassVar

from bottega.coach.editor.schemas import Outgoing


class PhaseReview(Outgoing):
    """ "Review My Work": the active phase's changes."""

    type: ClassVar[str] = "review:response"
    kata_id: None = None
    phase: int | None
    review: str
    suggestions: list[str]
    passed: bool
    offline: bool = False
