"""Events of the journal."""

from bottega.core.topics import Topic

TOPICS = (
    Topic("journal.started", "An entry was begun.", ("id", "domain", "strategy")),
    Topic(
        "journal.updated",
        "The open entry was changed, or an orphan was adopted.",
        ("id", "iteration_count?", "adopted?"),
    ),
    Topic(
        "journal.evidence_attached",
        "A test or build that ran was attached to an entry.",
        ("id", "kind", "passed"),
    ),
    Topic(
        "journal.resolved",
        "An entry was confirmed, falsified or abandoned.",
        ("id", "domain", "status", "confidence_tier"),
    ),
    Topic("journal.value_stored", "A cluster bore out a value.", ("id", "axis", "cluster_id")),
)
