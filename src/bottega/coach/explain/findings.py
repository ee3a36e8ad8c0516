"""From a reading to facts: what the selection calls, returns, raises and changes, which ideas it
shows."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bottega.coach.explain.concepts import Concept
from bottega.coach.explain.dangers import risks_in
from bottega.coach.explain.facts import Facts, Topic
from bottega.coach.explain.names import Names, call_names, is_closure
from bottega.coach.explain.phrases import QUOTE_LENGTH, SNIPPET_LENGTH, first_sentence, snippet
from bottega.coach.explain.selection import Reading, nested_in
from bottega.coach.explain.steps import Narrator
from bottega.core.code.model import Call, Definition, Import
from bottega.core.code.reader import blocks_around, is_scope, loops_around, scopes_around
from bottega.core.code.syntax import Mark

QUERIES = Path(__file__).with_name("queries")
#: Callers that are worth naming.
_MOST_CALLERS = 5

_TOLD = {
    "return": (Topic.RETURNS, "value"),
    "raise": (Topic.RAISES, "error"),
    "catch": (Topic.CATCHES, "error"),
    "yield": (Topic.YIELDS, "value"),
    "await": (Topic.AWAITS, "value"),
    "loop.each": (Topic.LOOPS, "over"),
    "loop.comprehension": (Topic.LOOPS, "over"),
    "loop.while": (Topic.REPEATS, "condition"),
    "branch": (Topic.BRANCHES, "condition"),
    "branch.else": (Topic.BRANCHES, "condition"),
    "choice": (Topic.BRANCHES, "condition"),
    "switch": (Topic.BRANCHES, "value"),
    "guard": (Topic.GUARDS, "condition"),
    "assert": (Topic.ASSERTS, "condition"),
    "resource": (Topic.OPENS, "value"),
}
_SHOWN = {
    "definition.function": Concept.FUNCTION,
    "definition.method": Concept.FUNCTION,
    "definition.class": Concept.CLASS,
    "definition.interface": Concept.INTERFACE,
    "definition.type": Concept.TYPE_ALIAS,
    "definition.enum": Concept.ENUM,
    "loop.each": Concept.LOOP,
    "loop.while": Concept.LOOP,
    "branch": Concept.BRANCH,
    "branch.else": Concept.BRANCH,
    "guard": Concept.GUARD,
    "choice": Concept.CONDITIONAL_EXPRESSION,
    "switch": Concept.PATTERN_MATCHING,
    "try": Concept.EXCEPTION_HANDLING,
    "catch": Concept.EXCEPTION_HANDLING,
    "open": Concept.CONTEXT_MANAGER,
    "raise": Concept.RAISING,
    "assert": Concept.ASSERTION,
    "import": Concept.MODULE,
    "assign": Concept.VARIABLE,
    "yield": Concept.GENERATOR,
    "await": Concept.ASYNC,
}


def facts_of(reading: Reading) -> Facts:
    code = reading.code
    shapes = nested_in(reading, code.syntax.marks(QUERIES))
    definitions = tuple(one for mark, one in code.definitions.items() if reading.holds(mark))
    topics: dict[Topic, dict[str, None]] = {}
    for topic, text in _topics(reading, definitions):
        limit = QUOTE_LENGTH if topic is Topic.PURPOSE else SNIPPET_LENGTH
        if text.strip():
            topics.setdefault(topic, {})[snippet(text, limit)] = None
    told = {topic: tuple(pieces) for topic, pieces in topics.items()}
    shown = {Concept[mark.kind.partition(".")[2].upper()] for mark in shapes if mark.kind[0] == "c"}
    shown.update(_concepts(reading, definitions))
    narrator = Narrator(reading)
    return Facts(
        told,
        tuple(_moved(definition, reading.shift) for definition in definitions),
        _around(reading),
        tuple(_callers(reading, definitions))[:_MOST_CALLERS],
        tuple(_imports(reading, set(told.get(Topic.READS, ())))),
        tuple(concept for concept in Concept if concept in shown),
        tuple(risks_in(reading, [mark for mark in shapes if mark.kind.startswith("risk.")])),
        tuple(narrator.steps()),
        tuple(narrator.results()),
        max((_depth(mark) for mark in reading.marks if mark.kind.startswith("loop.")), default=0),
        reading.note,
    )


def _depth(mark: Mark) -> int:
    return 1 + sum(1 for _ in loops_around(mark))


def _topics(reading: Reading, definitions: tuple[Definition, ...]) -> Iterator[tuple[Topic, str]]:
    code = reading.code
    if any(mark.kind == "doc" and mark.block is None for mark in reading.marks):
        yield Topic.PURPOSE, first_sentence(code.module_doc)
    for definition in definitions:
        yield Topic.PURPOSE, first_sentence(definition.doc)
    thrown = {mark.part("value") for mark in reading.marks if mark.kind == "raise"}
    for mark in reading.marks:
        if mark.kind in _TOLD:
            topic, part = _TOLD[mark.kind]
            yield from ((topic, text) for text in code.texts(mark, part))
        elif mark.kind == "call" and mark.span not in thrown:
            yield Topic.CALLS, code.called(mark)
        elif mark.kind == "return.implicit" and _depth_of_functions(mark) == 1:
            yield from ((Topic.RETURNS, text) for text in code.texts(mark, "value"))
        elif mark.kind == "assign" and _is_outermost(mark, reading):
            yield from ((Topic.ASSIGNS, name) for name in _assigned(mark, reading))
    names = Names(reading)
    yield from ((Topic.READS, name) for name in names.read())
    yield from ((Topic.MUTATES, target) for target in names.changed())


def _depth_of_functions(mark: Mark) -> int:
    return sum(1 for _ in scopes_around(mark))


def _is_outermost(mark: Mark, reading: Reading) -> bool:
    inner = (block for block in blocks_around(mark) if reading.holds(block))
    return not any(is_scope(block) or block.kind.startswith("definition.") for block in inner)


def _assigned(mark: Mark, reading: Reading) -> list[str]:
    """The names that an assignment makes, except that of a function."""
    value, targets = mark.part("value"), mark.parts.get("target", [])
    if value and any(one.span == value for one in reading.marks_in(value, "definition.function")):
        return []
    made = [one for target in targets for one in reading.marks_in(target, "made")]
    return [reading.code.text(one.span) for one in made]


def _concepts(reading: Reading, definitions: tuple[Definition, ...]) -> Iterator[Concept]:
    code = reading.code
    yield from (_SHOWN[mark.kind] for mark in reading.marks if mark.kind in _SHOWN)
    for definition in definitions:
        if "async" in definition.traits:
            yield Concept.ASYNC
        if "generator" in definition.traits:
            yield Concept.GENERATOR
    for mark in reading.marks:
        if mark.kind == "parameter" and mark.part("default"):
            yield Concept.DEFAULT_ARGUMENT
        if mark.kind == "lambda" and mark.part("async"):
            yield Concept.ASYNC
        if mark.kind == "call":
            called = code.called(mark)
            if any(called in call_names(code, scope) for scope in scopes_around(mark)):
                yield Concept.RECURSION
    if is_closure(reading):
        yield Concept.CLOSURE


def _moved(definition: Definition, shift: int) -> Definition:
    return replace(definition, line=definition.line + shift, last_line=definition.last_line + shift)


def _around(reading: Reading) -> Definition | None:
    """The innermost definition that holds the whole selection."""
    around = [
        one
        for mark, one in reading.code.definitions.items()
        if mark.span.holds(reading.selected) and not reading.holds(mark)
    ]
    return _moved(around[-1], reading.shift) if around else None


def _callers(reading: Reading, definitions: tuple[Definition, ...]) -> Iterator[Call]:
    wanted = {one.name for one in definitions}
    seen = set()
    for call in reading.code.calls:
        if call.name.rpartition(".")[2] in wanted and call.caller not in wanted | {""}:
            if call.caller not in seen:
                yield replace(call, line=call.line + reading.shift)
            seen.add(call.caller)


def _imports(reading: Reading, used: set[str]) -> Iterator[Import]:
    """The imports in the selection, and those around it whose names it uses."""
    marks = [mark for mark in reading.marks if mark.kind == "import"]
    own = [found for mark in marks for found in reading.code.imported_by(mark)]
    around = [found for found in reading.imports if found.name in used]
    yield from {(found.name, found.module): found for found in [*own, *around]}.values()
