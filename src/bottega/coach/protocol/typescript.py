"""The protocol's document as TypeScript types, for the web app."""

import json
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

HEADER = "// Written by `make docs` from the coach's protocol.\n"
ENVELOPES = """\
type Envelopes<Payloads> = {
  [Type in keyof Payloads]: { type: Type; payload: Payloads[Type]; id?: string; timestamp: number };
}[keyof Payloads];

export type ClientMessage = Envelopes<ClientPayloads>;
export type ServerMessage = Envelopes<ServerPayloads>;
"""


def typescript(document: Schema) -> str:
    parts = [
        HEADER,
        _payloads("ClientPayloads", document["clientMessages"]["oneOf"]),
        _payloads("ServerPayloads", document["serverMessages"]["oneOf"]),
        ENVELOPES,
        *(_definition(name, body) for name, body in sorted(document["$defs"].items())),
    ]
    return "\n".join(parts)


def _payloads(name: str, envelopes: list[Schema]) -> str:
    lines = [f"export type {name} = {{"]
    for envelope in envelopes:
        fields = envelope["properties"]
        lines.append(f"  /** {envelope['description']} */")
        lines.append(f"  {json.dumps(fields['type']['const'])}: {_type(fields['payload'])};")
    return "\n".join([*lines, "};\n"])


def _definition(name: str, body: Schema) -> str:
    comment = ""
    if "description" in body:
        comment = f"/** {' '.join(body['description'].split())} */\n"
    return f"{comment}export type {_name(name)} = {_type(body)};\n"


def _type(schema: Schema, indent: str = "") -> str:
    match schema:
        case {"$ref": reference}:
            return _name(reference.rpartition("/")[2])
        case {"const": value}:
            return json.dumps(value)
        case {"enum": values}:
            return " | ".join(json.dumps(value) for value in values)
        case {"anyOf": options} | {"oneOf": options}:
            return " | ".join(dict.fromkeys(_type(option, indent) for option in options))
        case {"type": "array"}:
            item = _type(schema.get("items", {}), indent)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case {"type": "object", "properties": {**fields}} if fields:
            return "\n".join(["{", *_fields(schema, f"{indent}  "), f"{indent}}}"])
        case {"type": "object"}:
            return f"Record<string, {_values(schema)}>"
        case {"type": "integer" | "number"}:
            return "number"
        case {"type": "string" | "boolean" | "null" as plain}:
            return str(plain)
    return "unknown"


def _fields(schema: Schema, indent: str) -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        mark = "" if name in required else "?"
        yield f"{indent}{name}{mark}: {_type(field, indent)};"


def _values(schema: Schema) -> str:
    """Of an object whose keys nobody has listed; one that is always empty has no values at all."""
    match schema.get("additionalProperties"):
        case None:
            return "never"
        case dict() as values:
            return _type(values)
    return "unknown"


def _name(definition: str) -> str:
    """pydantic tells what is read from what is written by `-Input` and `-Output`."""
    return definition.replace("-", "")
