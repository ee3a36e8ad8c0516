"""Finds plugins: shipped with the package, the person's own, the project's. Later ones win.

A later plugin replaces an earlier one of the same name as a whole. Everything here reads files:
call it from a thread.
"""

import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bottega.assistant.plugins.definition import (
    AgentDefinition,
    CommandDefinition,
    Plugin,
    PluginProblem,
    not_found,
)
from bottega.assistant.plugins.reader import CONTEXT_FILE, is_name, read_plugin
from bottega.core.definitions.folders import (
    DefinitionFolder,
    DefinitionFolders,
    FoundFolder,
    Origin,
    Trusts,
    standard_places,
    trust_nothing,
)
from bottega.core.services import Core
from bottega.errors import BottegaError, InvalidInput

#: What agents' files may name, by their lists.
_NAMES = tomllib.loads(Path(__file__).with_name("known_names.toml").read_text("utf-8"))
TOOLS, HOOKS = frozenset(_NAMES["tools"]), frozenset(_NAMES["hooks"])
SHIPPED = Path(__file__).parents[1] / "shipped" / "plugins"


@dataclass(frozen=True, slots=True)
class FoundCommand:
    plugin: Plugin
    command: CommandDefinition
    agent: AgentDefinition


@dataclass(frozen=True, slots=True)
class PluginFolders:
    places: Sequence[tuple[Origin, Path]]
    #: Whose `CLAUDE.md` is context for every agent.
    project: Path | None = None
    tools: Collection[str] = TOOLS
    hooks: Collection[str] = HOOKS
    trusts: Trusts = trust_nothing

    @property
    def _folders(self) -> DefinitionFolders:
        # A folder of any name counts: one that is no name has that as its problem.
        return DefinitionFolders(
            "plugin", self.places, names=re.compile(r"[^._].*"), trusts=self.trusts
        )

    def list(self) -> list[Plugin]:
        """Every plugin by its name, with its problems."""
        context = self._project_context()
        return [self._read(found, context) for found in self._folders.find_all().values()]

    def load(self, name: str) -> Plugin:
        found = self._folders.find_all()
        if name not in found:
            raise not_found("plugin", name, found)
        return self._read(found[name], self._project_context())

    def find(self, full_name: str) -> FoundCommand:
        """What `plugin:command` names, with the agent that it goes to."""
        name, _, command_name = full_name.strip().partition(":")
        if not name or not command_name:
            raise InvalidInput(
                f"{full_name[:100]!r} is not a command. Write plugin:command, such as "
                "lesson-planning:create-lesson."
            )
        plugin = self.load(name)
        command = plugin.command(command_name)
        return FoundCommand(plugin, command, plugin.agent(command.meta.agent))

    def _read(self, found: FoundFolder, context: str) -> Plugin:
        origin, folder = found.origin, found.folder
        if found.distrust:
            problem = PluginProblem(".", 1, 1, found.distrust)
            return Plugin(found.name, folder, origin=origin, problems=[problem])
        if not is_name(found.name):
            message = "the folder's name must be lower-case letters, digits and hyphens"
            problem = PluginProblem(".", 1, 1, message)
            return Plugin(found.name, folder, origin=origin, problems=[problem])
        return replace(read_plugin(folder, self.tools, self.hooks, context), origin=origin)

    def _project_context(self) -> str:
        if self.project is None:
            return ""
        try:
            return DefinitionFolder(self.project).read_if_there(CONTEXT_FILE) or ""
        except BottegaError:
            # Too large or not text: a project that has nothing to do with us may have any file.
            return ""


def plugin_folders(core: Core) -> PluginFolders:
    project = core.files.root
    places = standard_places("plugins", SHIPPED, core.choices.data_dir, project)
    return PluginFolders(places, project, trusts=core.trust.is_trusted)
