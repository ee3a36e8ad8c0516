"""What holds for every room of the house, present and future."""

import ast
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError

import bottega
from bottega.app import App
from bottega.core.files.project import ProjectFiles
from bottega.core.rooms import Caller, Door
from bottega.errors import BottegaError
from bottega.server.mcp import tool_listing_tokens
from bottega.server.rest import room_routers
from bottega.settings import Settings

ONE_ROOM_TOKENS = 2_000
ALL_ROOMS_TOKENS = 9_000


@pytest.fixture
def app(tmp_path: Path) -> App:
    project = tmp_path / "project"
    project.mkdir()
    (project / "kept.py").write_text("kept = True\n")
    settings = Settings(
        data_dir=tmp_path / "data", project_dir=project, bottega_model="offline", _env_file=None
    )
    return App(settings, serves=False)


def test_one_rooms_tools_cost_an_agent_few_tokens(app: App) -> None:
    for room in app.rooms:
        assert tool_listing_tokens(room.tools) <= ONE_ROOM_TOKENS, room.name


def test_all_rooms_tools_cost_an_agent_few_tokens(app: App) -> None:
    tools = [tool for room in app.rooms if room.shared for tool in room.tools]
    assert tool_listing_tokens(tools) <= ALL_ROOMS_TOKENS


def test_tool_names_are_unique_across_rooms(app: App) -> None:
    names = [tool.name for room in app.rooms for tool in room.tools]
    assert len(set(names)) == len(names)


def test_every_route_is_under_a_path_that_opens_its_room(app: App) -> None:
    for room in app.rooms:
        for route in [each for router in room_routers(room) for each in router.routes]:
            assert isinstance(route, APIRoute)
            assert any(f"{route.path}/".startswith(f"{path}/") for path in room.paths), route.path


def test_every_model_call_belongs_to_the_room_that_makes_it(app: App) -> None:
    """So that its cost is told under that room."""
    named = {(room.name, call) for room in app.rooms for call in room.model_calls}
    assert set(tasks_in_the_source()) <= named


def tasks_in_the_source() -> Iterator[tuple[str, str]]:
    root = Path(bottega.__file__).parent
    for file in root.glob("*/**/*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Call(func=ast.Name(id="Task"), args=[ast.Constant(value=str(name)), *_]):
                    yield file.relative_to(root).parts[0], name


@pytest.mark.requirement("FR-026")
async def test_no_tool_writes_a_projects_files(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tool, called with arguments that fit it, leaves the project as it was.

    Rooms keep papers of their own in a project (`.claude`, `.bottega`, `openspec`); its code is
    the person's.
    """
    written: list[str] = []
    monkeypatch.setattr(ProjectFiles, "save", lambda _self, path, _content: written.append(path))
    await app.start()
    try:
        before = snapshot(app.settings.project)
        for room in app.rooms:
            for tool in room.tools:
                with suppress(BottegaError, ValidationError):
                    arguments = tool.arguments.model_validate(example(tool.arguments))
                    await tool.run(arguments, Caller(Door.MCP))
        assert snapshot(app.settings.project) == before
    finally:
        await app.stop()
    assert not written


def example(model: type[BaseModel]) -> dict[str, Any]:
    """Arguments of the right types, every text of them the name of a file that is there."""
    schema = model.model_json_schema()
    return {name: value_for(field, schema) for name, field in schema.get("properties", {}).items()}


def value_for(field: dict[str, Any], root: dict[str, Any]) -> Any:
    if "$ref" in field:
        return value_for(root["$defs"][field["$ref"].rpartition("/")[2]], root)
    if "anyOf" in field:
        return value_for(field["anyOf"][0], root)
    if "enum" in field:
        return field["enum"][0]
    match field.get("type"):
        case "integer" | "number":
            return field.get("minimum", 1)
        case "boolean":
            return True
        case "array":
            return [value_for(field.get("items", {}), root)]
        case "object":
            return {k: value_for(f, root) for k, f in field.get("properties", {}).items()}
    return "kept.py"


def snapshot(project: Path) -> dict[str, bytes]:
    papers = (".claude", ".bottega", "openspec")
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file() and path.relative_to(project).parts[0] not in papers
    }
