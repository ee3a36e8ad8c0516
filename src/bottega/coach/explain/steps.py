"""The steps of a selection in plain words, each said once, with the lines that they stand on.

Expressions are not copied: a value is told by where it comes from, a condition in words or by what
it looks at.
"""

import re
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from bottega.coach.explain.facts import Step
from bottega.coach.explain.phrases import (
    LONGEST_OPERAND,
    QUOTE_LENGTH,
    SIMPLE,
    code,
    codes,
    condition_in_words,
    counted,
    first_sentence,
    is_short,
    joined,
    titled,
)
from bottega.coach.explain.selection import Reading, known_names
from bottega.core.code.reader import blocks_around, is_definition, scopes_around
from bottega.core.code.syntax import Mark, Span

#: Marks whose words are always the same. A colon opens a block of steps.
_FIXED = {
    "else": "otherwise:",
    "finally": "in any case, at the end:",
    "try": "tries what follows, ready for an error:",
    "continue": "goes on with the next round",
    "break": "leaves the loop",
}
#: These stand beside the block that they are a part of, not in it.
_BESIDE = ("else", "branch.else", "catch", "finally")
_LEAVING = ("raise", "return", "continue", "break")
_STATEMENTS = ("action", "assign", "update", "delete")
_CHANGES = {"+=": "adds to", "++": "counts up", "-=": "takes from", "--": "counts down"}
#: Results of a function that are worth naming at its head.
_MOST_RESULTS = 3


@dataclass(slots=True)
class StepGroup:
    """Statements of a kind that follow each other, told as one step."""

    verb: str
    first: int
    last: int
    depth: int
    things: list[str]
    sources: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    note: str = ""

    def takes_in(self, other: "StepGroup") -> bool:
        """Whether another one was added to this."""
        if (self.verb, self.depth) != (other.verb, other.depth) or other.note:
            return False
        self.last = max(self.last, other.last)
        self.things += other.things
        self.sources += other.sources
        self.tools += other.tools
        return True

    def step(self) -> Step:
        words = f"{self.verb} {codes(list(dict.fromkeys(self.things)))}"
        if self.sources:
            words += f" from {codes(list(dict.fromkeys(self.sources)))}"
        if self.tools:
            words += f"{',' if self.sources else ''} with {codes(list(dict.fromkeys(self.tools)))}"
        return Step(self.first, self.last, words + self.note, self.depth)


