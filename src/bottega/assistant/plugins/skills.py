"""Skills in three tiers: a line in the prompt, the skill itself, and the files beside it.

The agent decides when it needs more; each tier costs more tokens than the one before.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from bottega.assistant.plugins.definition import AgentDefinition, Plugin, SkillDefinition
from bottega.assistant.plugins.folder import MarkdownFolder
from bottega.assistant.plugins.problems import no_such, not_found
from bottega.assistant.plugins.references import (
    MAX_REFERENCE_DEPTH,
    SKILL_FILE,
    Expansion,
    Reference,
    parse_reference,
)
from bottega.core.documents import parse_document
from bottega.core.files.paths import relative_path
from bottega.errors import Forbidden, NotFound

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


class SkillShelf:
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
        expansion = Expansion(self._read, self._settle, self._max_depth)
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
        files = MarkdownFolder(self._skill(reference.skill).folder)
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
        files = MarkdownFolder(self._skill(name).folder).walk("")
        further = [f"- {name}/{file}" for file in files if file != SKILL_FILE]
        return "\n\nMore of this skill, by read_skill:\n" + "\n".join(further) if further else ""


def shelf_for(plugin: Plugin, agent: AgentDefinition) -> SkillShelf:
    return SkillShelf(plugin, agent.meta.skills)


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
