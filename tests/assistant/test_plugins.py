"""Plugins: found, read, and everything that is wrong with them at its place."""

from pathlib import Path
from typing import Any, cast

import pytest

from bottega.assistant.hooks.registry import HookRegistry
from bottega.assistant.hooks.surroundings import HookDependencies
from bottega.assistant.plugins.catalogue import HOOKS, PluginFolders, plugin_folders
from bottega.assistant.plugins.definition import CommandMode, Plugin
from bottega.core.definitions.folders import Origin
from bottega.errors import InvalidInput, NotFound
from tests.app import open_app
from tests.assistant.builders import SAMPLE, put_plugin, write_files


def load(place: Path, name: str = "lessons") -> Plugin:
    return PluginFolders([(Origin.OWN, place)]).load(name)


def problems(place: Path) -> list[str]:
    return [str(each) for each in load(place).problems]


def agent(**fields: str) -> str:
    """An agent's file with these frontmatter lines."""
    lines = {"model": "claude-sonnet-4-5", "provider": "anthropic", **fields}
    written = "\n".join(f"{key}: {value}" for key, value in lines.items() if value)
    return f"---\n{written}\n---\nDo it.\n"


def command(**fields: str) -> str:
    lines = {"agent": "planner", "description": "Does it.", **fields}
    written = "\n".join(f"{key}: {value}" for key, value in lines.items() if value)
    return f"---\n{written}\n---\nDo it.\n"


@pytest.mark.requirement("AS-401")
async def test_plugins_come_from_three_places_and_the_later_wins(tmp_path: Path) -> None:
    """Shipped, own, project."""
    async with open_app(tmp_path) as app:
        places = dict(plugin_folders(app.core).places)
        put_plugin(app.core.choices.data_dir / "plugins", "lessons")
        put_plugin(app.core.choices.data_dir / "plugins", "mine")
        shadow = put_plugin(app.project / ".bottega" / "plugins", "lessons")
        assert plugin_folders(app.core).load("lessons").origin is Origin.OWN
        app.core.trust.add("plugins/lessons", "local")
        found = {plugin.name: plugin for plugin in plugin_folders(app.core).list()}
    assert list(places) == [Origin.SHIPPED, Origin.OWN, Origin.PROJECT]
    assert found["mine"].origin is Origin.OWN
    assert found["lessons"].origin is Origin.PROJECT
    assert found["lessons"].folder == shadow


@pytest.mark.requirement("AS-402")
def test_a_plugin_is_what_its_files_say(tmp_path: Path) -> None:
    put_plugin(tmp_path)
    plugin = load(tmp_path)
    assert not plugin.problems
    assert plugin.agents["planner"].instructions == "Draft the lesson that is asked for."
    assert plugin.agents["planner"].meta.handoffs == ["reviewer"]
    assert plugin.commands["create-lesson"].framing == "The teacher wants a whole lesson."
    assert plugin.commands["create-lesson"].full_name == "lessons:create-lesson"
    assert plugin.skills["retrieval"].meta.description == "Begin with what was learned before."
    assert plugin.skills["retrieval"].folder == tmp_path / "lessons" / "skills" / "retrieval"


@pytest.mark.requirement("AS-403", "AS-405")
def test_all_problems_are_told_at_once_with_their_place(tmp_path: Path) -> None:
    put_plugin(
        tmp_path,
        files={
            "agents/planner.md": "---\nmodle: x\nprovider: acme\nmaxTurns: many\n---\nPlan.\n",
            "commands/create-lesson.md": "---\nagent: planer\ndescription: [\n---\nGo.\n",
            "skills/retrieval/SKILL.md": "No frontmatter at all.\n",
        },
    )
    told = problems(tmp_path)
    assert "agents/planner.md:2:1: unknown key 'modle'; did you mean 'model'?" in told
    assert any(each.startswith("agents/planner.md:3:1: provider:") for each in told)
    assert any(each.startswith("agents/planner.md:4:1: maxTurns:") for each in told)
    assert any(each.startswith("commands/create-lesson.md:4:1: not valid YAML") for each in told)
    assert any(each.startswith("skills/retrieval/SKILL.md:1:1: no frontmatter") for each in told)


