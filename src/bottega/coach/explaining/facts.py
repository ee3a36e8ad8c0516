"""What was read from the code, in one shape for all languages.

Every text in here is a piece of the source (`phrasing.snippet`), never a word of ours.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from bottega.coach.explaining.concepts import Concept
from bottega.coach.explaining.phrasing import QUOTE_LENGTH, SNIPPET_LENGTH, snippet
from bottega.coach.explaining.risks import Danger


class Kind(StrEnum):
    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    TYPE = "type"
    ENUM = "enum"


class Topic(StrEnum):
    """What one can tell about code, a list of pieces of the source for each."""

    #: What the author wrote about it, in docstrings.
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
class Parameter:
    #: As written, with its stars or dots; a pattern as a whole.
    name: str
    type: str | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    kind: Kind
    name: str
    line: int
    parameters: tuple[Parameter, ...] = ()
    #: The type that it says it returns.
    result: str | None = None
    bases: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    #: Words such as "async" and "generator".
    traits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Import:
    """A name that an import brings in."""

    name: str
    module: str
    #: The import as written.
    statement: str
    #: Whether the selection uses the name.
    is_used: bool = True


@dataclass(frozen=True, slots=True)
class Risk:
    danger: Danger
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class Step:
    """One statement in plain words, the source in it as code."""

    line: int
    words: str


@dataclass(frozen=True, slots=True)
class Facts:
    topics: dict[Topic, tuple[str, ...]]
    definitions: tuple[Definition, ...]
    imports: tuple[Import, ...]
    concepts: tuple[Concept, ...]
    risks: tuple[Risk, ...]
    steps: tuple[Step, ...]
    #: How deep loops stand in loops.
    loop_depth: int
    #: What must be said about how it was read: a broken line, a part of a larger statement.
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


@dataclass(slots=True)
class Findings:
    """Facts in the making: filled while the tree is walked, each said once, in source order."""

    definitions: list[Definition] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    loop_depth: int = 0
    _topics: dict[Topic, dict[str, None]] = field(default_factory=dict)
    _concepts: set[Concept] = field(default_factory=set)
    _risks: dict[Risk, None] = field(default_factory=dict)

    def tell(self, topic: Topic, *texts: str) -> None:
        limit = QUOTE_LENGTH if topic is Topic.PURPOSE else SNIPPET_LENGTH
        for text in filter(str.strip, texts):
            self._topics.setdefault(topic, {})[snippet(text, limit)] = None

    def about(self, topic: Topic) -> tuple[str, ...]:
        return tuple(self._topics.get(topic, ()))

    def show(self, *concepts: Concept) -> None:
        self._concepts.update(concepts)

    def warn(self, danger: Danger, line: int, code: str) -> None:
        self._risks[Risk(danger, line, snippet(code))] = None

    def step(self, line: int, words: str) -> None:
        self.steps.append(Step(line, words))

    def facts(self, imports: Iterable[Import], note: str | None = None) -> Facts:
        return Facts(
            topics={topic: tuple(told) for topic, told in self._topics.items()},
            definitions=tuple(self.definitions),
            imports=tuple(imports),
            concepts=tuple(concept for concept in Concept if concept in self._concepts),
            risks=tuple(self._risks),
            steps=tuple(sorted(self.steps, key=lambda step: step.line)),
            loop_depth=self.loop_depth,
            note=note,
        )
