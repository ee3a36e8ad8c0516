"""What was read from the code. Apart from the words of steps and results, every text in here is a
piece of the source, never a word of ours."""

from dataclasses import dataclass
from enum import StrEnum

from bottega.coach.explain.concepts import Concept
from bottega.coach.explain.risks import Danger
from bottega.core.code.model import Call, Definition, Import


class Topic(StrEnum):
    """What one can tell about code, a list of pieces of the source for each."""

    #: What the author wrote about it.
    PURPOSE = "is for"
    ASSIGNS = "assigns"
    CALLS = "calls"
    RETURNS = "returns"
    RAISES = "raises"
    CATCHES = "catches"
    YIELDS = "yields"
    AWAITS = "awaits"
    LOOPS = "loops over"
    REPEATS = "repeats while"
    BRANCHES = "branches on"
    #: A condition after which the code leaves at once: below it, the condition is false.
    GUARDS = "guards against"
    ASSERTS = "asserts"
    OPENS = "opens"
    #: Names that the selection uses and does not make.
    READS = "reads"
    #: What outlives the selection and is changed by it.
    MUTATES = "mutates"


@dataclass(frozen=True, slots=True)
class Risk:
    danger: Danger
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class Step:
    """A statement, or several of a kind, in plain words."""

    line: int
    last_line: int
    words: str
    #: How deep it stands in other steps.
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Facts:
    """Lines are those of the file."""

    topics: dict[Topic, tuple[str, ...]]
    definitions: tuple[Definition, ...]
    #: The definition that the selection is a part of.
    around: Definition | None
    #: Calls of what the selection defines, from elsewhere in the file.
    callers: tuple[Call, ...]
    imports: tuple[Import, ...]
    concepts: tuple[Concept, ...]
    risks: tuple[Risk, ...]
    steps: tuple[Step, ...]
    #: What the one function that was selected gives back, in words.
    results: tuple[str, ...]
    #: How deep loops stand in loops.
    loop_depth: int
    #: What must be said about how it was read: a broken line.
    note: str | None = None

    def about(self, topic: Topic) -> tuple[str, ...]:
        return self.topics.get(topic, ())

    @property
    def is_empty(self) -> bool:
        return not (self.steps or self.definitions or self.imports or any(self.topics.values()))

    @property
    def names(self) -> set[str]:
        """The names that this code makes, calls or reads, without their owners."""
        told = [definition.name for definition in self.definitions]
        for topic in (Topic.ASSIGNS, Topic.CALLS, Topic.READS):
            told.extend(self.about(topic))
        return {name.rpartition(".")[2] for name in told}