@pytest.mark.requirement("AS-404", "AS-405")
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tools": "[read_file, read_skil]"}, "4:20: there is no tool 'read_skil'; did you mean"),
        ({"hooks": "[feedforwards]"}, "4:9: there is no hook 'feedforwards'; did you mean"),
        ({"skills": "[backwards-design]"}, "4:10: there is no skill 'backwards-design'; did you"),
        ({"handoffs": "[revewer]"}, "4:12: there is no agent 'revewer'; did you mean 'reviewer'?"),
        (
            {"workspace": "[techer.md]"},
            "4:13: in the plugin's workspace/ there is no file 'techer.md'; did you mean "
            "'teacher.md'?",
        ),
        ({"hooks": "[xyz]"}, "4:9: there is no hook 'xyz'; there are age-appropriate, curr"),
    ],
)
def test_what_an_agent_names_and_is_not_there_is_told_at_its_place(
    tmp_path: Path, fields: dict[str, str], said: str
) -> None:
    put_plugin(tmp_path, files={"agents/extra.md": agent(**fields)})
    (told,) = problems(tmp_path)
    assert told.startswith(f"agents/extra.md:{said}")


@pytest.mark.requirement("AS-430")
def test_the_hooks_that_may_be_named_are_those_there_are(tmp_path: Path) -> None:
    put_plugin(tmp_path, files={"agents/extra.md": agent(hooks=str(sorted(HOOKS)))})
    assert not problems(tmp_path)
    # Names need none of the parts that hooks work with.
    assert HookRegistry(cast("HookDependencies", None)).names == sorted(HOOKS)


@pytest.mark.requirement("AS-404")
def test_an_agent_may_name_folders_transfers_and_tools_of_sources(tmp_path: Path) -> None:
    """What is there in another way than by a file of its name."""
    fields = {
        "workspace": "[classes, workspace/curriculum/, curriculum/cfe-maths.md]",
        "tools": "[bash, transfer_to_reviewer, mcp__papers__find]",
        "handoffs": "[reviewer]",
    }
    put_plugin(tmp_path, files={"agents/extra.md": agent(**fields)})
    assert not problems(tmp_path)


@pytest.mark.requirement("AS-406")
def test_a_broken_file_takes_nothing_else_down(tmp_path: Path) -> None:
    put_plugin(tmp_path, files={"agents/planner.md": "---\nmodel: 3\n---\n"})
    plugin = load(tmp_path)
    assert "planner" not in plugin.agents
    assert plugin.agent("reviewer").name == "reviewer"
    assert "create-lesson" in plugin.commands
    with pytest.raises(InvalidInput) as refused:
        plugin.agent("planner")
    assert "lessons/agents/planner.md:2:1: model:" in refused.value.message
    assert "lessons/agents/planner.md:1:1: missing key 'provider'" in refused.value.message
    with pytest.raises(InvalidInput, match="The agent 'planner' cannot be used"):
        PluginFolders([(Origin.OWN, tmp_path)]).find("lessons:create-lesson")


@pytest.mark.requirement("AS-406")
@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("agents/Big One.md", SAMPLE["agents/planner.md"], "1:1: 'Big One' must be lower-case"),
        ("agents/extra.md", agent().replace("Do it.", ""), "5:1: there is nothing below"),
        ("agents/extra.md", "---\nmodel: x", "1:1: the frontmatter never ends"),
    ],
)
def test_other_broken_files(tmp_path: Path, path: str, text: str, said: str) -> None:
    put_plugin(tmp_path, files={path: text})
    (told,) = problems(tmp_path)
    assert told.startswith(f"{path}:{said}")


@pytest.mark.requirement("AS-406")
def test_bytes_that_are_no_text_are_a_problem_of_their_file(tmp_path: Path) -> None:
    folder = put_plugin(tmp_path)
    (folder / "agents" / "reviewer.md").write_bytes(b"---\nmodel: \xff\xfe\n---\n")
    assert problems(tmp_path) == ["agents/reviewer.md:1:1: 'agents/reviewer.md' is not UTF-8 text."]


@pytest.mark.requirement("AS-407", "AS-405")
def test_a_command_is_found_with_its_agent(tmp_path: Path) -> None:
    put_plugin(tmp_path)
    folders = PluginFolders([(Origin.OWN, tmp_path)])
    found = folders.find("lessons:create-lesson")
    assert (found.command.name, found.agent.name) == ("create-lesson", "planner")
    with pytest.raises(NotFound, match="no plugin 'lesson'; did you mean 'lessons'"):
        folders.find("lesson:create-lesson")
    with pytest.raises(NotFound, match="did you mean 'lessons:create-lesson'"):
        folders.find("lessons:create-lessons")
    for wrong in ("create-lesson", "lessons:", ":create-lesson", ""):
        with pytest.raises(InvalidInput, match="Write plugin:command"):
            folders.find(wrong)


