"""Whether what a plugin's files name is there: tools, hooks, skills, agents, workspace files."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bottega.assistant.plugins.definition import AgentMeta, CommandMeta, Name, SkillMeta
from bottega.assistant.plugins.problems import no_such
from bottega.core.documents import KeyPath
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


@dataclass(frozen=True, slots=True)
class Known:
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


def misfits_of_agent(name: str, meta: AgentMeta, known: Known) -> Iterator[Misfit]:
    sources = {tool for tool in meta.tools if SOURCE_TOOL.fullmatch(tool)}
    handovers = {f"transfer_to_{agent.replace('-', '_')}" for agent in meta.handoffs}
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


def misfits_of_command(meta: CommandMeta, known: Known) -> Iterator[Misfit]:
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
