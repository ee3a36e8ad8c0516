"""Which names a selection makes, takes from outside and changes there."""

import builtins
import re
import tomllib
from functools import cache
from pathlib import Path

from bottega.coach.explain.selection import Reading
from bottega.core.code.grammars import Grammar
from bottega.core.code.model import Kind
from bottega.core.code.reader import Code, is_definition, scopes_around
from bottega.core.code.syntax import Mark

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
