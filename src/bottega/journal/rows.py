"""An entry as a row, and a row as an entry."""

from bottega.core import clock
from bottega.journal.entry import Entry, Resolution
from bottega.journal.repository import Owner
from bottega.journal.tables import Experience


def as_row(owner: Owner, entry: Entry) -> Experience:
    resolution = entry.resolution
    assert resolution is not None, f"{entry.id} is not resolved: it is no experience yet"
    plain = entry.model_dump(mode="json", include={"history", "evidence"})
    end = resolution.model_dump(mode="json", include={"root_cause", "lesson"})
    return Experience(
        id=entry.id,
        user_id=owner.user_id,
        project=owner.project,
        session_id=entry.session_id,
        domain=entry.domain,
        strategy=entry.strategy,
        goal=entry.goal,
        hypothesis=entry.hypothesis,
        action=entry.action,
        prediction=entry.prediction,
        confidence=entry.confidence,
        outcome_status=resolution.status,
        outcome_result=resolution.result,
        surprise=resolution.surprise,
        confidence_tier=resolution.confidence_tier,
        iteration_count=entry.iteration_count,
        created_at=entry.created_at,
        resolved_at=resolution.resolved_at,
        updated_at=clock.now(),
        **plain,
        **end,
    )


def as_entry(row: Experience) -> Entry:
    shared = {name: getattr(row, name) for name in Entry.model_fields if name != "resolution"}
    end = {name: getattr(row, name) for name in Resolution.model_fields if hasattr(row, name)}
    resolution = {"status": row.outcome_status, "result": row.outcome_result, **end}
    return Entry.model_validate({**shared, "resolution": resolution})
