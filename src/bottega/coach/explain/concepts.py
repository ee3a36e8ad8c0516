"""The ideas that code can show, each with what it is, why one uses it, and perhaps a picture.

The order is the order of interest: the first concept that a piece of code shows is its main one.
"""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

LESSONS = Path(__file__).with_name("lessons.toml")


class Concept(StrEnum):
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
