"""JSON Schema as TypeScript types, for the web app."""

import json
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]


def definition(name: str, body: Schema) -> str:
    return f"{comment(body)}export type {type_name(name)} = {type_of(body)};\n"


def comment(schema: Schema, indent: str = "") -> str:
    if "description" not in schema:
        return ""
    return f"{indent}/** {' '.join(schema['description'].split())} */\n"


def type_of(schema: Schema, indent: str = "") -> str:
    match schema:
        case {"$ref": reference}:
            return type_name(reference.rpartition("/")[2])
        case {"const": value}:
            return json.dumps(value)
        case {"enum": values}:
            return " | ".join(json.dumps(value) for value in values)
        case {"anyOf": options} | {"oneOf": options}:
            return " | ".join(dict.fromkeys(type_of(option, indent) for option in options))
        case {"type": "array"}:
            item = type_of(schema.get("items", {}), indent)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case {"type": "object", "properties": {**fields}} if fields:
            return "\n".join(["{", *_fields(schema, f"{indent}  "), f"{indent}}}"])
        case {"type": "object"}:
            return f"Record<string, {_values(schema)}>"
        case {"type": "integer" | "number"}:
            return "number"
        case {"type": "string", "contentMediaType": _}:
            return "File"
        case {"type": "string" | "boolean" | "null" as plain}:
            return str(plain)
    return "unknown"


def _fields(schema: Schema, indent: str) -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        mark = "" if name in required else "?"
        yield f"{indent}{key(name)}{mark}: {type_of(field, indent)};"


def key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def _values(schema: Schema) -> str:
    """Of an object whose keys nobody has listed; one that is always empty has no values at all."""
    match schema.get("additionalProperties"):
        case None:
            return "never"
        case dict() as values:
            return type_of(values)
    return "unknown"


def type_name(definition: str) -> str:
    """pydantic tells what is read from what is written by `-Input` and `-Output`, and two models
    of one name by their modules, of which the room is enough."""
    match definition.replace("-", "").split("__"):
        case ["bottega", room, *_, name]:
            return f"{room.title()}{name}"
        case parts:
            return "__".join(parts)
