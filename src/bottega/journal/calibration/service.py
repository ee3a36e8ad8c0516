"""Computes the Brier score and the calibration curve.

Somebody who is right in seven of ten predictions made with a confidence of 0.7 is calibrated.
"""

from collections.abc import Sequence

from bottega.core.db.database import Database
from bottega.journal.calibration.operations import Bin, Calibration, CalibrationReport
from bottega.journal.entries import repository
from bottega.journal.entries.enums import Domain, JournalOutcome
from bottega.journal.entries.repository import Owner

BINS = 10
#: Domain, confidence, outcome.
Forecast = tuple[str, float, str]


async def report(database: Database, owner: Owner) -> CalibrationReport:
    """The calibration of an owner's resolved predictions; `overall` is `None` without any."""
    async with database.read() as session:
        return calibrate(await repository.forecasts(session, owner))


def calibrate(forecasts: Sequence[Forecast]) -> CalibrationReport:
    if not forecasts:
        return CalibrationReport(overall=None, domains=[])
    by_domain = {
        domain: [forecast for forecast in forecasts if forecast[0] == domain] for domain in Domain
    }
    return CalibrationReport(
        overall=_calibration(None, forecasts),
        domains=[_calibration(domain, some) for domain, some in by_domain.items() if some],
    )


def _calibration(domain: Domain | None, forecasts: Sequence[Forecast]) -> Calibration:
    points = [(confidence, _came_true(outcome)) for _, confidence, outcome in forecasts]
    brier = sum((confidence - truth) ** 2 for confidence, truth in points) / len(points)
    bins = [[point for point in points if _bin(point[0]) == number] for number in range(BINS)]
    return Calibration(
        domain=domain,
        count=len(points),
        brier_score=round(brier, 6),
        curve=[_measured(number, some) for number, some in enumerate(bins) if some],
    )


def _measured(number: int, points: Sequence[tuple[float, float]]) -> Bin:
    count = len(points)
    return Bin(
        from_confidence=number / BINS,
        to_confidence=(number + 1) / BINS,
        count=count,
        mean_confidence=round(sum(confidence for confidence, _ in points) / count, 6),
        confirmed=round(sum(truth for _, truth in points) / count, 6),
    )


def _bin(confidence: float) -> int:
    # A tiny step up, because 0.7 * 10 is a little less than 7 to a computer.
    return min(int(confidence * BINS + 1e-9), BINS - 1)


def _came_true(outcome: str) -> float:
    return 1.0 if outcome == JournalOutcome.CONFIRMED else 0.0
