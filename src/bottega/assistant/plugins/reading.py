"""One plugin, read as far as it can be, with everything that is wrong in it.

A broken file takes nothing else down: the agent, command or skill that it would have defined is
not there, and its problems say why. Blocks: call it from a thread.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path

from bottega.assistant.plugins.checking import (
    Known,
    Misfit,
    is_name,
    misfits_of_agent,
    misfits_of_command,
    misfits_of_skill,
)
from bottega.assistant.plugins.circles import misplaced_references
from bottega.assistant.plugins.definition import (
    AgentDefinition,
    AgentMeta,
    CommandDefinition,
    CommandMeta,
    Plugin,
    SkillDefinition,
    SkillMeta,
)
from bottega.assistant.plugins.folder import DefinitionFile, MarkdownFolder, Meta
from bottega.assistant.plugins.problems import PluginProblem
from bottega.assistant.plugins.references import SKILL_FILE
from bottega.core.documents import Document, Problem
from bottega.core.documents.problems import place
from bottega.errors import BottegaError

#: What every agent is told first, also by Claude Code.
CONTEXT_FILE = "CLAUDE.md"
WORKSPACE = "workspace"


@dataclass(slots=True)
class _Reading:
    """Collects what is wrong while the files are checked."""

    problems: list[PluginProblem] = field(default_factory=list)

    def note(self, path: str, problems: Iterable[Problem]) -> None:
        self.problems += [PluginProblem(path, p.line, p.column, p.message) for p in problems]

    def check(
        self,
        files: Iterable[DefinitionFile[Meta]],
        misfits: Callable[[str, Meta], Iterator[Misfit]],
    ) -> Iterator[tuple[DefinitionFile[Meta], Document[Meta]]]:
        """Those that are whole; the problems of the others are noted."""
        for file in files:
            problems = list(file.problems)
            if not is_name(file.name):
                message = f"{file.name!r} must be lower-case letters, digits and hyphens"
                problems.append(Problem(1, 1, message))
            if (document := file.document) is not None:
                problems += [
                    Problem(*place(document.positions, where), message)
                    for where, message in misfits(file.name, document.meta)
                ]
                if not document.body.strip():
                    empty = Problem(document.body_line, 1, "there is nothing below the frontmatter")
                    problems.append(empty)
            self.note(file.path, problems)
            if document is not None and not problems:
                yield file, document


def read_plugin(
    folder: Path, tools: Collection[str], hooks: Collection[str], project_context: str = ""
) -> Plugin:
    files, reading, name = MarkdownFolder(folder), _Reading(), folder.name
    agents = _define(files, "agents", AgentMeta)
    commands = _define(files, "commands", CommandMeta)
    skills = [
        files.define(skill, f"skills/{skill}/{SKILL_FILE}", SkillMeta)
        for skill in files.folders("skills")
    ]
    known = Known(
        agents=[file.name for file in agents],
        skills=[file.name for file in skills],
        workspace=_with_folders(files.walk(WORKSPACE)),
        tools=tools,
        hooks=hooks,
    )
    plugin = Plugin(
        name=name,
        folder=folder,
        agents={
            file.name: AgentDefinition(
                file.name, name, document.meta, document.body.strip(), folder / file.path
            )
            for file, document in reading.check(
                agents, lambda agent, meta: misfits_of_agent(agent, meta, known)
            )
        },
        commands={
            file.name: CommandDefinition(
                file.name, name, document.meta, document.body.strip(), folder / file.path
            )
            for file, document in reading.check(
                commands, lambda _, meta: misfits_of_command(meta, known)
            )
        },
        skills={
            file.name: SkillDefinition(file.name, name, document.meta, (folder / file.path).parent)
            for file, document in reading.check(skills, misfits_of_skill)
        },
        context=_context(files, reading, project_context),
    )
    for path, problem in misplaced_references(files, known.skills):
        reading.note(path, [problem])
    if not agents:
        reading.note("agents", [Problem(1, 1, "the plugin has no agent: write agents/name.md")])
    return replace(plugin, problems=sorted(reading.problems))


def _define(files: MarkdownFolder, folder: str, model: type[Meta]) -> list[DefinitionFile[Meta]]:
    return [files.define(name, f"{folder}/{name}.md", model) for name in files.names(folder, ".md")]


def _context(files: MarkdownFolder, reading: _Reading, project_context: str) -> str:
    try:
        own = files.read_if_there(CONTEXT_FILE) or ""
    except BottegaError as error:
        reading.note(CONTEXT_FILE, [Problem(1, 1, error.message)])
        own = ""
    return "\n\n".join(text.strip() for text in (project_context, own) if text.strip())


def _with_folders(paths: list[str]) -> set[str]:
    return {part for path in paths for part in accumulate(path.split("/"), lambda a, b: f"{a}/{b}")}
