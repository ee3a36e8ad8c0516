"""The events that there are: what a subscriber can rely on, declared beside who publishes them."""

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
    """What a run tells of itself: `fields` are those of the `payload` within the payload."""
    return Topic(f"run.{type}", when, tuple(f"payload.{field}" for field in fields))
