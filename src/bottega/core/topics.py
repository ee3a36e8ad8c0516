"""How the events that there are get declared, and those that belong to no room (`topics.toml`)."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


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


def read_topics(module: str) -> tuple[Topic, ...]:
    """Those of the `topics.toml` beside a module, given its `__file__`."""
    declared = tomllib.loads(Path(module).with_name("topics.toml").read_text("utf-8"))
    return tuple(
        Topic(**{**each, "fields": tuple(each.get("fields", "").split())})
        for each in declared["topic"]
    )


TOPICS = read_topics(__file__)
