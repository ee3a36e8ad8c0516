"""How a search is made, and how well what it found fits: words that commands know without loading
what searches and reads."""

from enum import StrEnum


class SearchType(StrEnum):
    HYBRID = "hybrid"
    KEYWORD = "keyword"
    VECTOR = "vector"


class Fit(StrEnum):
    """What is said of a passage, or of all that was found."""

    LIKELY = "likely answers"
    MAY = "may answer"
    NOTHING = "nothing fits"
