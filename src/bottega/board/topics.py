"""Events of the board: changes (`specs`), the queue (`work`), agents, failing tests (`errors`)."""

from bottega.core.topics import Topic

_CHANGE = ("project_id", "change_id", "title")
_WORK = (*_CHANGE, "status?", "lease_token?")
_AGENT = ("project_id", "type")
_FAILURE = ("project_id", "failure_id", "test_name")
_COUNTS = ("total", "passed", "failed", "flaked", "skipped")
_DECIDED = ("decision?", "priority?", "classification?", "assigned_session_id?", "change_id?")

TOPICS = (
    Topic(
        "specs.scanned",
        "Projects were found, came back or vanished.",
        ("found", "returned", "vanished"),
    ),
    Topic("specs.found", "A change is there.", (*_CHANGE, "status", "returned?")),
    Topic(
        "specs.changed",
        "A text of a change was edited, in the app or on disk.",
        (*_CHANGE, "files", "by?", "user_id?", "renamed_from?"),
    ),
    Topic(
        "specs.moved",
        "A change went from one state to another.",
        (*_CHANGE, "from_state", "to_state", "triggered_by", "notes"),
    ),
    Topic(
        "specs.conflict",
        "A file and the app had both changed: the file won, the other text is kept.",
        (*_CHANGE, "file", "revision_id"),
    ),
    Topic("specs.problem", "A file cannot be read or written.", (*_CHANGE, "problem")),
    Topic("specs.removed", "A change's folder is gone.", (*_CHANGE, "status")),
    Topic("work.claimed", "An agent claimed a change.", (*_WORK, "agent_type")),
    Topic(
        "work.progress",
        "Tasks were ticked, or its first tool ran.",
        (*_WORK, "tasks_done?", "tasks_total?", "session_id?"),
    ),
    Topic(
        "work.completed",
        "The work waits for a person's word.",
        (*_WORK, "result?", "tasks_done?", "tasks_total?"),
    ),
    Topic("work.released", "It is back in the queue.", (*_WORK, "why", "session_id?")),
    Topic(
        "agents.registered",
        "An agent's session is known, or is known again.",
        (*_AGENT, "client_session_id?", "woken?"),
    ),
    Topic(
        "agents.activity",
        "One of its hooks fired.",
        ("project_id", "event", "tool_name", "success"),
        is_kept=False,
    ),
    Topic("agents.idle", "It has been silent for a while.", (*_AGENT, "since", "minutes")),
    Topic("agents.ended", "It left, or was silent for too long.", (*_AGENT, "status", "why")),
    Topic(
        "agents.summary",
        "What it did, once it is over.",
        ("project_id", "seconds", "events", "total_tools", "failed", "success_rate", "tools"),
    ),
    Topic(
        "agents.asked",
        "It asks a person.",
        (*_AGENT, "clarification_id", "change_id", "question", "options", "blocking"),
    ),
    Topic(
        "agents.answered",
        "The person answered.",
        (*_AGENT, "clarification_id", "change_id", "answer"),
    ),
    Topic(
        "errors.reported",
        "A report of tests came in.",
        ("project_id", "report_id", "source", *_COUNTS, "new_failures", "green"),
    ),
    Topic(
        "errors.seen",
        "A failure that was not known before.",
        (*_FAILURE, "classification", "decision", "priority"),
    ),
    Topic(
        "errors.green",
        "A test that failed passes again, with the change that was made for it.",
        (*_FAILURE, "change_id", "status?"),
    ),
    Topic(
        "errors.reopened",
        "A test fails again after its change was applied.",
        (*_FAILURE, "change_id", "notes"),
    ),
    Topic(
        "errors.triaged",
        "A person decided on a failure.",
        (*_FAILURE, "by", *_DECIDED),
    ),
)
