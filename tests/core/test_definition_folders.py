"""Agents, skills, sources and plugins are found and read in one way."""

from pathlib import Path

import pytest

from bottega.core.definitions import DocumentError
from bottega.core.definitions.folders import (
    DefinitionFolder,
    DefinitionFolders,
    Origin,
    standard_places,
)
from bottega.errors import NotFound


def put(folder: Path, text: str = "hello") -> Path:
    folder.mkdir(parents=True)
    (folder / "AGENT.md").write_text(text)
    return folder


def test_a_later_place_stands_in_for_an_earlier(tmp_path: Path) -> None:
    shipped, data, project = tmp_path / "shipped", tmp_path / "data", tmp_path / "project"
    put(shipped / "one")
    put(shipped / "two")
    put(data / "agents" / "two")
    put(project / ".bottega" / "agents" / "two")
    put(project / ".bottega" / "agents" / "Not a name")
    (data / "agents" / "empty").mkdir()
    places = standard_places("agents", shipped, data, project)
    untrusted = DefinitionFolders("agent", places, "AGENT.md")
    assert untrusted.find("two").origin is Origin.OWN
    folders = DefinitionFolders("agent", places, "AGENT.md", trusts=lambda _folder: True)
    found = folders.find_all()
    assert {name: each.origin for name, each in found.items()} == {
        "one": Origin.SHIPPED,
        "two": Origin.PROJECT,
    }
    assert folders.find("one").folder == shipped / "one"
    with pytest.raises(NotFound, match="no agent 'three'"):
        folders.find("three")


def test_a_place_that_is_not_there_has_none(tmp_path: Path) -> None:
    places = standard_places("agents", tmp_path / "nowhere", tmp_path, None)
    with pytest.raises(NotFound, match="There are: none"):
        DefinitionFolders("agent", places).find("one")


@pytest.mark.parametrize("name", ["guide.md", "SKILL.md", "deep/guide.md"])
def test_a_link_in_a_definition_leads_nowhere_outside(tmp_path: Path, name: str) -> None:
    """A project's definitions are a stranger's: what they link to is not read for anybody."""
    secret = tmp_path / "secret.md"
    secret.write_text("the password")
    folder = put(tmp_path / "skill")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).symlink_to(secret)
    with pytest.raises(DocumentError) as refused:
        DefinitionFolder(folder).read_definition(name)
    assert "the password" not in refused.value.message
    assert name not in DefinitionFolder(folder).walk()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b"\x80 latin", "not UTF-8 text"),
        (b"x" * 3000, "larger than 2 KB"),
        (None, "the file is missing"),
    ],
)
def test_what_cannot_be_read_is_a_problem_of_its_first_line(
    tmp_path: Path, data: bytes | None, message: str
) -> None:
    if data is not None:
        (tmp_path / "AGENT.md").write_bytes(data)
    with pytest.raises(DocumentError, match=message) as refused:
        DefinitionFolder(tmp_path, most_bytes=2048).read_definition("AGENT.md")
    assert (refused.value.line, refused.value.column) == (1, 1)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("\ufeff{}", "utf-8")
    assert DefinitionFolder(tmp_path).read_definition("config.json") == "{}"
