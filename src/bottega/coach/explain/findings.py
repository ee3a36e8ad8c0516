"""From a reading to facts: what the selection calls, returns, raises and changes, which ideas it
shows, and which of its shapes often go wrong.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bottega.coach.explain.facts import Concept, Danger, Facts, Risk, Topic, is_about_money
from bottega.coach.explain.phrases import QUOTE_LENGTH, SNIPPET_LENGTH, first_sentence, snippet
from bottega.coach.explain.selection import (
    Names,
    Reading,
    call_names,
    is_closure,
    names_made,
    nested_in,
)
from bottega.coach.explain.steps import Narrator
from bottega.core.code.grammars import Grammar
from bottega.core.code.model import Call, Definition, Import
from bottega.core.code.reader import blocks_around, is_scope, loops_around, scopes_around
from bottega.core.code.syntax import Mark, Span

#: Coroutines of the standard library that are easily called and not awaited.
_COROUTINES = frozenset({"asyncio.sleep", "asyncio.gather", "asyncio.wait", "asyncio.wait_for"})
_REMOVES = frozenset(
    {
        *("remove", "pop", "append", "insert", "clear", "discard", "add", "popitem"),
        *("push", "shift", "unshift", "splice", "delete"),
    }
)
_FLOATS = frozenset({"float", "f32", "f64", "float32", "float64", "double", "Double", "Float"})
_FRACTION = re.compile(r"(?<![\w'\".])\d+\.\d|\bfloat\(")


def risks_in(reading: Reading, shapes: list[Mark]) -> list[Risk]:
    """In source order, each once. `shapes` are the marks `risk.…` of the selection."""
    found = [*_shapes(reading, shapes), *_money(reading), *_awaits(reading), *_loops(reading)]
    found.sort(key=lambda one: one[1].start)
    risks = [
        Risk(danger, reading.lines(span)[0], snippet(reading.code.text(span).partition("\n")[0]))
        for danger, span in found
    ]
    return list(dict.fromkeys(risks))


def _shapes(reading: Reading, shapes: list[Mark]) -> Iterator[tuple[Danger, Span]]:
    made = _spans_made(reading)
    for mark in shapes:
        danger = Danger[mark.kind.partition(".")[2].upper()]
        # A class may call its fields what it likes.
        is_field = mark.block is not None and mark.block.kind == "definition.class"
        if danger is not Danger.SHADOWING or (mark.span in made and not is_field):
            yield danger, mark.span


def _spans_made(reading: Reading) -> set[Span]:
    return {
        span
        for mark in reading.marks
        if mark.kind in ("made", "parameter")
        for span in ([mark.span] if mark.kind == "made" else mark.parts.get("name", []))
    }


def _money(reading: Reading) -> Iterator[tuple[Danger, Span]]:
    texts = reading.code.texts
    for mark in reading.marks:
        if mark.kind not in ("assign", "parameter"):
            continue
        names = texts(mark, "target") or texts(mark, "name")
        if not names or not is_about_money(names[0]):
            continue
        values = "".join(texts(mark, "value"))
        is_fraction = _FRACTION.search(values) and "Decimal" not in values
        if is_fraction or _FLOATS.intersection(kind.lstrip(": ") for kind in texts(mark, "type")):
            yield Danger.FLOAT_MONEY, mark.span


def _awaits(reading: Reading) -> Iterator[tuple[Danger, Span]]:
    coroutines = _coroutines(reading)
    calls = {mark.span: reading.code.called(mark) for mark in reading.marks if mark.kind == "call"}
    for mark in reading.marks:
        value = mark.part("value")
        if mark.kind == "action" and value and calls.get(value, "") in coroutines:
            yield Danger.FORGOTTEN_AWAIT, value
        if mark.kind == "await" and any(
            loop.part("header") or (loop.kind == "loop.each" and not loop.part("async"))
            for loop in loops_around(mark)
        ):
            yield Danger.AWAIT_IN_LOOP, mark.span


def _coroutines(reading: Reading) -> set[str]:
    """What is async wherever the code around defines it, as it is called."""
    found: dict[bool, set[str]] = {True: set(_COROUTINES), False: set()}
    for code in filter(None, (reading.code, reading.around)):
        for mark, definition in code.definitions.items():
            found["async" in definition.traits].update(call_names(code, mark))
    return found[True] - found[False]


def _loops(reading: Reading) -> Iterator[tuple[Danger, Span]]:
    code = reading.code
    for mark in reading.marks:
        if mark.kind == "call":
            owner, _, method = code.called(mark).rpartition(".")
            over = [text for loop in loops_around(mark) for text in code.texts(loop, "over")]
            if method in _REMOVES and owner in over:
                yield Danger.CHANGED_WHILE_LOOPING, mark.span
    if code.syntax.grammar is Grammar.PYTHON:
        yield from _late_bindings(reading)


def _late_bindings(reading: Reading) -> Iterator[tuple[Danger, Span]]:
    code = reading.code
    own: dict[Mark, set[str]] = {}
    for mark in reading.marks:
        if mark.kind == "parameter" and (scope := next(scopes_around(mark), None)):
            own.setdefault(scope, set()).update(names_made(reading, mark))
    for use in reading.uses:
        function = next(scopes_around(use), None)
        if function is None:
            continue
        name = code.text(use.span)
        targets = _targets(reading, function)
        if name in targets and name not in own.get(function, set()):
            yield Danger.LATE_BINDING, function.span


def _targets(reading: Reading, function: Mark) -> set[str]:
    """The variables of the loops around a function."""
    found: set[str] = set()
    for block in blocks_around(function):
        if is_scope(block):
            break
        for text in reading.code.texts(block, "target"):
            found.update(re.findall(r"\w+", text))
    return found


QUERIES = Path(__file__).with_name("queries")
#: Callers that are worth naming.
_MOST_CALLERS = 5

_MARKS = tomllib.loads(Path(__file__).with_name("marks.toml").read_text(encoding="utf-8"))
_TOLD = {kind: (Topic[topic.upper()], part) for kind, (topic, part) in _MARKS["topics"].items()}
_SHOWN = {kind: Concept[name.upper()] for kind, name in _MARKS["concepts"].items()}


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
        elif mark.kind == "return.implicit" and len(list(scopes_around(mark))) == 1:
            yield from ((Topic.RETURNS, text) for text in code.texts(mark, "value"))
        elif mark.kind == "assign" and _is_outermost(mark, reading):
            yield from ((Topic.ASSIGNS, name) for name in _assigned(mark, reading))
    names = Names(reading)
    yield from ((Topic.READS, name) for name in names.read())
    yield from ((Topic.MUTATES, target) for target in names.changed())


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
