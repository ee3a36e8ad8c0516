"""What the learner marked in the editor, found in its file and read there.

Half a function, an `else` without its `if`, a line from the middle of a statement have a meaning
only within the code around them.
"""

import builtins
import re
import textwrap
import tomllib
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from bottega.coach.explain.phrases import code as as_code
from bottega.coach.file_roles import LANGUAGES
from bottega.core.code.grammars import Grammar, grammar_of
from bottega.core.code.model import Import, Kind
from bottega.core.code.reader import Code, is_definition, nest, read, scopes_around
from bottega.core.code.syntax import Mark, Span
from bottega.core.files.languages import PLAINTEXT, language_of

_BROKEN = "It does not parse as {language}: the reading stumbles at line {line}{shown}."
_WIDENED = "It is a piece of a statement, so the whole statement is told."
_STATEMENTS = ("assign", "update", "delete", "action", "return", "raise", "assert")
_REST = " The rest was read as well as it goes."


@dataclass(frozen=True, slots=True)
class Selection:
    text: str
    #: The code around it, the selection usually included.
    context: str
    path: str
    #: As the editor calls it; the path tells it too.
    language: str
    #: The lines of the file that the text and the context begin with; of the text, None where
    #: only its place in the context tells.
    first_line: int | None = None
    context_line: int = 1

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()

    @property
    def grammar(self) -> Grammar | None:
        return grammar_of(self.path, self.language)

    @property
    def language_words(self) -> str:
        """The language as a person calls it, or an empty string."""
        if self.grammar:
            return self.grammar.words
        # Clients may call it anything; in a sentence of ours stands only what looks like a name.
        name = self.language.strip().lower()
        if not re.fullmatch(r"[\w+#.-]{1,20}", name):
            name = language_of(self.path)
        is_prose = name in (PLAINTEXT, "text", "plain")
        return "" if is_prose else LANGUAGES.get(name, name.capitalize())


@dataclass(frozen=True)
class Reading:
    code: Code
    #: What was selected of the code that was read.
    selected: Span
    #: What to add to a line of the code for its number in the file.
    shift: int
    #: The context, where the selection does not stand in it.
    around: Code | None = None
    #: Only a piece of a statement was marked, and the whole statement is read.
    is_widened: bool = False

    @property
    def imports(self) -> list[Import]:
        return [*self.code.imports, *(self.around.imports if self.around else [])]

    def line(self, mark: Mark) -> int:
        return self.code.line(mark) + self.shift

    def lines(self, span: Span) -> tuple[int, int]:
        """Within the selection."""
        held = replace(span, end=min(span.end, self.selected.end))
        first, last = self.code.syntax.source.lines(held)
        return first + self.shift, last + self.shift

    def holds(self, mark: Mark) -> bool:
        """Whether a mark begins in the selection."""
        return self.selected.start <= mark.span.start < self.selected.end

    @cached_property
    def marks(self) -> list[Mark]:
        return [mark for mark in self.code.marks if self.holds(mark)]

    def marks_in(self, span: Span, *kinds: str) -> list[Mark]:
        """Those of some kinds that a piece of the selection holds."""
        first, last = bisect_left(self._starts, span.start), bisect_left(self._starts, span.end)
        return [m for m in self.marks[first:last] if m.kind in kinds and m.span.end <= span.end]

    @cached_property
    def _starts(self) -> list[int]:
        return [mark.span.start for mark in self.marks]

    @cached_property
    def uses(self) -> list[Mark]:
        return [mark for mark in self.code.uses if self.holds(mark)]

    def uses_in(self, span: Span) -> list[Mark]:
        used = {id(mark) for mark in self.uses}
        return [mark for mark in self.marks_in(span, "use") if id(mark) in used]

    @property
    def note(self) -> str | None:
        """What to say of the first place in the selection that does not parse."""
        source = self.code.syntax.source
        for mark in self.code.of_kind("broken"):
            if mark.span.start < self.selected.end and self.selected.start <= mark.span.end:
                line = source.line(max(mark.span.start, self.selected.start))
                written = source.text(Span(source.line_start(line), source.line_start(line + 1)))
                shown = f", {as_code(written)}" if written.strip() else ""
                language = self.code.syntax.grammar.words
                note = _BROKEN.format(language=language, line=line + self.shift, shown=shown)
                return note + _REST
        return _WIDENED if self.is_widened else None


def read_selection(text: str, context: str, selection: Selection, grammar: Grammar) -> Reading:
    """Read within the context, if it stands there, else alone."""
    text, context = _with_plain_newlines(text), _with_plain_newlines(context)
    if selection.is_empty:
        whole = read(text, grammar)
        return Reading(whole, _whole(whole), selection.context_line - 1)
    wanted = text.strip()
    blank = text[: len(text) - len(text.lstrip())].count("\n")
    start = _place(wanted, context, selection, blank)
    if start < 0:
        alone = read(_dedented(text), grammar)
        shift = (selection.first_line or 1) - 1
        return Reading(alone, _whole(alone), shift, read(context, grammar))
    within = read(context, grammar)
    begin = len(context[:start].encode(errors="replace"))
    marked = Span(begin, begin + len(wanted.encode(errors="replace")))
    span = _widened(within, marked)
    shift = selection.context_line - 1
    if selection.first_line is not None:
        shift = selection.first_line + blank - within.syntax.source.line(begin)
    return Reading(within, span, shift, is_widened=span != marked)