@pytest.mark.requirement("AS-408")
def test_the_list_has_commands_and_problems(tmp_path: Path) -> None:
    put_plugin(tmp_path)
    write_files(tmp_path / "My Plugin", {"agents/a.md": agent()})
    write_files(tmp_path / "empty", {"README.md": "Nothing yet."})
    listed = {plugin.name: plugin for plugin in PluginFolders([(Origin.OWN, tmp_path)]).list()}
    assert sorted(listed) == ["My Plugin", "empty", "lessons"]
    told = [(each.full_name, each.meta.description) for each in listed["lessons"].commands.values()]
    assert told == [("lessons:create-lesson", "Draft a lesson for a class.")]
    assert "must be lower-case" in listed["My Plugin"].problems[0].message
    assert "no agent" in listed["empty"].problems[0].message


@pytest.mark.requirement("AS-409")
def test_claude_md_of_project_and_plugin_are_context(tmp_path: Path) -> None:
    put_plugin(tmp_path / "plugins")
    write_files(tmp_path / "project", {"CLAUDE.md": "The school is in Dundee.\n"})
    folders = PluginFolders([(Origin.OWN, tmp_path / "plugins")], project=tmp_path / "project")
    assert folders.load("lessons").context == "The school is in Dundee.\n\nWrite British English."
    (tmp_path / "project" / "CLAUDE.md").write_bytes(b"\x00\x01")
    assert folders.load("lessons").context == "Write British English."


@pytest.mark.requirement("AS-410")
def test_a_skill_of_claude_code_is_used_as_it_is(tmp_path: Path) -> None:
    """With the frontmatter and the folders that Claude Code knows."""
    skill = """---
name: pdf-forms
description: |
  Fills in PDF forms. Use when the user mentions a form.
allowed-tools: Read, Bash(python *)
license: MIT
metadata:
  version: "1.0"
---
Run scripts/fill.py.
"""
    put_plugin(
        tmp_path,
        files={"skills/pdf-forms/SKILL.md": skill, "skills/pdf-forms/scripts/fill.py": "pass\n"},
    )
    plugin = load(tmp_path)
    assert not plugin.problems
    assert plugin.skills["pdf-forms"].meta.description.startswith("Fills in PDF forms.")


@pytest.mark.requirement("AS-410")
def test_a_skills_name_is_its_folders(tmp_path: Path) -> None:
    """Claude Code finds it by the folder."""
    text = SAMPLE["skills/retrieval/SKILL.md"].replace("---\n", "---\nname: recall\n", 1)
    put_plugin(tmp_path, files={"skills/retrieval/SKILL.md": text})
    (told,) = problems(tmp_path)
    assert told.startswith("skills/retrieval/SKILL.md:2:1: the name is 'recall'")


AGENT_FIELDS: list[tuple[str, str, Any, Any]] = [
    ("workspace", "[teacher.md]", [], ["teacher.md"]),
    ("skills", "[retrieval]", [], ["retrieval"]),
    ("tools", "[read_file]", [], ["read_file"]),
    ("hooks", "[scope-check]", [], ["scope-check"]),
    ("memory", "false", True, False),
    ("handoffs", "[reviewer]", [], ["reviewer"]),
    ("outputSchema", "{type: object}", None, {"type": "object"}),
    ("maxTurns", "7", 25, 7),
    ("maxBudgetUsd", "0.5", None, 0.5),
    ("maxToolRetries", "1", 3, 1),
    ("maxNoProgressIterations", "2", 3, 2),
    ("forceFinalizeOnStall", "true", False, True),
]


@pytest.mark.requirement(
    "AS-413",
    "AS-414",
    "AS-415",
    "AS-416",
    "AS-417",
    "AS-418",
    "AS-419",
    "AS-420",
    "AS-421",
    "AS-428",
)
@pytest.mark.parametrize(("field", "written", "default", "value"), AGENT_FIELDS)
def test_an_agents_field_has_its_default_and_its_value(
    tmp_path: Path, field: str, written: str, default: object, value: object
) -> None:
    files = {"agents/bare.md": agent(), "agents/full.md": agent(**{field: written})}
    put_plugin(tmp_path, files=files)
    plugin = load(tmp_path)
    assert not plugin.problems
    assert plugin.agents["bare"].meta.model_dump(by_alias=True)[field] == default
    assert plugin.agents["full"].meta.model_dump(by_alias=True)[field] == value


