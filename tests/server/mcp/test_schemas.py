"""What a client reads about a tool, and how little of it."""

import json
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from bottega.core.rooms import Caller, Room, Tool
from bottega.server.mcp import tool_listing_tokens
from bottega.server.mcp.schemas import describe_tool, input_schema


class Style(StrEnum):
    """Which of them: told to people, not to models."""

    SUBTLE = "subtle"
    OBVIOUS = "obvious"


class Position(BaseModel):
    line: int
    column: int = 0


class Anchor(BaseModel):
    title: Annotated[str, Field(description="Shown above.")]
    start: Position
    end: Position


class Tree(BaseModel):
    """Refers to itself."""

    children: list["Tree"] = []


class Highlight(BaseModel):
    """For developers."""

    path: str
    style: Style = Style.SUBTLE
    hover: Style | None = None
    limit: int | None = Field(None, ge=1, description="At most so many.")
    either: int | str | None = None
    must: int | None
    meta: dict[str, Any] = {}


async def run(arguments: BaseModel, caller: Caller) -> None: ...


def test_a_schema_says_what_a_model_needs_and_nothing_else() -> None:
    assert input_schema(Highlight) == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "style": {"type": "string", "enum": ["subtle", "obvious"], "default": "subtle"},
            "hover": {"type": "string", "enum": ["subtle", "obvious"]},
            "limit": {"type": "integer", "minimum": 1, "description": "At most so many."},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "must": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "meta": {"type": "object", "default": {}},
        },
        "required": ["path", "must"],
    }


def test_a_definition_used_twice_stays_a_definition() -> None:
    assert input_schema(Anchor) == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "Shown above."},
            "start": {"$ref": "#/$defs/Position"},
            "end": {"$ref": "#/$defs/Position"},
        },
        "required": ["title", "start", "end"],
        "$defs": {
            "Position": {
                "type": "object",
                "properties": {
                    "line": {"type": "integer"},
                    "column": {"type": "integer", "default": 0},
                },
                "required": ["line"],
            }
        },
    }


def test_a_definition_that_refers_to_itself_stays_one() -> None:
    class Forest(BaseModel):
        tree: Tree

    schema = input_schema(Forest)

    assert schema["properties"] == {"tree": {"$ref": "#/$defs/Tree"}}
    assert schema["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}


def test_a_choice_between_models_stands_where_it_is_made() -> None:
    class Issue(BaseModel):
        kind: Literal["issue"]

    class Kata(BaseModel):
        kind: Literal["kata"]

    class Start(BaseModel):
        target: Issue | Kata = Field(discriminator="kind")

    options = [
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "const": kind}},
            "required": ["kind"],
        }
        for kind in ("issue", "kata")
    ]
    assert input_schema(Start)["properties"] == {"target": {"oneOf": options}}


def test_a_tool_that_reads_says_so() -> None:
    reads = Tool("look", "Looks.", Position, run, read_only=True)
    writes = Tool("mark", "Marks.", Position, run)

    assert describe_tool(reads)["annotations"] == {"readOnlyHint": True}
    assert "annotations" not in describe_tool(writes)


def sample_room(name: str) -> Room:
    """Twelve tools of the kind that a coach has."""
    path = (str, Field(description="Relative to the project."))
    optional_path = (str | None, None)
    arguments: dict[str, dict[str, Any]] = {
        "get_buffer": {"path": path},
        "get_open_files": {},
        "get_diff": {"path": optional_path},
        "get_session_state": {"include": (list[Style] | None, None)},
        "open_file": {"path": path},
        "highlight_lines": {
            "path": path,
            "start": (int, Field(ge=1)),
            "end": (int, Field(ge=1)),
            "style": (Style, ...),
            "hoverText": optional_path,
        },
        "clear_highlights": {"path": optional_path},
        "hint_files": {"hints": (list[Position], ...)},
        "clear_hints": {},
        "update_phase": {"phase": (int, ...), "status": (Style, ...)},
        "show_message": {"message": (str, ...), "type": (Style, ...), "anchor": (Anchor, None)},
        "show_issue": {"number": (int, ...), "title": (str, ...), "labels": (list[str], [])},
    }
    return Room(
        name,
        [
            Tool(f"{name}_{tool}", "Show a thing in the editor.", create_model(tool, **fields), run)
            for tool, fields in arguments.items()
        ],
    )


def test_a_room_of_tools_is_small() -> None:
    assert 500 < tool_listing_tokens(sample_room("paige").tools) <= 2_000


def test_all_rooms_together_are_small() -> None:
    rooms = [sample_room(name) for name in ("paige", "board", "journal", "memory", "research")]
    assert tool_listing_tokens(tool for room in rooms for tool in room.tools) <= 9_000


def test_the_compact_form_is_much_shorter_than_the_plain_one() -> None:
    plain = len(json.dumps(Highlight.model_json_schema()))
    assert len(json.dumps(input_schema(Highlight))) < 0.6 * plain