def _widened(code: Code, span: Span) -> Span:
    """The statement that a selection is a piece of; the selection, where it has statements of its
    own."""
    found = span
    for mark in code.of_kind(*_STATEMENTS):
        if span.start <= mark.span.start < span.end:
            return span
        if mark.span.holds(span):
            found = mark.span
    return found


def _place(wanted: str, context: str, selection: Selection, blank: int) -> int:
    """Where in the context the selection is: at its own line, if it stands there too."""
    if selection.first_line is not None:
        line = selection.first_line + blank - selection.context_line
        lines = context.split("\n")
        if 0 <= line < len(lines):
            before = sum(len(one) + 1 for one in lines[:line])
            found = context.find(wanted, before)
            if found >= 0 and "\n" not in context[before:found]:
                return found
    return context.find(wanted)


def _whole(code: Code) -> Span:
    return Span(0, len(code.syntax.source.data) or 1)


def _with_plain_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").encode(errors="replace").decode()


def _dedented(text: str) -> str:
    # Marked from the middle of a line, the first line has lost its indentation.
    first, newline, rest = text.partition("\n")
    if first[:1].isspace() or not rest.strip():
        return textwrap.dedent(text)
    is_block = first.rstrip().endswith((":", "{", "(", "[", ","))
    return text if is_block else first + newline + textwrap.dedent(rest)


def nested_in(reading: Reading, marks: list[Mark]) -> list[Mark]:
    """Marks of another query, told the blocks that they stand in; those of the selection."""
    nest([*reading.code.marks, *marks])
    return [mark for mark in marks if reading.holds(mark)]


BUILTINS = Path(__file__).with_name("builtins.toml")
_NAME = re.compile(r"[^\W\d]\w*")


@cache
def known_names(grammar: Grammar) -> frozenset[str]:
    """What a language brings along."""
    known = tomllib.loads(BUILTINS.read_text(encoding="utf-8"))
    own = known.get(grammar.query_files[0], "").split()
    return frozenset([*own, *dir(builtins)] if grammar is Grammar.PYTHON else own)


def names_made(reading: Reading, mark: Mark) -> list[str]:
    """The names that a definition, a parameter or an import makes, or a made name itself."""
    if mark.kind == "made":
        return [reading.code.text(mark.span)]
    if mark.kind in ("parameter", "parameter.receiver"):
        return [name for text in reading.code.texts(mark, "name") for name in _NAME.findall(text)]
    if mark.kind == "import":
        return [found.name for found in reading.code.imported_by(mark)]
    return reading.code.texts(mark, "name") if is_definition(mark) else []


class Names:
    """Which names a selection makes, takes from outside and changes there."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._code = reading.code
        made: set[str] = set()
        parameters: set[str] = set()
        for mark in reading.marks:
            is_parameter = mark.kind.startswith("parameter")
            (parameters if is_parameter else made).update(names_made(reading, mark))
        shared = {self._code.text(mark.span) for mark in reading.marks if mark.kind == "shared"}
        # What a selection makes and does not share ends with it.
        self._local = made - shared - parameters
        self._parameters = parameters
        self._known = (made - shared) | parameters | known_names(self._code.syntax.grammar)
        self._imported = {found.name for found in reading.imports} - made

    def read(self) -> list[str]:
        """Those that are used and not made here; types only where an import brings them in."""
        types = [mark for mark in self._reading.marks if mark.kind == "use.type"]
        found = []
        for mark in sorted([*self._reading.uses, *types], key=lambda mark: mark.span.start):
            name = self._code.text(mark.span)
            if name in self._imported if mark.kind == "use.type" else name not in self._known:
                found.append(name)
        return found

    def changed(self) -> list[str]:
        """What outlives the selection and is changed by it."""
        found = []
        for mark in self._reading.marks:
            if mark.kind not in ("changed", "changed.inside"):
                continue
            target = self._code.text(mark.span)
            root = _NAME.search(target)
            # A parameter that gets another value is changed for nobody else.
            is_own = mark.kind == "changed" and target in self._parameters
            if root and root[0] not in self._local and not is_own:
                found.append(target)
        return found


def is_closure(reading: Reading) -> bool:
    """Whether a function uses a name that a function around it made."""
    made: dict[Mark, set[str]] = {}
    for mark in reading.code.marks:
        scope = next(scopes_around(mark), None)
        if scope is not None:
            made.setdefault(scope, set()).update(names_made(reading, mark))
    for mark in reading.uses:
        inner, *outer = [made.get(scope, set()) for scope in scopes_around(mark)] or [set()]
        name = reading.code.text(mark.span)
        if name not in inner and any(name in names for names in outer):
            return True
    return False


def call_names(code: Code, function: Mark) -> set[str]:
    """How code inside a function calls the function itself."""
    definition = code.definitions.get(function)
    if definition is None:
        return set()
    if definition.kind is not Kind.METHOD:
        return {definition.name}
    owners = ["self", "this", "cls", "Self", *code.texts(function, "receiver")]
    called = {f"{owner}{dot}{definition.name}" for owner in owners for dot in (".", "::")}
    return called | ({definition.name} if code.syntax.grammar is Grammar.JAVA else set())
