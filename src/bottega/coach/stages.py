"""The five stages of the Dreyfus model: how much of the way a learner has come in one skill."""

from enum import StrEnum


class Stage(StrEnum):
    NOVICE = "novice"
    ADVANCED_BEGINNER = "advanced_beginner"
    COMPETENT = "competent"
    PROFICIENT = "proficient"
    EXPERT = "expert"

    @property
    def rank(self) -> int:
        """0 for a novice, 4 for an expert."""
        return tuple(Stage).index(self)

    @property
    def words(self) -> str:
        return self.value.replace("_", " ")