class Narrator:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._code = reading.code
        self._known = known_names(reading.code.syntax.grammar)
        self._calls = {mark.span: mark for mark in reading.marks if mark.kind == "call"}
        #: How deep the blocks stand that became steps.
        self._depths: dict[Mark, int] = {}
        #: Marks that another step has told.
        self._told: set[Mark] = set()
        self._sole = self._sole_definition()

    def steps(self) -> list[Step]:
        found: list[Step | StepGroup] = []
        for mark in self._reading.marks:
            if mark in self._told or mark is self._sole or self._is_result_of_lambda(mark):
                continue
            group = self._group(mark)
            last = found[-1] if found else None
            if group is None:
                found.extend(filter(None, [self._step(mark)]))
            elif not (isinstance(last, StepGroup) and last.takes_in(group)):
                found.append(group)
        told = [one.step() if isinstance(one, StepGroup) else one for one in found]
        return [
            _closed(step) if after is None or after.depth <= step.depth else step
            for step, after in zip_longest(told, told[1:])
        ]

    def results(self) -> list[str]:
        """What the one function that was selected gives back, in words."""
        returns = [
            self._value(mark.part("value"))
            for mark in self._reading.marks
            if mark.kind in ("return", "return.implicit")
            and mark.part("value")
            and next(scopes_around(mark), None) is self._sole
        ]
        return list(dict.fromkeys(returns))[:_MOST_RESULTS] if self._sole else []

    def _sole_definition(self) -> Mark | None:
        """The one definition that the selection is: the explanation opens with it."""
        outer = [
            mark
            for mark in self._reading.marks
            if is_definition(mark) and not any(map(self._is_selected, blocks_around(mark)))
        ]
        return outer[0] if len(outer) == 1 else None

    def _is_selected(self, block: Mark) -> bool:
        return is_definition(block) and self._reading.holds(block)

    def _is_result_of_lambda(self, mark: Mark) -> bool:
        scope = next(scopes_around(mark), None) if mark.kind == "return" else None
        return scope is not None and scope.kind == "lambda" and self._reading.holds(scope)

    def _depth(self, mark: Mark) -> int:
        for block in blocks_around(mark):
            if block in self._depths:
                return self._depths[block] + (0 if mark.kind in _BESIDE else 1)
        return 0

    def _step(self, mark: Mark) -> Step | None:
        words = self._words(mark)
        if not words:
            return None
        first, last = self._reading.lines(mark.span)
        depth = self._depth(mark)
        opens = ":" if words.endswith(":") else ""
        if opens:
            self._depths[mark] = depth
        words = words.removesuffix(":") + self._note(mark) + opens
        return Step(first, first if opens else last, words, depth)

    def _note(self, mark: Mark) -> str:
        """What the author says about a step in the line above it."""
        comment = self._code.comments.get(self._code.line(mark) - 1)
        if comment is None or comment in self._told or not self._reading.holds(comment):
            return ""
        self._told.add(comment)
        said = self._code.text(comment.span).strip("#/*! \t")
        is_said = said and not is_definition(mark)
        return f" (its author notes: {code(said, QUOTE_LENGTH)})" if is_said else ""

    def _group(self, mark: Mark) -> StepGroup | None:
        value = mark.part("value")
        if mark.kind == "import":
            verb, names = "brings in", [found.name for found in self._code.imported_by(mark)]
        elif mark.kind == "action" and value in self._calls:
            verb, names = "calls", [self._code.called(self._calls[value])]
        elif mark.kind == "assign" and value and not self._is_told_apart(value):
            verb, names = "works out", self._targets(mark)
        else:
            return None
        lines, depth = self._reading.lines(mark.span), self._depth(mark)
        origin = self._origin(value) if value and mark.kind == "assign" else ([], [])
        return StepGroup(verb, *lines, depth, names, *origin, self._note(mark))

    def _is_told_apart(self, value: Span) -> bool:
        """Whether an assignment is told by itself: of a plain value, a wait, one call's result, a
        function."""
        is_function = self._is_one(value, "definition.function", "lambda")
        is_awaited = self._is_one(value, "await")
        is_result = self._is_plain_call(value)
        return is_function or is_awaited or is_result or bool(self._simple(value))

    def _is_plain_call(self, span: Span) -> bool:
        """Whether a piece is one call by a name, not of a built-in, not the end of a chain."""
        if span not in self._calls:
            return False
        mark = self._calls[span]
        function = mark.part("owner") or mark.part("function")
        is_chain = function is not None and self._reading.marks_in(function, "call")
        called = self._code.called(mark)
        return bool(called) and called not in self._known and not is_chain

    def _is_one(self, span: Span | None, *kinds: str) -> bool:
        """Whether a piece is as a whole a mark of one of these kinds."""
        return span is not None and any(
            mark.span == span for mark in self._reading.marks_in(span, *kinds)
        )

    def _words(self, mark: Mark) -> str:
        if mark.kind == "break" and mark.block and mark.block.kind == "case":
            return ""
        if mark.kind in _FIXED:
            return _FIXED[mark.kind]
        if is_definition(mark):
            return self._definition(mark)
        if mark.kind in _STATEMENTS:
            return self._statement(mark)
        return self._block(mark) or self._leaving(mark)

    def _definition(self, mark: Mark) -> str:
        definition = self._code.definitions.get(mark)
        if definition is None:
            return ""
        purpose = first_sentence(definition.doc)
        said = f" ({code(purpose, QUOTE_LENGTH)})" if purpose else ""
        return f"defines {titled(definition)}{said}:"

    def _block(self, mark: Mark) -> str:
        match mark.kind:
            case "guard":
                return self._guard(mark)
            case "branch":
                return f"{self._header(mark)}if {self._condition(mark.part('condition'))}:"
            case "branch.else":
                return f"otherwise, if {self._condition(mark.part('condition'))}:"
            case "loop.each":
                each = codes(self._targets(mark)) if mark.part("target") else "element"
                return f"for each {each} of {self._value(mark.part('over'))}:"
            case "loop.while":
                self._header(mark)
                condition = mark.part("condition")
                return f"as long as {self._condition(condition)}:" if condition else "repeats:"
            case "switch":
                return self._switch(mark)
            case "case":
                shown = [text for text in self._code.texts(mark, "pattern") if is_short(text)]
                is_other = not mark.part("pattern") or shown == ["_"]
                return "otherwise:" if is_other else f"in the case {codes(shown) or 'that fits'}:"
            case "catch":
                names = self._code.texts(mark, "name")
                errors = [one for one in self._code.texts(mark, "error") if one not in names]
                return f"if {' or '.join(map(code, errors)) or 'an error'} occurs:"
            case "open":
                held = self._reading.marks_in(mark.span, "resource")
                opened = [self._value(one.part("value")) for one in held if one.block is mark]
                return f"holds {joined(opened)} for what follows, and lets go after it:"
        return ""

    def _header(self, mark: Mark) -> str:
        """What a branch or a loop does before it begins."""
        headers = mark.parts.get("header", [])
        inner = [one for span in headers for one in self._reading.marks_in(span, *_STATEMENTS)]
        said = [words for one in inner if (words := self._statement(one))]
        self._told.update(inner)
        return f"{joined(said)}; " if said else ""

    def _guard(self, mark: Mark) -> str:
        said = f"{self._header(mark)}if {self._condition(mark.part('condition'))}"
        leaving = self._reading.marks_in(mark.span, *_LEAVING)
        inner = self._reading.marks_in(mark.span, *_STATEMENTS)
        if len(leaving) != 1 or any(one not in self._told for one in inner):
            return f"{said}:"
        self._told.update(leaving)
        at_once = " at once" if leaving[0].kind == "return" else ""
        return f"{said}, {self._words(leaving[0])}{at_once}"

    def _switch(self, mark: Mark) -> str:
        inner = self._reading.marks_in(mark.span, "case")
        cases = counted(sum(1 for one in inner if one.block is mark), "case")
        value = mark.part("value")
        return f"picks one of {cases} by {self._value(value) if value else 'what holds'}:"

    def _leaving(self, mark: Mark) -> str:
        value = mark.part("value")
        match mark.kind:
            case "raise":
                errors = codes(self._code.texts(mark, "error"))
                return f"stops with {errors}" if errors else "passes the error on to the caller"
            case "return":
                return f"gives back {self._value(value)}" if value else "is done"
            case "yield":
                return f"hands out {self._value(value)} and pauses until the next is asked for"
            case "assert":
                return f"insists that {self._condition(mark.part('condition'))}"
            case "send":
                return f"sends a value to {codes(self._targets(mark))}"
            case "action.started":
                return f"starts {self._called_in(value)} to run beside it"
            case "action.deferred":
                return f"has {self._called_in(value)} called when the function ends"
        return ""

    def _statement(self, mark: Mark) -> str:
        value, targets = mark.part("value"), codes(self._targets(mark))
        match mark.kind:
            case "delete":
                return f"removes {targets}"
            case "update":
                operator = next(iter(self._code.texts(mark, "operator")), "")
                tools = self._origin(value)[1] if value else []
                using = f", with {codes(tools)}" if tools else ""
                return f"{_CHANGES.get(operator, 'updates')} {targets}{using}"
            case "action" if self._is_one(value, "raise", "assert"):
                return ""
            case "action":
                waits = self._is_one(value, "await")
                return f"{'waits for' if waits else 'calls'} {self._called_in(value)}"
        if value is None:
            return f"makes room for {targets}"
        if self._is_one(value, "definition.function"):
            return ""
        if self._is_one(value, "await"):
            return f"waits for {self._called_in(value)} and keeps the answer as {targets}"
        if simple := self._simple(value):
            return f"sets {targets} to {simple}"
        if value in self._calls:
            return f"keeps what {self._called_in(value)} gives as {targets}"
        return f"works out {targets}"

    def _called_in(self, span: Span | None) -> str:
        """The outermost call of a piece."""
        calls = self._reading.marks_in(span, "call") if span else []
        return next((code(name) for one in calls if (name := self._code.called(one))), "a call")

    def _targets(self, mark: Mark) -> list[str]:
        """The names that a statement gives a value to, or short paths such as `self.size`."""
        found: list[str] = []
        for target in mark.parts.get("target", []):
            made = [self._code.text(one.span) for one in self._reading.marks_in(target, "made")]
            text = self._code.text(target)
            found.extend(made or ([text] if is_short(text) else re.findall(r"^[\w$.]+", text)))
        return found or ["…"]

    def _simple(self, span: Span) -> str:
        """A short path, a literal or a list of them; nothing for what is worked out."""
        text = " ".join(self._code.text(span).split())
        parts = text.split(", ")
        is_simple = len(text) <= 2 * LONGEST_OPERAND and all(map(SIMPLE.fullmatch, parts))
        return codes(parts) if is_simple else ""

    def _value(self, span: Span | None) -> str:
        if span is None:
            return "a value"
        if simple := self._simple(span):
            return simple
        sources, tools = self._origin(span)
        if span in self._calls and (called := self._code.called(self._calls[span])):
            around = [*sources, *tools] if called in self._known else []
            return f"{code(called)} of {codes(around)}" if around else f"what {code(called)} gives"
        made = f" made from {codes(sources)}" if sources else ""
        made += f"{'' if sources else ' made'} with {codes(tools)}" if tools else ""
        return f"a value{made}"

    def _origin(self, span: Span) -> tuple[list[str], list[str]]:
        """The names that an expression looks at, and what it calls. What the language brings along
        goes unsaid."""
        calls = [self._code.called(one) for one in self._reading.marks_in(span, "call")]
        tools = [name for name in calls if name and name.partition(".")[0] not in self._known]
        roots = {re.split(r"\.|::", name)[0] for name in calls}
        used = [self._code.text(one.span) for one in self._reading.uses_in(span)]
        sources = [name for name in used if name not in roots and name not in self._known]
        return list(dict.fromkeys(sources)), list(dict.fromkeys(tools))

    def _condition(self, span: Span | None) -> str:
        if span and (words := condition_in_words(self._code.text(span))):
            return words
        if span and span in self._calls:
            return f"{self._called_in(span)} says yes"
        sources, tools = self._origin(span) if span else ([], [])
        about = codes([*sources, *tools])
        return f"a check of {about} holds" if about else "its condition holds"


def _closed(step: Step) -> Step:
    """A block without steps in it."""
    if not step.words.endswith(":"):
        return step
    is_definition = step.words.startswith("defines")
    empty = "" if is_definition else ", with nothing to tell inside"
    return replace(step, words=step.words.removesuffix(":") + empty)
