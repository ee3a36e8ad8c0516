"""What can be asked about calibration."""

from typing import TYPE_CHECKING

from bottega.core.operations import Get, operation
from bottega.core.rooms import Caller
from bottega.journal.entries.enums import Domain
from bottega.journal.entries.limits import IN_PROJECT, Project
from bottega.journal.entries.schemas import JournalInput, JournalView

if TYPE_CHECKING:
    from bottega.journal.service import Journal


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


@operation(Get("/journal/calibration", describe=IN_PROJECT))
async def calibration(
    journal: "Journal", asked: CalibrationRequest, caller: Caller
) -> CalibrationReport:
    """How well the confidence in predictions foretold what happened."""
    return await journal.calibration(journal.owner(caller.user_id, asked.project))
