"""A solution that a learner hands in, with all that its reviewer may know."""

from dataclasses import dataclass
from typing import Any

from bottega.coach.practice.constraints import KataConstraint
from bottega.coach.reviewing.evidence import Evidence
from bottega.coach.stages import Stage

#: Of a kata that does not say what a plain solution shows.
USUAL_LEVEL = 3


@dataclass(frozen=True, slots=True)
class Submission:
    description: str
    #: What the learner must not see.
    instructor_notes: str
    scaffolding_code: str
    evidence: Evidence
    stage: Stage
    #: All that the kata has, the easiest first.
    constraints: tuple[KataConstraint, ...] = ()
    #: Attempts under the same constraints, oldest first: `{code, review, level, passed}`.
    previous_attempts: tuple[dict[str, Any], ...] = ()
    #: Titles of the constraints under which the learner has passed before.
    mastered: frozenset[str] = frozenset()
    #: What a plain solution that passes shows, from 1 to 10.
    plain_level: int = USUAL_LEVEL
