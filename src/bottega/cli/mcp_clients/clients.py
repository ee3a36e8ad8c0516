"""The programs that can be connected: where each keeps its MCP servers, and how it writes one.

`clients.toml` has them.
"""

import os
import sys
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

import bottega
from bottega.cli.mcp_clients.config_file import ConfigFile
from bottega.cli.mcp_clients.formats import Entry, JsonFormat, TomlFormat

#: Where a program finds the token: files that name it can be shown to anybody.
TOKEN = "BOTTEGA_TOKEN"  # noqa: S105


class ClientName(StrEnum):
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


class ConfigScope(StrEnum):
    USER = "user"
    PROJECT = "project"


class McpClient(BaseModel, extra="forbid", frozen=True):
    title: str
    format: Literal["json", "toml"]
    #: What has an entry for each server.
    container: str
    #: The variable that names the program's folder, and the folder without it.
    home: tuple[str, str]
    #: By platform, where it is another one.
    home_on: dict[str, tuple[str, str]] = {}
    #: The file of all of somebody's work, in that folder.
    of_user: str
    #: The file within a project.
    of_project: str
    #: What an entry has beside the address.
    plain: dict[str, Any] = {}
    #: What it has to send the token that stands in the environment.
    with_token: dict[str, Any]
    #: What to do to have the change taken up.
    afterwards: str
    default_scope: ConfigScope = ConfigScope.USER

    def file(self, scope: ConfigScope, project: Path) -> ConfigFile:
        variable, folder = self.home_on.get(sys.platform, self.home)
        home = Path(os.environ.get(variable) or Path.home() / folder)
        path = home / self.of_user if scope is ConfigScope.USER else project / self.of_project
        form = JsonFormat if self.format == "json" else TomlFormat
        return ConfigFile(path, form(self.container))

    def entry(self, url: str, *, sends_token: bool = False) -> Entry:
        return {**self.plain, "url": url, **(self.with_token if sends_token else {})}

    def is_ours(self, entry: Entry) -> bool:
        """It is as we write it; one with a token in it, or a command, is somebody's own."""
        url = entry.get("url")
        return isinstance(url, str) and entry in (
            self.entry(url),
            self.entry(url, sends_token=True),
        )


_LISTED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
CLIENTS = {name: McpClient.model_validate(_LISTED[name]) for name in ClientName}


def plugin_folder() -> Path | None:
    """Claude Code's plugin: inside an installed package, or beside the sources of a checkout."""
    package = Path(bottega.__file__).parent
    places = [home / "integrations" / "claude-code" for home in (package, package.parents[1])]
    return next((place for place in places if (place / ".claude-plugin").is_dir()), None)
