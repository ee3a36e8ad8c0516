"""How the events that there are get declared, and those that belong to no room."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    #: As in the event; `run.*` stands for whatever a kind of run calls its own events.
    name: str
    #: When it is published, in one sentence.
    when: str
    #: What its payload holds; a `?` marks what is not always there.
    fields: tuple[str, ...] = ()
    #: In the log, and so in other processes; otherwise heard live in this one only.
    is_kept: bool = True


def of_run(type: str, when: str, *fields: str) -> Topic:
    """An event of a run: `fields` are those of the `payload` within the payload."""
    return Topic(f"run.{type}", when, tuple(f"payload.{field}" for field in fields))


_SESSION = ("kind", "type", "status", "title")

TOPICS = (
    Topic("session.started", "A session of any kind began.", _SESSION),
    Topic("session.changed", "Its title, facts or status changed, and it goes on.", _SESSION),
    Topic("session.ended", "It is over.", _SESSION),
    Topic("session.deleted", "It was deleted with all that was said in it.", _SESSION),
    Topic(
        "action.logged",
        "A person or an agent did something in a session: a row of the action log.",
        ("action_type", "data"),
    ),
    Topic(
        "files.changed",
        "A file of the project was added, changed or removed on disk.",
        ("action", "path"),
        is_kept=False,
    ),
    Topic(
        "mcp.tool_called",
        "An MCP tool answered, or failed with the type of error given.",
        ("tool", "room", "client", "duration_ms", "error"),
        is_kept=False,
    ),
    Topic(
        "run.*",
        "Something happened in a durable run. These fields come with every event of a run.",
        ("run_id", "kind", "status", "position", "payload"),
    ),
    of_run(
        "queued", "A run waits for a worker.", "kind", "input", "user_id", "session_id", "queue"
    ),
    of_run("started", "A worker took it."),
    of_run("recovered", "Another process, or this one after a restart, goes on with it."),
    of_run("paused", "It waits for a person.", "reason", "prompt", "until", "key"),
    of_run("replied", "The person replied.", "message"),
    of_run("expired", "Nobody replied in time."),
    of_run("completed", "It is done.", "output"),
    of_run("failed", "It ended with an error.", "error"),
    of_run("cancelled", "Somebody stopped it."),
    Topic(
        "run.delta",
        "A model is writing: a piece of its text.",
        ("run_id", "substep", "text"),
        is_kept=False,
    ),
    Topic(
        "transcript.*",
        "A message of an imported transcript; the last word is its role, such as `user`.",
        ("source", "message_id", "text"),
    ),
    Topic(
        "user.token_revoked",
        "A token was revoked: every process forgets it, and ends what it let in.",
        ("token_hash", "token_id"),
    ),
    Topic(
        "user.token_changed",
        "A token has another role, other rooms or projects: what it had opened is closed.",
        ("token_hash", "token_id"),
    ),
    Topic(
        "user.signed_out",
        "A browser was signed out: every process refuses its cookie, and ends what it let in.",
        ("sign_in_id",),
    ),
    Topic(
        "events.missed",
        "To a subscriber that was too slow: so many events passed by. The log has those it keeps.",
        ("missed",),
        is_kept=False,
    ),
)
