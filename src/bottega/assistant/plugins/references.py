"""References inside skills: `[skill:backward-design]`, `[skill:backward-design/examples.md]`.

They are replaced by what they name, and so are the references in there, to a depth. One in
backticks is only mentioned. What is missing, too deep or too long is told in place, and the reader
can go on without it; a circle is an error, since no text would be the right one.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bottega.errors import BottegaError, InvalidInput, NotFound

SKILL_FILE = "SKILL.md"
MAX_REFERENCE_DEPTH = 5
#: Characters that references may bring in, all together.
MOST_INCLUDED = 100_000

#: The look behind comes after the literal beginning, by which a search is ten times as fast.
_TOKEN = re.compile(r"\[skill:(?<!`\[skill:)([a-z0-9][a-z0-9-]{0,63})(?:/([^\]\s]{1,200}))?\](?!`)")


@dataclass(frozen=True, slots=True)
class Reference:
    skill: str
    file: str = SKILL_FILE

    def __str__(self) -> str:
        return self.skill if self.file == SKILL_FILE else f"{self.skill}/{self.file}"


@dataclass(frozen=True, slots=True)
class FoundReference:
    reference: Reference
    line: int
    column: int


def find_references(text: str) -> Iterator[FoundReference]:
    for token in _TOKEN.finditer(text):
        line = text.count("\n", 0, token.start()) + 1
        column = token.start() - text.rfind("\n", 0, token.start())
        yield FoundReference(_reference(token), line, column)


class CircularReference(InvalidInput):
    def __init__(self, trail: tuple[Reference, ...]) -> None:
        chain = " → ".join(str(each) for each in trail)
        super().__init__(
            f"The skill's references go round in a circle: {chain}. "
            "Nothing was loaded; go on without it, or read a file that is not in the circle."
        )


@dataclass(slots=True)
class Expansion:
    #: The text of a reference; raises `BottegaError` if there is none.
    read: Callable[[Reference], str]
    #: The same reference however it is spelt: `a/./b.md` is `a/b.md`.
    settle: Callable[[Reference], Reference]
    max_depth: int = MAX_REFERENCE_DEPTH
    #: What was put in, in the order of the text.
    included: list[Reference] = field(default_factory=list)
    #: What was not: missing, too deep or too long.
    left_out: list[Reference] = field(default_factory=list)
    _size: int = 0

    def expand(self, text: str, trail: tuple[Reference, ...]) -> str:
        """`trail` is how one came to this text, itself included."""
        return _TOKEN.sub(lambda token: self._replace(_reference(token), trail), text)

    def _replace(self, named: Reference, trail: tuple[Reference, ...]) -> str:
        try:
            reference = self.settle(named)
            text = self.read(reference).strip()
        except BottegaError as error:
            return self._leave_out(named, error.message)
        if reference in trail:
            raise CircularReference((*trail, reference))
        if reference in self.included:
            return f"({reference}: see above)"
        if len(trail) > self.max_depth:
            reason = f"references are followed {self.max_depth} deep"
            return self._leave_out(reference, f"{reason}; read it by itself")
        if self._size + len(text) > MOST_INCLUDED:
            return self._leave_out(reference, "it would be too much at once; read it by itself")
        self.included.append(reference)
        self._size += len(text)
        inner = self.expand(text, (*trail, reference))
        return f'\n<skill name="{reference}">\n{inner}\n</skill>\n'

    def _leave_out(self, reference: Reference, reason: str) -> str:
        self.left_out.append(reference)
        return f"({reference} is not here: {reason})"


def parse_reference(text: str) -> Reference:
    """What a model asks for: `backward-design` or `backward-design/examples.md`."""
    token = _TOKEN.fullmatch(f"[skill:{text.strip()}]")
    if token is None:
        raise NotFound(
            f"{text[:100]!r} names no skill. Write the name of a skill, or name/file.md for one of "
            "its files."
        )
    return _reference(token)


def _reference(token: re.Match[str]) -> Reference:
    return Reference(token[1], token[2] or SKILL_FILE)
