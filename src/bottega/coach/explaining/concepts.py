"""The ideas that code can show, each with what it is, why one uses it, and perhaps a picture.

The order is the order of interest: the first concept that a piece of code shows is its main one.
"""

from dataclasses import dataclass
from enum import StrEnum


class Concept(StrEnum):
    RECURSION = "recursion"
    CLOSURE = "closure"
    DECORATOR = "decorator"
    GENERATOR = "generator"
    CONTEXT_MANAGER = "context manager"
    ASYNC = "async and await"
    PROMISE = "promise"
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
    return LESSONS[concept]


LESSONS = {
    Concept.RECURSION: Lesson(
        "A function that calls itself, each time with a smaller part of the problem, until the "
        "part is small enough to answer at once.",
        "It follows data that contains itself, such as trees; it needs a case that stops it.",
        "It is like a set of nested dolls: open one, find a smaller one, and do the same again "
        "until a doll does not open.",
    ),
    Concept.CLOSURE: Lesson(
        "A function made inside another one, which goes on using the outer one's variables, even "
        "after the outer one has finished.",
        "It keeps state private to the function without a class; what it holds is the variable, "
        "not the value at that moment.",
        "It is like a backpack: the inner function leaves home, and carries the outer one's "
        "variables with it.",
    ),
    Concept.DECORATOR: Lesson(
        "A line with an at sign above a definition. It hands the definition to another function, "
        "which gives back what is used in its place.",
        "It adds behaviour around a definition without touching its body.",
        "It is like gift wrap: the present is the same, but one meets the paper first.",
    ),
    Concept.GENERATOR: Lesson(
        "A function that hands out values one at a time and pauses in between, instead of building "
        "the whole list first.",
        "Values are made only when asked for, so a long or endless sequence needs little memory; "
        "it can be gone through only once.",
        "It is like a ticket machine: it prints one ticket when you press, not the whole roll.",
    ),
    Concept.CONTEXT_MANAGER: Lesson(
        "A with block: something is opened or set up for the block, and put away at its end, even "
        "if an error occurs inside.",
        "Cleaning up cannot be forgotten, on any way out of the block.",
        "It is like a door that closes itself behind you, however you leave the room.",
    ),
    Concept.ASYNC: Lesson(
        "Code that can wait without standing in the way: at each await it steps aside until the "
        "result is there, and other work goes on.",
        "One thread serves many waits at once; everything between two awaits runs undisturbed.",
        "It is like a cook who puts the water on and chops onions until it boils.",
    ),
    Concept.PROMISE: Lesson(
        "An object that stands for a result that is not there yet, with what to do once it "
        "arrives or fails.",
        "It makes a pending result a value that can be passed on and combined.",
        "It is like the buzzer of a busy restaurant: not your food yet, but it tells you when.",
    ),
    Concept.COMPONENT: Lesson(
        "Markup written inside the code. It is turned into function calls that describe what the "
        "page should show.",
        "What is shown stands beside the data that it is made from.",
        "It is like a form letter: the text is fixed, and the gaps are filled in for each reader.",
    ),
    Concept.HOOK: Lesson(
        "A function whose name starts with use, by which a component keeps state or reaches the "
        "outside.",
        "It ties state to a component by the order of calls, so it may not stand in a branch.",
    ),
    Concept.COMPREHENSION: Lesson(
        "A loop written inside brackets, which builds a new list, set or dictionary in one go.",
        "It says what the result consists of, and leaves no half-built collection around.",
        "It is like a conveyor belt: things go in on one side, some are taken off, the rest come "
        "out changed.",
    ),
    Concept.GENERATOR_EXPRESSION: Lesson(
        "A loop inside parentheses that gives its values one at a time to whoever asks.",
        "No list is built only to be read once.",
        "It is like a tap: water comes while you hold the glass under it, and no bucket is needed.",
    ),
    Concept.HIGHER_ORDER: Lesson(
        "A function that is given another function, and calls it on each element.",
        "The going-through is written once; only what happens to an element is told.",
        "It is like handing a recipe to a kitchen: the kitchen decides when to cook it.",
    ),
    Concept.GENERICS: Lesson(
        "A type with a gap: the same code for many types, the gap filled in where it is used.",
        "What goes in and what comes out stay connected for the type checker.",
        "It is like a box with a blank label: the box is the same, the label says what is in it.",
    ),
    Concept.NARROWING: Lesson(
        "A check after which the value can only be of a smaller set of types.",
        "Past the check the type checker knows more, and so does the reader.",
    ),
    Concept.PATTERN_MATCHING: Lesson(
        "One value is compared with several cases, and the code of the case that fits is run.",
        "All cases stand side by side, so that a missing one shows.",
        "It is like sorting post into pigeonholes by what is on the envelope.",
    ),
    Concept.EXCEPTION_HANDLING: Lesson(
        "Code that is tried, with code beside it for when an error occurs on the way.",
        "It decides where an error is dealt with; what is not caught goes on to the caller.",
        "It is like a safety net: the act goes on as usual, and the net matters only at a fall.",
    ),
    Concept.INHERITANCE: Lesson(
        "A class that is built on another one: it has everything that the other has, and adds or "
        "replaces some of it.",
        "It stands in wherever its base is expected, and is tied to the base's inner workings.",
        "It is like a house built from a standard plan, with one room changed.",
    ),
    Concept.DATACLASS: Lesson(
        "A class that mostly holds values; its constructor and comparison are written for it.",
        "The fields are the definition, and there is no routine code to get wrong.",
    ),
    Concept.PROPERTY: Lesson(
        "A method that is used like a plain attribute, without parentheses.",
        "A value can be worked out or checked without its users noticing.",
    ),
    Concept.CLASS_METHOD: Lesson(
        "A method that belongs to the class and not to one object made from it.",
        "It needs no instance: often another way to make one.",
    ),
    Concept.INTERFACE: Lesson(
        "A list of what an object must have, without saying how.",
        "Code depends on the shape, not on who fills it.",
    ),
    Concept.UNION: Lesson(
        "A type that says: one of these.",
        "It makes every possible case visible, so that each has to be handled.",
    ),
    Concept.TYPE_ALIAS: Lesson(
        "A name for a type that would be long to write out.",
        "The name carries the meaning, and a change happens in one place.",
    ),
    Concept.TYPE_ASSERTION: Lesson(
        "The author tells the type checker what a value is; nothing is checked when it runs.",
        "It helps where the author knows more than the checker, and hides an error where not.",
    ),
    Concept.ENUM: Lesson(
        "A closed set of named values.",
        "A value outside the set cannot slip in unnoticed.",
    ),
    Concept.GUARD: Lesson(
        "A check at which the code leaves early, so that the rest need not think of that case.",
        "The normal path stays flat, and what it may rely on stands above it.",
        "It is like the check at a door: once you are in, nobody asks for the ticket again.",
    ),
    Concept.DESTRUCTURING: Lesson(
        "Several names get their values at once, taken out of one list or object.",
        "It names the parts where they arrive, instead of by position or path later.",
        "It is like unpacking a parcel straight onto labelled shelves.",
    ),
    Concept.SPREAD: Lesson(
        "Everything in one list or object is laid out inside a new one or a call.",
        "It makes a copy with changes, one level deep, and leaves the original alone.",
    ),
    Concept.OPTIONAL_CHAINING: Lesson(
        "A question mark before the dot: if the thing on the left is missing, the result is "
        "undefined instead of an error.",
        "It accepts a missing part; whether it should be missing is another question.",
    ),
    Concept.NULLISH: Lesson(
        "A fallback that is used only when the value on the left is null or undefined.",
        "Zero and the empty text stay what they are, other than with the or operator.",
    ),
    Concept.ARROW_FUNCTION: Lesson(
        "A short way to write a function, with an arrow between parameters and result.",
        "It takes its this from where it is written, so it suits callbacks.",
    ),
    Concept.LAMBDA: Lesson(
        "A small function without a name, written where it is needed.",
        "It keeps a one-line rule beside its only use.",
    ),
    Concept.VARIADIC: Lesson(
        "A parameter that collects however many arguments the caller gives.",
        "It passes things on without knowing how many; the signature tells the reader less.",
    ),
    Concept.KEYWORD_ONLY: Lesson(
        "An argument that must be given by its name.",
        "Calls stay readable, and the order can change later.",
    ),
    Concept.DEFAULT_ARGUMENT: Lesson(
        "A parameter with a value of its own, used when the caller gives none.",
        "The common case stays short to call.",
        "It is like a coffee order: without a word about milk, you get it the usual way.",
    ),
    Concept.WALRUS: Lesson(
        "A value gets a name in the middle of an expression.",
        "It is worked out once and used twice.",
    ),
    Concept.CONDITIONAL_EXPRESSION: Lesson(
        "One of two values, chosen by a condition, in a single expression.",
        "It suits a choice of value; a choice of actions reads better as a branch.",
    ),
    Concept.SHORT_CIRCUIT: Lesson(
        "The right side is used only if the left one counts as false.",
        "It is a brief default, which also replaces zero and empty values.",
    ),
    Concept.SLICING: Lesson(
        "A part of a sequence, from one position up to before another.",
        "It makes a copy and does not fail when the sequence is shorter.",
    ),
    Concept.FORMATTED_STRING: Lesson(
        "A text with gaps that are filled with values.",
        "The text reads as it will look.",
    ),
    Concept.REGULAR_EXPRESSION: Lesson(
        "A pattern that describes which texts fit.",
        "It is dense: a test with examples is its best documentation.",
    ),
    Concept.RAISING: Lesson(
        "The code stops here and reports an error to whoever called it.",
        "A caller cannot overlook it as it could a special return value.",
        "It is like pulling the emergency brake: the train stops, and somebody has to look.",
    ),
    Concept.ASSERTION: Lesson(
        "A claim that must hold here; if it does not, the code stops.",
        "It documents a belief of the author; it is no check of what users put in.",
    ),
    Concept.TYPE_ANNOTATION: Lesson(
        "A note about which kind of value belongs here.",
        "Tools check it before the code runs, and readers need not guess.",
    ),
    Concept.GLOBAL_STATE: Lesson(
        "A variable outside the function that the function changes.",
        "Every caller shares it, so order and tests matter.",
    ),
    Concept.INSTANCE_STATE: Lesson(
        "Values that belong to one object and stay with it between calls.",
        "Methods work together through it; who changes what, and when, is the thing to follow.",
    ),
    Concept.CLASS: Lesson(
        "A plan for objects: which values they hold and what they can do.",
        "It keeps data and the code that may change it together.",
        "It is like a cookie cutter: one shape, and as many cookies as you like.",
        is_basic=True,
    ),
    Concept.MODULE: Lesson(
        "Code from another file is made available here under a name.",
        "It shows what this file depends on.",
        "It is like borrowing a tool from the shelf: you use it here, but it lives elsewhere.",
        is_basic=True,
    ),
    Concept.FUNCTION: Lesson(
        "Steps under one name, to be run whenever the name is called.",
        "It gives a piece of work a name and a boundary.",
        "It is like a recipe: written once, cooked whenever someone asks for the dish.",
        is_basic=True,
    ),
    Concept.LOOP: Lesson(
        "The same steps again and again, for each element or while something is true.",
        "It treats any number of things alike.",
        "It is like handing out cards: the same movement for each player, until all have one.",
        is_basic=True,
    ),
    Concept.BRANCH: Lesson(
        "A question; depending on the answer, one part of the code runs or another.",
        "It separates the cases.",
        "It is like a fork in the road with a signpost: the condition is the signpost.",
        is_basic=True,
    ),
    Concept.VARIABLE: Lesson(
        "A name for a value, so that it can be used further down.",
        "The name says what the value means.",
        "It is like a label on a jar: you ask for the label and get what is inside.",
        is_basic=True,
    ),
}
