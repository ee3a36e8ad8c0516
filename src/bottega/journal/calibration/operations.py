"""What can be asked about calibration."""

from typing import TYPE_CHECKING

from bottega.core.operations import Get, operation
from bottega.core.rooms import Caller
from bottega.journal.calibration.schemas import CalibrationReport, CalibrationRequest
from bottega.journal.entries.limits import IN_PROJECT

if TYPE_CHECKING:
    from bottega.journal.service import Journal


@operation(Get("/journal/calibration", describe=IN_PROJECT))
async def calibration(
    journal: "Journal", asked: CalibrationRequest, caller: Caller
) -> CalibrationReport:
    """How well the confidence in predictions foretold what happened."""
    return await journal.calibration(journal.owner(caller.user_id, asked.project))
