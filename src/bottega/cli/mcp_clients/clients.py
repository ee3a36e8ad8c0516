"""The programs that can be connected: where each keeps its MCP servers, and how it writes one."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import bottega
from bottega.cli.mcp_clients.config_file import ConfigFile
from bottega.cli.mcp_clients.formats import Entry, Format, JsonFormat, TomlFormat


class ClientName(StrEnum):
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


class ConfigScope(StrEnum):
    USER = "user"
    PROJECT = "project"


def _with_type(url: str) -> Entry:
    return {"type": "http", "url": url}


def _plain(url: str) -> Entry:
    return {"url": url}


#: Where a program finds the token: files that name it can be shown to anybody.
TOKEN = "BOTTEGA_TOKEN"  # noqa: S105


def _header(reference: str) -> Entry:
    """The token's header, in the program's own way of naming a variable."""
    return {"headers": {"Authorization": f"Bearer {reference}"}}


@dataclass(frozen=True, slots=True)
class McpClient:
    title: str
    format: Format
    #: The file of all of somebody's work.
    of_user: Callable[[], Path]
    #: The file within a project.
    of_project: str
    #: An entry for an address.
    plain: Callable[[str], Entry]
    #: What the entry has besides, to send the token that stands in the environment.
    with_token: Entry
    #: What to do to have the change taken up.
    afterwards: str
    default_scope: ConfigScope = ConfigScope.USER

    def file(self, scope: ConfigScope, project: Path) -> ConfigFile:
        path = self.of_user() if scope is ConfigScope.USER else project / self.of_project
        return ConfigFile(path, self.format)

    def entry(self, url: str, *, sends_token: bool = False) -> Entry:
        return {**self.plain(url), **(self.with_token if sends_token else {})}

    def is_ours(self, entry: Entry) -> bool:
        """It is as we write it; one with a token in it, or a command, is somebody's own."""
        url = entry.get("url")
        return isinstance(url, str) and entry in (
            self.entry(url),
            self.entry(url, sends_token=True),
        )


def _home(variable: str, default: str) -> Path:
    """The program's folder, which it lets its users move."""
    return Path(os.environ.get(variable) or Path.home() / default)


def _claude_file() -> Path:
    return _home("CLAUDE_CONFIG_DIR", "") / ".claude.json"


def _vscode_file() -> Path:
    if sys.platform == "darwin":
        settings = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        settings = _home("APPDATA", "AppData/Roaming")
    else:
        settings = _home("XDG_CONFIG_HOME", ".config")
    return settings / "Code" / "User" / "mcp.json"


CLIENTS = {
    ClientName.CLAUDE_CODE: McpClient(
        "Claude Code",
        JsonFormat("mcpServers"),
        _claude_file,
        ".mcp.json",
        _with_type,
        _header(f"${{{TOKEN}}}"),
        "Start `claude` again; `/mcp` shows the connection.",
    ),
    ClientName.CURSOR: McpClient(
        "Cursor",
        JsonFormat("mcpServers"),
        lambda: Path.home() / ".cursor" / "mcp.json",
        ".cursor/mcp.json",
        _plain,
        _header(f"${{env:{TOKEN}}}"),
        "Start Cursor again and switch the server on where it lists its MCP servers.",
    ),
    ClientName.VSCODE: McpClient(
        "VS Code",
        JsonFormat("servers"),
        _vscode_file,
        ".vscode/mcp.json",
        _with_type,
        _header(f"${{env:{TOKEN}}}"),
        "In VS Code, run “MCP: List Servers” and start bottega.",
        default_scope=ConfigScope.PROJECT,
    ),
    ClientName.CODEX: McpClient(
        "Codex",
        TomlFormat("mcp_servers"),
        lambda: _home("CODEX_HOME", ".codex") / "config.toml",
        ".codex/config.toml",
        _plain,
        {"bearer_token_env_var": TOKEN},
        "Start `codex` again; `/mcp` shows the connection. An older one that knows no `url` says "
        "so: update it.",
    ),
}


def plugin_folder() -> Path | None:
    """Claude Code's plugin: inside an installed package, or beside the sources of a checkout."""
    package = Path(bottega.__file__).parent
    places = [home / "integrations" / "claude-code" for home in (package, package.parents[1])]
    return next((place for place in places if (place / ".claude-plugin").is_dir()), None)
