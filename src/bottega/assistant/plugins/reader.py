"""Reads one plugin as far as it can be read, and lists every problem in its files.

A broken file takes nothing else down: the agent, command or skill that it would have defined is
missing, and the problems say why. Blocks: call it from a thread.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bottega.assistant.plugins.definition import (
    AgentDefinition,
    AgentMeta,
    CommandDefinition,
    CommandMeta,
    Name,
    Plugin,
    PluginProblem,
    SkillDefinition,
    SkillMeta,
    no_such,
)
from bottega.assistant.plugins.skills import SKILL_FILE, misplaced_references
from bottega.conversation.tools import tool_name
from bottega.core.definitions import Document, KeyPath, Problem
from bottega.core.definitions.folders import DefinitionFile, DefinitionFolder, Meta
from bottega.core.definitions.problems import place
from bottega.core.files.paths import relative_path
from bottega.errors import BottegaError

#: What `writes` may have filled in.
PLACES_IN_WRITES = {"slug", "class", "date"}
#: A source's tool is called after its source, and which there are is known only when it is asked.
SOURCE_TOOL = re.compile(r"mcp__[a-z0-9-]+__.+")

_PLACE = re.compile(r"\{([^{}]*)\}")

#: Where something stands in the frontmatter, and what is wrong with it.
Misfit = tuple[KeyPath, str]

_NAME: TypeAdapter[str] = TypeAdapter(Name)
#: What every agent is told first, also by Claude Code.
CONTEXT_FILE = "CLAUDE.md"
WORKSPACE = "workspace"


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What may be named. Tools and hooks are the house's, the rest is the plugin's own, broken
    files included: what is wrong with them is said once, where it is."""

    agents: Collection[str]
    skills: Collection[str]
    #: Files and folders that the plugin ships for a workspace.
    workspace: Collection[str]
    tools: Collection[str]
    hooks: Collection[str]


def is_name(name: str) -> bool:
    try:
        _NAME.validate_python(name)
    except ValidationError:
        return False
    return True


def misfits_of_agent(name: str, meta: AgentMeta, known: KnownNames) -> Iterator[Misfit]:
    sources = {tool for tool in meta.tools if SOURCE_TOOL.fullmatch(tool)}
    handovers = {tool_name(agent) for agent in meta.handoffs}
    yield from _unknown("tools", "tool", meta.tools, {*known.tools, *handovers, *sources})
    yield from _unknown("hooks", "hook", meta.hooks, known.hooks)
    yield from _unknown("skills", "skill", meta.skills, known.skills)
    yield from _unknown("handoffs", "agent", meta.handoffs, known.agents)
    if name in meta.handoffs:
        where = ("handoffs", meta.handoffs.index(name))
        yield where, f"{name!r} cannot hand over to itself"
    for index, path in enumerate(meta.workspace):
        if workspace_path(path) not in known.workspace:
            missing = no_such("file", path, known.workspace)
            yield ("workspace", index), f"in the plugin's workspace/ there is {missing}"
    if meta.output_schema is not None and meta.output_schema.get("type") != "object":
        yield ("outputSchema",), "the schema must be of an object: `type: object`"


def misfits_of_command(meta: CommandMeta, known: KnownNames) -> Iterator[Misfit]:
    if meta.agent not in known.agents:
        yield ("agent",), f"there is {no_such('agent', meta.agent, known.agents)}"
    if meta.writes is not None:
        yield from ((("writes",), message) for message in _wrong_with_path(meta.writes))


def _wrong_with_path(template: str) -> Iterator[str]:
    for name in _PLACE.findall(template):
        if name not in PLACES_IN_WRITES:
            yield f"there is {no_such('place', name, PLACES_IN_WRITES)}"
    path = _PLACE.sub("x", template)
    try:
        is_file = bool(relative_path(Path("/workspace"), path)) and not path.endswith("/")
    except BottegaError:
        is_file = False
    if not is_file or "{" in path or "}" in path:
        yield f"{template!r} is not the path of a file in the workspace"


def misfits_of_skill(name: str, meta: SkillMeta) -> Iterator[Misfit]:
    if meta.name not in (None, name):
        message = f"the name is {meta.name!r} and the folder is {name!r}: they must be the same"
        yield ("name",), message


def workspace_path(path: str) -> str:
    """`workspace/classes/` and `classes` are the same."""
    return path.removeprefix("workspace/").strip("/")


def _unknown(
    key: str, kind: str, names: Collection[str], known: Collection[str]
) -> Iterator[Misfit]:
    for index, name in enumerate(names):
        if name not in known:
            yield (key, index), f"there is {no_such(kind, name, known)}"


@dataclass(slots=True)
class _ProblemLog:
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
    files, log, name = DefinitionFolder(folder), _ProblemLog(), folder.name
    agents = _define(files, "agents", AgentMeta)
    commands = _define(files, "commands", CommandMeta)
    skills = [
        files.define(skill, f"skills/{skill}/{SKILL_FILE}", SkillMeta)
        for skill in files.folders("skills")
    ]
    known = KnownNames(
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
            for file, document in log.check(
                agents, lambda agent, meta: misfits_of_agent(agent, meta, known)
            )
        },
        commands={
            file.name: CommandDefinition(
                file.name, name, document.meta, document.body.strip(), folder / file.path
            )
            for file, document in log.check(
                commands, lambda _, meta: misfits_of_command(meta, known)
            )
        },
        skills={
            file.name: SkillDefinition(file.name, name, document.meta, (folder / file.path).parent)
            for file, document in log.check(skills, misfits_of_skill)
        },
        context=_context(files, log, project_context),
    )
    for path, problem in misplaced_references(files, known.skills):
        log.note(path, [problem])
    if not agents:
        log.note("agents", [Problem(1, 1, "the plugin has no agent: write agents/name.md")])
    return replace(plugin, problems=sorted(log.problems))


def _define(files: DefinitionFolder, folder: str, model: type[Meta]) -> list[DefinitionFile[Meta]]:
    return [files.define(name, f"{folder}/{name}.md", model) for name in files.names(folder, ".md")]


def _context(files: DefinitionFolder, log: _ProblemLog, project_context: str) -> str:
    try:
        own = files.read_if_there(CONTEXT_FILE) or ""
    except BottegaError as error:
        log.note(CONTEXT_FILE, [Problem(1, 1, error.message)])
        own = ""
    return "\n\n".join(text.strip() for text in (project_context, own) if text.strip())


def _with_folders(paths: list[str]) -> set[str]:
    return {part for path in paths for part in accumulate(path.split("/"), lambda a, b: f"{a}/{b}")}
