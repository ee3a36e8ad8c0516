"""The REST document and the coach's protocol as TypeScript, for the web app: the shapes, `paths` as
`openapi-fetch` reads them, and the payload of each message."""

import json
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

REST_HEADER = "// Written by `make docs` from the server's OpenAPI document.\n"
COACH_HEADER = "// Written by `make docs` from the coach's protocol.\n"
ENVELOPES = """\
type Envelopes<Payloads> = {
  [Type in keyof Payloads]: { type: Type; payload: Payloads[Type]; id?: string; timestamp: number };
}[keyof Payloads];

export type ClientMessage = Envelopes<ClientPayloads>;
export type ServerMessage = Envelopes<ServerPayloads>;
"""


def rest_types(openapi: Schema) -> str:
    shapes = openapi["components"]["schemas"]
    return "\n".join(
        [
            REST_HEADER,
            "export type paths = {",
            *(line for path, methods in openapi["paths"].items() for line in _path(path, methods)),
            "};\n",
            *(definition(name, body) for name, body in sorted(shapes.items())),
        ]
    )


def _path(path: str, methods: dict[str, Schema]) -> Iterator[str]:
    yield f'  "{path}": {{'
    for method, operation in methods.items():
        yield comment(operation, "    ") + f"    {method}: {{"
        yield f"      parameters: {_parameters(operation.get('parameters', []))};"
        if "requestBody" in operation:
            body = operation["requestBody"]
            name = _named("requestBody", needed=body.get("required", False))
            yield f"      {name}: {{ content: {_content(body)} }};"
        yield f"      responses: {{ {_answers(operation['responses'])} }};"
        yield "    };"
    yield "  };"


def _parameters(parameters: list[Schema]) -> str:
    groups = []
    for place in ("query", "path"):
        fields = [
            f"{_named(key(field['name']), needed=field.get('required', False))}:"
            f" {type_of(field['schema'])}"
            for field in parameters
            if field["in"] == place
        ]
        if fields:
            needed = any(field.get("required") for field in parameters if field["in"] == place)
            groups.append(f"{_named(place, needed=needed)}: {{ {'; '.join(fields)} }}")
    return f"{{ {'; '.join(groups)} }}" if groups else "{}"


def _named(name: str, *, needed: bool) -> str:
    return name if needed else f"{name}?"


def _answers(responses: dict[str, Schema]) -> str:
    return "; ".join(
        f"{_status(status)}: {{ content: {_content(answer)} }}"
        for status, answer in responses.items()
    )


def _status(status: str) -> str:
    return status if status.isdigit() else f'"{status}"'


def _content(body: dict[str, Any]) -> str:
    kinds = body.get("content", {})
    if not kinds:
        return "never"
    fields = [f'"{kind}": {type_of(told.get("schema", {}))}' for kind, told in kinds.items()]
    return f"{{ {'; '.join(fields)} }}"


def coach_types(document: Schema) -> str:
    parts = [
        COACH_HEADER,
        _payloads("ClientPayloads", document["clientMessages"]["oneOf"]),
        _payloads("ServerPayloads", document["serverMessages"]["oneOf"]),
        ENVELOPES,
        *(definition(name, body) for name, body in sorted(document["$defs"].items())),
    ]
    return "\n".join(parts)


def _payloads(name: str, envelopes: list[Schema]) -> str:
    lines = [f"export type {name} = {{"]
    for envelope in envelopes:
        fields = envelope["properties"]
        lines.append(f"  /** {envelope['description']} */")
        lines.append(f"  {json.dumps(fields['type']['const'])}: {type_of(fields['payload'])};")
    return "\n".join([*lines, "};\n"])


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
