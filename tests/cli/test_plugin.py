"""The plugin for Claude Code, as a folder: complete, and of this version."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from bottega import __version__
from bottega.cli.mcp_clients.clients import plugin_folder

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "integrations" / "claude-code"
TOOLS = re.findall(r"^### `(\w+)`$", (ROOT / "docs/reference/tools.md").read_text(), re.MULTILINE)
TEXTS = sorted([*PLUGIN.glob("commands/*.md"), *PLUGIN.glob("skills/*/SKILL.md")])
#: What a tool's name begins with, or is, in the texts.
TOOL = re.compile(r"`((?:paige|board|library|research)_\w+|\w+_ghap|\w+_values?|remember|recall)`")


def test_the_plugin_has_the_version_of_the_server() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    assert manifest["version"] == __version__


def test_the_plugin_is_found_here_and_is_in_the_package() -> None:
    assert plugin_folder() == PLUGIN
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included["integrations/claude-code"] == "bottega/integrations/claude-code"


def test_the_repository_is_a_marketplace_that_leads_to_the_plugin() -> None:
    """`claude plugin marketplace add OWNER/REPO` reads it at the root."""
    here, own = (
        json.loads((folder / ".claude-plugin" / "marketplace.json").read_text())
        for folder in (ROOT, PLUGIN)
    )
    assert (ROOT / here["plugins"][0].pop("source")).resolve() == PLUGIN
    own["plugins"][0].pop("source")
    assert here == own


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(PLUGIN)))
def test_every_text_has_a_description_and_names_only_tools_that_are_there(path: Path) -> None:
    _, head, body = path.read_text().split("---\n", 2)
    about = yaml.safe_load(head)
    assert about["description"]
    if path.name == "SKILL.md":
        assert about["name"] == path.parent.name
    named = set(TOOL.findall(body))
    assert named
    assert named <= set(TOOLS)


def test_every_command_names_a_skill_that_is_there() -> None:
    skills = {path.parent.name for path in PLUGIN.glob("skills/*/SKILL.md")}
    named = {
        re.findall(r"skill `([\w-]+)`", path.read_text())[0]
        for path in PLUGIN.glob("commands/*.md")
    }
    assert named == skills
