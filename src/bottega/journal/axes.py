"""What of an experience each axis looks at.

Only what the author wrote, without labels such as `Goal:` and without line breaks: to an embedder
they are words, which would make every text alike and a value, which has none, unlike them all.
"""

from collections.abc import Iterable

from bottega.journal.entry import Entry, Lesson, Resolution
from bottega.journal.enums import Axis, Outcome


def axes_of(entry: Entry) -> list[Axis]:
    """Surprise and root cause exist for what turned out wrong only."""
    resolution = _resolution(entry)
    is_falsified = resolution.status is Outcome.FALSIFIED
    return [axis for axis in Axis if is_falsified or not axis.falsified_only]


def axis_text(entry: Entry, axis: Axis) -> str:
    resolution = _resolution(entry)
    return " ".join(part for part in _parts(entry, resolution, axis) if part)


def _resolution(entry: Entry) -> Resolution:
    assert entry.resolution is not None, f"{entry.id} is not resolved: it has no axes yet"
    return entry.resolution


def _parts(entry: Entry, resolution: Resolution, axis: Axis) -> Iterable[str | None]:
    outcome = f"{resolution.status}: {resolution.result}"
    cause = resolution.root_cause
    match axis:
        case Axis.FULL:
            return (
                *(entry.goal, entry.hypothesis, entry.action, entry.prediction, outcome),
                *(resolution.surprise, _lesson(resolution.lesson)),
            )
        case Axis.STRATEGY:
            iterations = f"iterations: {entry.iteration_count}"
            return entry.strategy, entry.goal, outcome, iterations, _lesson(resolution.lesson)
        case Axis.SURPRISE:
            why = cause.description if cause else None
            return entry.prediction, resolution.result, resolution.surprise, why
        case Axis.ROOT_CAUSE:
            category, why = (cause.category, cause.description) if cause else (None, None)
            return category, why, entry.domain, entry.strategy, entry.hypothesis


def _lesson(lesson: Lesson | None) -> str | None:
    if lesson is None:
        return None
    return " ".join(part for part in (lesson.what_worked, lesson.takeaway) if part)