@pytest.mark.requirement(
    "AS-411", "AS-412", "AS-415", "AS-417", "AS-418", "AS-419", "AS-420", "AS-421"
)
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"model": ""}, "missing key 'model': the model's identifier"),
        ({"provider": ""}, "missing key 'provider': `anthropic` or `openai`"),
        ({"provider": "acme"}, "provider: Input should be 'anthropic' or 'openai'"),
        ({"handoffs": "[extra]"}, "'extra' cannot hand over to itself"),
        ({"outputSchema": "{type: array}"}, "the schema must be of an object"),
        ({"maxTurns": "0"}, "maxTurns: Input should be greater than or equal to 1"),
        ({"maxBudgetUsd": "-1"}, "maxBudgetUsd: Input should be greater than or equal to 0"),
        ({"memory": "perhaps"}, "memory: Input should be a valid boolean"),
        ({"tools": "read_file"}, "tools: Input should be a valid list"),
    ],
)
def test_an_agents_field_that_is_wrong(tmp_path: Path, fields: dict[str, str], said: str) -> None:
    put_plugin(tmp_path, files={"agents/extra.md": agent(**fields)})
    (told,) = problems(tmp_path)
    assert said in told


@pytest.mark.requirement("AS-422", "AS-423", "AS-424", "AS-425")
def test_a_commands_fields_have_their_defaults_and_values(tmp_path: Path) -> None:
    talk = command(mode="interactive", writes="talks/{slug}.md")
    put_plugin(tmp_path, files={"commands/bare.md": command(), "commands/talk.md": talk})
    commands = load(tmp_path).commands
    assert commands["bare"].meta.agent == "planner"
    assert commands["bare"].meta.description == "Does it."
    assert commands["bare"].meta.mode is CommandMode.SINGLE
    assert commands["bare"].meta.writes is None
    assert commands["talk"].meta.mode is CommandMode.INTERACTIVE
    assert commands["talk"].meta.writes == "talks/{slug}.md"


@pytest.mark.requirement("AS-422", "AS-423", "AS-424", "AS-425")
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"agent": ""}, "missing key 'agent': the agent to invoke"),
        ({"agent": "planer"}, "2:1: there is no agent 'planer'; did you mean 'planner'?"),
        ({"description": ""}, "missing key 'description'"),
        ({"mode": "endless"}, "mode: Input should be 'single' or 'interactive'"),
        ({"writes": "../outside.md"}, "4:1: '../outside.md' is not the path of a file"),
        ({"writes": "lessons/"}, "'lessons/' is not the path of a file in the workspace"),
        ({"writes": "/etc/passwd"}, "'/etc/passwd' is not the path of a file in the workspace"),
        ({"writes": '"{oops"'}, "'{oops' is not the path of a file in the workspace"),
        ({"writes": '"{clas}.md"'}, "4:1: there is no place 'clas'; did you mean 'class'?"),
    ],
)
def test_a_commands_field_that_is_wrong(tmp_path: Path, fields: dict[str, str], said: str) -> None:
    put_plugin(tmp_path, files={"commands/extra.md": command(**fields)})
    (told,) = problems(tmp_path)
    assert said in told


@pytest.mark.requirement("AS-426")
@pytest.mark.parametrize("line", ["", "description: ''\n"])
def test_a_skill_needs_a_description(tmp_path: Path, line: str) -> None:
    text = f"---\nlicense: MIT\n{line}---\nDo it.\n"
    put_plugin(tmp_path, files={"skills/extra/SKILL.md": text})
    (told,) = problems(tmp_path)
    assert told.startswith("skills/extra/SKILL.md:")
    assert "description" in told


@pytest.mark.requirement("AS-427")
def test_links_that_lead_out_of_a_plugin_are_not_followed(tmp_path: Path) -> None:
    folder = put_plugin(tmp_path / "plugins")
    secret = write_files(tmp_path / "elsewhere", {"secret.md": SAMPLE["agents/reviewer.md"]})
    (folder / "agents" / "spy.md").symlink_to(secret / "secret.md")
    (folder / "skills" / "spy").symlink_to(secret, target_is_directory=True)
    plugin = load(tmp_path / "plugins")
    assert sorted(plugin.agents) == ["planner", "reviewer"]
    assert "spy" not in plugin.skills
