"""The report of an owner's calibration."""

from bottega.journal.entries.enums import Domain
from bottega.journal.entries.limits import Project
from bottega.journal.entries.schemas import JournalInput, JournalView


class CalibrationRequest(JournalInput):
    project: Project | None = None


class Bin(JournalView):
    """The predictions made with about the same confidence."""

    from_confidence: float
    to_confidence: float
    count: int
    mean_confidence: float
    #: How many of them came true, 0 to 1.
    confirmed: float


class Calibration(JournalView):
    domain: Domain | None
    count: int
    #: 0 is perfect, 0.25 is what always saying "fifty-fifty" gets.
    brier_score: float
    curve: list[Bin]


class CalibrationReport(JournalView):
    overall: Calibration | None
    domains: list[Calibration]
