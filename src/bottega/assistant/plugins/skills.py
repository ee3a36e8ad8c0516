"""Skills in three tiers: a line in the prompt, the skill itself, and the files beside it.

The agent decides when it needs more; each tier costs more tokens than the one before.

References inside skills (`[skill:backward-design]`, `[skill:backward-design/examples.md]`) are
replaced by what they name, and so are the references in there, to a depth. One in backticks is only
mentioned. What is missing, too deep or too long is told in place, and the reader can go on without
it; a circle is an error, since no text would be the right one.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bottega.assistant.plugins.definition import (
    AgentDefinition,
    Plugin,
    SkillDefinition,
    no_such,
    not_found,
)
from bottega.core.definitions import Problem, parse_document
from bottega.core.definitions.folders import DefinitionFolder
from bottega.core.files.paths import relative_path
from bottega.core.text import words
from bottega.errors import BottegaError, Forbidden, InvalidInput, NotFound

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
class ReferenceExpansion:
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


_Graph = Mapping[Reference, Sequence[FoundReference]]


def misplaced_references(
    files: DefinitionFolder, skills: Collection[str]
) -> Iterator[tuple[str, Problem]]:
    """Each with the file it stands in. The skills can be read all the same: whoever reads one is
    told in place, or gets an error instead of a text without end."""
    present = [Reference(skill, file) for skill in skills for file in files.walk(f"skills/{skill}")]
    names = {str(reference) for reference in present}
    graph = {at: _references(files, _path(at)) for at in present if at.file.endswith(".md")}
    for at, found in graph.items():
        for each in found:
            named = str(_settle(each.reference))
            if named not in names:
                message = f"there is {no_such('skill file', named, names)}"
                yield _path(at), Problem(each.line, each.column, message)
    yield from _circles(graph)


def _circles(graph: _Graph) -> Iterator[tuple[str, Problem]]:
    """One problem a circle, at the reference that closes it."""
    done: set[Reference] = set()
    for start in graph:
        trail = [start]
        rest = [iter(graph[start])] if start not in done else []
        done.add(start)
        while rest:
            each = next(rest[-1], None)
            if each is None:
                rest.pop()
                trail.pop()
                continue
            to = _settle(each.reference)
            if to in trail:
                chain = " → ".join(str(part) for part in (*trail[trail.index(to) :], to))
                message = f"the references go round in a circle: {chain}"
                yield _path(trail[-1]), Problem(each.line, each.column, message)
            elif to not in done:
                done.add(to)
                trail.append(to)
                rest.append(iter(graph.get(to, ())))


def _references(files: DefinitionFolder, path: str) -> list[FoundReference]:
    try:
        return list(find_references(files.read(path)))
    except BottegaError:
        # A skill that cannot be read has its own problem; other files are read when asked for.
        return []


def _settle(reference: Reference) -> Reference:
    try:
        file = relative_path(Path("/"), reference.file.lstrip("/"))
    except BottegaError:
        return reference
    return Reference(reference.skill, file or SKILL_FILE)


def _path(reference: Reference) -> str:
    return f"skills/{reference.skill}/{reference.file}"


#: About a hundred tokens, with the name.
LONGEST_LINE = 360


@dataclass(frozen=True, slots=True)
class SkillLine:
    """Tier 1: what the prompt says of a skill."""

    name: str
    line: str


@dataclass(frozen=True, slots=True)
class SkillText:
    #: As it is called: `backward-design/examples.md`.
    reference: str
    #: 2 for the skill itself, 3 for one of its files.
    tier: int
    text: str
    #: What inline references brought in.
    included: Sequence[str] = ()
    #: What they named in vain: missing, too deep or too long.
    left_out: Sequence[str] = ()


class AgentSkills:
    """The skills that one agent may read."""

    def __init__(
        self,
        plugin: Plugin,
        names: Sequence[str],
        *,
        max_reference_depth: int = MAX_REFERENCE_DEPTH,
    ) -> None:
        self._plugin = plugin
        self._names = [name for name in names if name in plugin.skills]
        self._max_depth = max_reference_depth

    def manifest(self) -> list[SkillLine]:
        """Tier 1, in the order of the agent's file."""
        return [
            SkillLine(name, one_line(self._plugin.skills[name].meta.description))
            for name in self._names
        ]

    async def read(self, reference: str) -> SkillText:
        """Tier 2 for `name`, tier 3 for `name/file.md`; `BottegaError` with words for the model."""
        return await asyncio.to_thread(self.read_now, reference)

    def read_now(self, reference: str) -> SkillText:
        """Blocking."""
        asked = parse_reference(reference)
        if asked.skill not in self._names:
            raise not_found("skill", asked.skill, self._names)
        asked = self._settle(asked)
        expansion = ReferenceExpansion(self._read, self._settle, self._max_depth)
        text = expansion.expand(self._read(asked).strip(), (asked,))
        is_skill = asked.file == SKILL_FILE
        return SkillText(
            reference=str(asked),
            tier=2 if is_skill else 3,
            text=text + self._further_files(asked.skill) if is_skill else text,
            included=[str(each) for each in expansion.included],
            left_out=[str(each) for each in expansion.left_out],
        )

    def _settle(self, reference: Reference) -> Reference:
        skill = self._skill(reference.skill)
        try:
            file = relative_path(skill.folder, reference.file)
        except Forbidden:
            raise Forbidden(f"{str(reference)!r} is outside the skill's own folder.") from None
        return Reference(reference.skill, file or SKILL_FILE)

    def _read(self, reference: Reference) -> str:
        # References may lead to any skill of the plugin: its author put them there.
        files = DefinitionFolder(self._skill(reference.skill).folder)
        try:
            text = files.read(reference.file)
        except NotFound:
            missing = no_such("file", reference.file, files.walk(""))
            raise NotFound(f"In the skill {reference.skill!r} there is {missing}") from None
        return parse_document(text).body if reference.file == SKILL_FILE else text

    def _skill(self, name: str) -> SkillDefinition:
        if name not in self._plugin.skills:
            raise not_found("skill", name, self._plugin.skills)
        return self._plugin.skills[name]

    def _further_files(self, name: str) -> str:
        files = DefinitionFolder(self._skill(name).folder).walk("")
        further = [f"- {name}/{file}" for file in files if file != SKILL_FILE]
        return "\n\nMore of this skill, by read_skill:\n" + "\n".join(further) if further else ""


def read_skill_file(skill: SkillDefinition) -> tuple[Path, str]:
    """The path of a skill's own file, and its text below the frontmatter. Blocking."""
    text = DefinitionFolder(skill.folder).read_if_there(SKILL_FILE) or ""
    return skill.folder / SKILL_FILE, parse_document(text).body.strip()


def skills_for(plugin: Plugin, agent: AgentDefinition) -> AgentSkills:
    return AgentSkills(plugin, agent.meta.skills)


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    return words.shorten(words.one_line(text), longest)
