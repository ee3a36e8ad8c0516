"""From a text to the model: which definitions, imports, calls and blocks the marks make up."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from bottega.core.code.grammars import QUERIES, Grammar
from bottega.core.code.model import Call, Definition, Import, Kind, Parameter
from bottega.core.code.syntax import Mark, Span, Syntax

_BRANCHES = ("branch", "branch.else", "guard", "else", "switch", "case")
_LOOPS = ("loop.each", "loop.while")
#: Marks that other marks can stand in.
_BLOCKS = frozenset(
    {
        *(f"definition.{kind}" for kind in Kind),
        *("lambda", "owner.impl", "try", "catch", "finally", "open", *_BRANCHES, *_LOOPS),
    }
)
#: Of two marks on the same piece, the one that says less goes.
_SAYS_MORE = {
    "lambda": ("definition.function",),
    "branch": ("branch.else", "guard"),
    "guard": ("branch.else",),
    "action": ("raise", "assert"),
}
_TYPES = (Kind.CLASS, Kind.INTERFACE, Kind.ENUM)
#: Nobody writes blocks this deep; whoever does it wants to see us struggle.
_DEEPEST = 200
_DOTTED = re.compile(r"[\w$]+(?:(?:\.|::)[\w$]+)*")
_LAST_NAME = re.compile(r"([\w$]+)[^\w$]*$")
#: Characters of the name of what is called, owners included, that are worth showing.
_LONGEST_NAME = 120
_COMMENT_SIGNS = re.compile(r"^\s*(?:/\*+!?|//[/!]?|#|\*+/|\*(?!/))?\s?|\s*\*+/\s*$")


@dataclass(frozen=True)
class Code:
    """A text that was read. Marks are in source order, the outer before the inner."""

    syntax: Syntax
    marks: list[Mark]

    def text(self, span: Span) -> str:
        return self.syntax.source.text(span)

    def texts(self, mark: Mark, part: str) -> list[str]:
        """What stands in a part of a mark; nothing for a part that it has not."""
        return [self.text(span) for span in mark.parts.get(part, ())]

    def line(self, mark: Mark) -> int:
        return self.syntax.source.line(mark.span.start)

    def of_kind(self, *kinds: str) -> list[Mark]:
        return [mark for mark in self.marks if mark.kind in kinds]

    def definition_around(self, mark: Mark) -> Definition | None:
        """The innermost definition that a mark stands in."""
        around = (self.definitions.get(block) for block in blocks_around(mark))
        return next(filter(None, around), None)

    @cached_property
    def definitions(self) -> dict[Mark, Definition]:
        held: dict[Mark, list[Mark]] = {}
        for mark in self.marks:
            if (owner := _owner(mark)) is not None:
                held.setdefault(owner, []).append(mark)
        return {
            mark: self._define(mark, held.get(mark, []))
            for mark in self.marks
            if is_definition(mark) and mark.part("name")
        }

    def _define(self, mark: Mark, held: list[Mark]) -> Definition:
        kind = Kind(mark.kind.partition(".")[2])
        owner = _owner(mark)
        if kind is Kind.FUNCTION and owner and owner.kind in _TYPE_MARKS:
            kind = Kind.METHOD
        result = mark.part("result")
        first, last = self.syntax.source.lines(mark.span)
        name = mark.parts["name"][0]
        return Definition(
            kind,
            self.text(name),
            # Annotations may stand above it.
            self.syntax.source.line(name.start),
            parameters=tuple(self._parameter(one) for one in held if one.kind == "parameter"),
            result=_type(self.text(result)) if result else None,
            bases=tuple(self.text(one.span) for one in held if one.kind == "base"),
            members=tuple(self._members(held)) if kind in _TYPES else (),
            traits=tuple(self._traits(mark, held)),
            last_line=last,
            doc=self._doc(held, first),
            is_test=mark.span in self._tests,
        )

    def _parameter(self, mark: Mark) -> Parameter:
        kind, default = mark.part("type"), mark.part("default")
        name = mark.part("name") or mark.span
        return Parameter(
            self.text(name),
            _type(self.text(kind)) if kind else None,
            self.text(default) if default else None,
        )

    def _members(self, held: Iterable[Mark]) -> Iterator[str]:
        """Fields, and the methods that stand in a class, each once."""
        names: list[str] = []
        for one in held:
            if one.kind == "member":
                names.append(self.text(one.span))
            elif one.kind == "definition.function":
                names.extend(self.texts(one, "name"))
        return iter(dict.fromkeys(names))

    def _traits(self, mark: Mark, held: Iterable[Mark]) -> Iterator[str]:
        if mark.part("async"):
            yield "async"
        if mark.part("generator") or any(one.kind == "yield" for one in held):
            yield "generator"

    def _doc(self, held: Iterable[Mark], first: int) -> str:
        docs = [one for one in held if one.kind == "doc"]
        if docs:
            return _uncommented(self.text(docs[0].span).lstrip("rRuU").strip("\"'"))
        lines: list[str] = []
        line = first - 1
        while comment := self.comments.get(line) or self._attribute(line):
            lines[:0] = [] if comment is _ATTRIBUTE else [self.text(comment.span)]
            line = (line if comment is _ATTRIBUTE else self.line(comment)) - 1
        return _uncommented("\n".join(lines))

    def _attribute(self, line: int) -> "Mark | None":
        """A line that stands between a definition and its comment: `#[…]`, `@…`."""
        start = self.syntax.source.line_start(line) if line > 0 else 0
        written = self.syntax.source.data[start : start + 200].lstrip()
        return _ATTRIBUTE if line > 0 and written.startswith((b"#[", b"@")) else None

    @cached_property
    def comments(self) -> dict[int, Mark]:
        """Comments that have lines of their own, by their last line."""
        source = self.syntax.source
        found = {}
        for mark in self.of_kind("comment"):
            first, last = source.lines(mark.span)
            if not source.data[source.line_start(first) : mark.span.start].strip():
                found[last] = mark
        return found

    @cached_property
    def module_doc(self) -> str:
        docs = [mark for mark in self.of_kind("doc") if _owner(mark) is None]
        return _uncommented(self.text(docs[0].span).lstrip("rRuU").strip("\"'")) if docs else ""

    @cached_property
    def _tests(self) -> set[Span]:
        return {mark.span for mark in self.of_kind("test")}

    def imported_by(self, mark: Mark) -> Iterator[Import]:
        modules = [text.strip("\"'`") for text in self.texts(mark, "module")]
        names = self.texts(mark, "name") or [re.split(r"[/.:]+", module)[-1] for module in modules]
        if len(modules) != len(names):
            modules = modules[:1] * len(names)
        statement = self.text(mark.span)
        for name, module in zip(names, modules, strict=True):
            # `from . import shapes` brings in a module, not a name of one.
            module = module if module.strip(".") else module + name
            yield Import(name, module, statement, self.line(mark))

    @cached_property
    def imports(self) -> list[Import]:
        return [found for mark in self.of_kind("import") for found in self.imported_by(mark)]

    def called(self, mark: Mark) -> str:
        """The dotted name of what a call mark calls; of a longer chain only its last name."""
        owner, names = self.texts(mark, "owner"), self.texts(mark, "name")
        written = f"{owner[0]}.{names[0]}" if owner else "".join(self.texts(mark, "function")[:1])
        written = re.sub(r"\s*\??\.\s*", ".", written[:_LONGEST_NAME])
        if _DOTTED.fullmatch(written):
            return written
        return names[0] if owner else self._last_name(mark)

    def _last_name(self, mark: Mark) -> str:
        """Of a chain of calls, without type arguments after it."""
        function = mark.part("function")
        end = (
            self.syntax.source.data[
                max(function.start, function.end - _LONGEST_NAME) : function.end
            ]
            if function
            else b""
        )
        written = re.sub(r"(::)?<[^<>]*(<[^<>]*>)*>$", "", end.decode(errors="ignore"))
        found = _LAST_NAME.search(written)
        return found[1] if found else ""

    @cached_property
    def calls(self) -> list[Call]:
        found = []
        for mark in self.of_kind("call"):
            around = self.definition_around(mark)
            found.append(Call(self.called(mark), self.line(mark), around.name if around else ""))
        return found

    @cached_property
    def uses(self) -> list[Mark]:
        """Names where they are used: not where they are made, nor those of fields and keywords."""
        other = {mark.span.start for mark in self.of_kind("label", "made")}
        for mark in self.marks:
            if is_definition(mark) or mark.kind in ("parameter", "parameter.receiver", "import"):
                other.update(span.start for span in mark.parts.get("name", ()))
        return [mark for mark in self.of_kind("use") if mark.span.start not in other]


#: Stands for a line with an attribute on it.
_ATTRIBUTE = Mark("attribute", Span(0, 0))
_TYPE_MARKS = ("owner.impl", *(f"definition.{kind}" for kind in _TYPES))


def read(text: str, grammar: Grammar) -> Code:
    """Broken code is read too, as well as it goes; what is wrong has marks of kind `broken`."""
    syntax = Syntax(text, grammar)
    marks = _without_lesser(syntax.marks(QUERIES))
    nest(marks)
    return Code(syntax, marks)


def _without_lesser(marks: list[Mark]) -> list[Mark]:
    kinds: dict[Span, set[str]] = {}
    for mark in marks:
        # A definition without a name is only a lambda.
        if not is_definition(mark) or mark.part("name"):
            kinds.setdefault(mark.span, set()).add(mark.kind)
    return [
        mark
        for mark in marks
        if kinds.get(mark.span, set()).isdisjoint(_SAYS_MORE.get(mark.kind, ()))
    ]


def nest(marks: list[Mark]) -> None:
    """Tell each mark the block that it stands in. What a loop runs over stands before the loop."""
    blocks: list[Mark] = []
    for mark in sorted(marks, key=_outer_first):
        while blocks and blocks[-1].span.end <= mark.span.start:
            blocks.pop()
        block = blocks[-1] if blocks else None
        while block and block.kind in _LOOPS and _is_before(mark, block):
            block = block.block
        mark.block = block
        if mark.kind in _BLOCKS and len(blocks) < _DEEPEST:
            blocks.append(mark)


def _outer_first(mark: Mark) -> tuple[int, int, bool]:
    return mark.span.start, -mark.span.end, mark.kind not in _BLOCKS


def _is_before(mark: Mark, loop: Mark) -> bool:
    return any(
        span.holds(mark.span) for part in ("over", "header") for span in loop.parts.get(part, ())
    )


def blocks_around(mark: Mark) -> Iterator[Mark]:
    """The innermost first."""
    block = mark.block
    while block is not None:
        yield block
        block = block.block


def is_definition(mark: Mark) -> bool:
    return mark.kind.startswith("definition.")


def is_scope(mark: Mark) -> bool:
    """Whether names made in it are its own."""
    return mark.kind in ("lambda", "definition.function", "definition.method")


def scopes_around(mark: Mark) -> Iterator[Mark]:
    return filter(is_scope, blocks_around(mark))


def loops_around(mark: Mark) -> Iterator[Mark]:
    """The loops around a mark within its function."""
    for block in blocks_around(mark):
        if is_scope(block):
            return
        if block.kind in _LOOPS:
            yield block


def _owner(mark: Mark) -> Mark | None:
    """What a parameter, a member, a base or a method belongs to."""
    for block in blocks_around(mark):
        if is_definition(block) or block.kind in ("lambda", "owner.impl"):
            return block
    return None


def _type(written: str) -> str:
    return written.lstrip(": ")


def _uncommented(text: str) -> str:
    lines = (_COMMENT_SIGNS.sub("", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if not line.startswith("@")).strip()
