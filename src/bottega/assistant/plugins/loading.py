"""Where plugins are found: shipped with the house, a person's own, a project's. Later wins.

A later plugin stands in for an earlier one of the same name as a whole. All of it reads files:
call it from a thread.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bottega.assistant.plugins.checking import is_name
from bottega.assistant.plugins.definition import (
    AgentDefinition,
    CommandDefinition,
    Origin,
    Plugin,
)
from bottega.assistant.plugins.folder import MarkdownFolder
from bottega.assistant.plugins.names import HOOKS, TOOLS
from bottega.assistant.plugins.problems import PluginProblem, not_found
from bottega.assistant.plugins.reading import CONTEXT_FILE, read_plugin
from bottega.core.services import Core
from bottega.errors import BottegaError, InvalidInput

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

    def list(self) -> list[Plugin]:
        """Every plugin by its name, with its problems."""
        context = self._project_context()
        found = {folder.name: (origin, folder) for origin, folder in self._folders()}
        return [self._read(*found[name], context) for name in sorted(found)]

    def load(self, name: str) -> Plugin:
        found = {folder.name: (origin, folder) for origin, folder in self._folders()}
        if name not in found:
            raise not_found("plugin", name, found)
        return self._read(*found[name], self._project_context())

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

    def _read(self, origin: Origin, folder: Path, context: str) -> Plugin:
        if not is_name(folder.name):
            message = "the folder's name must be lower-case letters, digits and hyphens"
            problem = PluginProblem(".", 1, 1, message)
            return Plugin(folder.name, folder, origin=origin, problems=[problem])
        return replace(read_plugin(folder, self.tools, self.hooks, context), origin=origin)

    def _project_context(self) -> str:
        if self.project is None:
            return ""
        try:
            return MarkdownFolder(self.project).read_if_there(CONTEXT_FILE) or ""
        except BottegaError:
            # Too large or not text: a project that has nothing to do with us may have any file.
            return ""

    def _folders(self) -> Iterator[tuple[Origin, Path]]:
        for origin, place in self.places:
            if place.is_dir():
                for folder in sorted(place.iterdir()):
                    if folder.is_dir() and not folder.name.startswith((".", "_")):
                        yield origin, folder


def plugin_folders(core: Core) -> PluginFolders:
    data_dir, project = core.choices.data_dir, core.files.root
    return PluginFolders(
        (
            (Origin.SHIPPED, SHIPPED),
            (Origin.OWN, data_dir / "plugins"),
            (Origin.PROJECT, project / ".bottega" / "plugins"),
        ),
        project=project,
    )


def load_plugins(core: Core) -> Sequence[Plugin]:
    return plugin_folders(core).list()
