"""Shapes that often go wrong: those that a query finds, and those that take more than a shape to
see."""

import re
from collections.abc import Iterator

from bottega.coach.explain.facts import Risk
from bottega.coach.explain.names import call_names, names_made
from bottega.coach.explain.phrases import snippet
from bottega.coach.explain.risks import Danger, is_about_money
from bottega.coach.explain.selection import Reading
from bottega.core.code.grammars import Grammar
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
