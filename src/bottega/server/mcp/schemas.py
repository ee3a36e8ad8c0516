"""What a client reads about a tool. Models pay for every token of it in every conversation.

pydantic's schemas are exact and wordy. The compact form says the same to a model: no titles, no
`null` beside an optional type, definitions in place where they are used once, and no docstrings
of classes, which are written for people.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from importlib import resources
from typing import Any

import orjson
from pydantic import BaseModel

from bottega.core.rooms import Tool

Schema = dict[str, Any]

#: Keywords whose members are named by the author: a property may well be called `title`.
_NAMED = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
#: Keywords that hold data, not schemas.
_LITERAL = frozenset({"default", "enum", "const", "examples", "required"})
#: Keywords that tell a model nothing; `discriminator` is none of JSON Schema's.
_NOISE = frozenset({"title", "discriminator"})
#: Keywords that say what would be so without them.
_DEFAULTS = (("additionalProperties", True), ("default", None))
_REFERENCE = "#/$defs/"


def input_schema(model: type[BaseModel]) -> Schema:
    schema = model.model_json_schema()
    schema.pop("description", None)
    definitions: dict[str, Schema] = schema.pop("$defs", {})
    uses = Counter(_references(schema))
    for definition in definitions.values():
        definition.pop("description", None)
        uses.update(_references(definition))
    kept = {name for name, count in uses.items() if count > 1 and "enum" not in definitions[name]}
    kept |= _recursive(definitions)
    inlined = {name: body for name, body in definitions.items() if name not in kept}
    compact = _compact(schema, inlined)
    if kept:
        compact["$defs"] = {name: _compact(definitions[name], inlined) for name in sorted(kept)}
    compact.setdefault("properties", {})
    return compact


def describe_tool(tool: Tool[Any]) -> Schema:
    """The tool as `tools/list` names it."""
    described: Schema = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": input_schema(tool.arguments),
    }
    if tool.read_only:
        described["annotations"] = {"readOnlyHint": True}
    return described


def tool_listing_tokens(tools: Iterable[Tool[Any]]) -> int:
    """How much of a conversation the list of these tools takes, by a common tokenizer."""
    listing = orjson.dumps([describe_tool(tool) for tool in tools]).decode()
    return _tokenize()(listing)


def _compact(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    schema = _in_place(schema, definitions)
    compact: Schema = {}
    for keyword, value in schema.items():
        if keyword in _NOISE or (keyword, value) in _DEFAULTS:
            continue
        if keyword in _NAMED:
            compact[keyword] = {n: _compact(member, definitions) for n, member in value.items()}
        elif keyword in _LITERAL:
            compact[keyword] = value
        elif isinstance(value, dict):
            compact[keyword] = _compact(value, definitions)
        elif isinstance(value, list):
            compact[keyword] = [
                _compact(item, definitions) if isinstance(item, dict) else item for item in value
            ]
        else:
            compact[keyword] = value
    return compact


def _in_place(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    """Replace a wrapper by what it wraps: a reference, or a type that may also be left out."""
    if (name := _referenced(schema)) in definitions:
        rest = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        return _in_place({**definitions[name], **rest}, definitions)
    if "default" in schema and {"type": "null"} in schema.get("anyOf", ()):
        options = [option for option in schema["anyOf"] if option != {"type": "null"}]
        if len(options) == 1:
            rest = {keyword: value for keyword, value in schema.items() if keyword != "anyOf"}
            return _in_place({**options[0], **rest}, definitions)
        return {**schema, "anyOf": options}
    return schema


def _references(schema: Any) -> Iterable[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _references(item)
    elif isinstance(schema, dict):
        if name := _referenced(schema):
            yield name
        for value in schema.values():
            yield from _references(value)


def _recursive(definitions: dict[str, Schema]) -> set[str]:
    reach = {name: set(_references(schema)) for name, schema in definitions.items()}
    for _ in reach:
        for name, reached in reach.items():
            reach[name] = reached.union(*(reach[other] for other in reached))
    return {name for name, reached in reach.items() if name in reached}


def _referenced(schema: Schema) -> str:
    reference = schema.get("$ref", "")
    return reference.removeprefix(_REFERENCE) if isinstance(reference, str) else ""


@cache
def _tokenize() -> Callable[[str], int]:
    """The tokenizer inside the `wordllama` wheel: no download."""
    from tokenizers import Tokenizer

    file = resources.files("wordllama.tokenizers") / "l2_supercat_tokenizer_config.json"
    tokenizer = Tokenizer.from_str(file.read_text())
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))
