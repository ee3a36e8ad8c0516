"""What is read from code: the ideas it shows, what often goes wrong with its shape, what it does.

Apart from the words of steps and results, every text in the facts is a piece of the source, never a
word of ours.
"""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from bottega.core.code.model import Call, Definition, Import

LESSONS = Path(__file__).with_name("lessons.toml")


class Concept(StrEnum):
    """The ideas that code can show, in the order of interest: the first one that a piece of code
    shows is its main one."""

    RECURSION = "recursion"
    CLOSURE = "closure"
    DECORATOR = "decorator"
    GENERATOR = "generator"
    CONTEXT_MANAGER = "context manager"
    ASYNC = "async and await"
    PROMISE = "promise"
    GOROUTINE = "goroutine"
    CHANNEL = "channel"
    BORROWING = "borrowing"
    ERROR_VALUE = "error as a value"
    DEFERRED_CALL = "deferred call"
    MACRO = "macro"
    COMPONENT = "markup in code (JSX)"
    HOOK = "hook"
    COMPREHENSION = "comprehension"
    GENERATOR_EXPRESSION = "generator expression"
    HIGHER_ORDER = "higher-order function"
    GENERICS = "generics"
    NARROWING = "type narrowing"
    PATTERN_MATCHING = "pattern matching"
    EXCEPTION_HANDLING = "exception handling"
    INHERITANCE = "inheritance"
    DATACLASS = "data class"
    PROPERTY = "property"
    CLASS_METHOD = "method of the class itself"
    INTERFACE = "interface"
    UNION = "union type"
    TYPE_ALIAS = "type alias"
    TYPE_ASSERTION = "type assertion"
    ENUM = "enumeration"
    GUARD = "guard clause"
    DESTRUCTURING = "destructuring"
    SPREAD = "spread"
    OPTIONAL_CHAINING = "optional chaining"
    NULLISH = "nullish coalescing"
    ARROW_FUNCTION = "arrow function"
    LAMBDA = "lambda"
    VARIADIC = "any number of arguments"
    KEYWORD_ONLY = "keyword-only argument"
    DEFAULT_ARGUMENT = "default argument"
    WALRUS = "assignment expression"
    CONDITIONAL_EXPRESSION = "conditional expression"
    SHORT_CIRCUIT = "short-circuit fallback"
    SLICING = "slicing"
    FORMATTED_STRING = "formatted string"
    REGULAR_EXPRESSION = "regular expression"
    RAISING = "raising an error"
    ASSERTION = "assertion"
    TYPE_ANNOTATION = "type annotation"
    GLOBAL_STATE = "global state"
    INSTANCE_STATE = "instance state"
    CLASS = "class"
    MODULE = "module import"
    FUNCTION = "function"
    LOOP = "loop"
    BRANCH = "branch"
    VARIABLE = "variable"


@dataclass(frozen=True, slots=True)
class Lesson:
    what: str
    why: str
    analogy: str | None = None
    #: Too plain to mention to anyone beyond the beginning.
    is_basic: bool = False


def lesson(concept: Concept) -> Lesson:
    return _lessons()[concept]


@cache
def _lessons() -> dict[Concept, Lesson]:
    read = tomllib.loads(LESSONS.read_text(encoding="utf-8"))
    return {Concept[name.upper()]: Lesson(**fields) for name, fields in read.items()}


WARNINGS = Path(__file__).with_name("risks.toml")
#: Names that usually stand for money.
MONEY_WORDS = ("price", "amount", "cost", "money", "balance", "salary", "invoice", "vat", "tax")


class Danger(StrEnum):
    """What often goes wrong with code of a certain shape. It is no verdict: its warning says when
    it matters."""

    MUTABLE_DEFAULT = "mutable default"
    BARE_EXCEPT = "catches everything"
    SWALLOWED_ERROR = "swallowed error"
    SHADOWING = "shadowed built-in"
    FLOAT_MONEY = "money as float"
    FORGOTTEN_AWAIT = "forgotten await"
    AWAIT_IN_LOOP = "await in a loop"
    ASYNC_CALLBACK = "async callback"
    LOOSE_EQUALITY = "loose equality"
    IDENTITY_COMPARISON = "identity for equality"
    CHANGED_WHILE_LOOPING = "changed while looping"
    LATE_BINDING = "late binding"
    UNCLOSED_FILE = "unclosed file"
    ASSERT_TUPLE = "assertion that never fails"
    RUNS_TEXT = "runs text as code"
    SHELL = "shell command"
    FUNCTION_SCOPE = "function-wide variable"
    ANY_TYPE = "unchecked type"
    NON_NULL = "unchecked null"
    ASSIGNED_CONDITION = "assignment as condition"
    RAW_HTML = "raw HTML"
    MISSING_KEY = "list without keys"
    DEFERRED_IN_LOOP = "deferred in a loop"
    UNWRAPPED = "unchecked value"
    UNSAFE = "unchecked memory"


@cache
def _warnings() -> dict[Danger, str]:
    read = tomllib.loads(WARNINGS.read_text(encoding="utf-8"))
    return {Danger[name.upper()]: text for name, text in read.items()}


def warning(danger: Danger) -> str:
    """What goes wrong and when it matters, without a full stop."""
    return _warnings()[danger]


def is_about_money(name: str) -> bool:
    return any(word in name.lower().split("_") for word in MONEY_WORDS) or name.lower().endswith(
        ("price", "amount", "balance")
    )


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
