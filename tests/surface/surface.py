"""What others build on, as data: tools, routes, commands, messages, settings, errors and what MCP
clients read by address, each with a line for what it takes and what it gives.

Run by itself, it prints that of the package that it imports, as `surface.json` has it.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
import typer.core

from bottega import errors
from bottega.app import App
from bottega.cli.main import add_rooms, cli
from bottega.coach.protocol.document import schema as protocol
from bottega.server.http import create_server
from bottega.server.mcp.schemas import input_schema
from bottega.server.options import Options
from bottega.settings import Settings

Surface = dict[str, dict[str, dict[str, str]]]
Schema = dict[str, Any]

#: The statuses of errors, which are the same for every route: see `errors`.
ERRORS = frozenset({"4XX", "5XX", "422"})


def surface() -> Surface:
    with tempfile.TemporaryDirectory() as folder:
        app = App(Settings(data_dir=Path(folder), project_dir=Path(folder), _env_file=None))
        openapi = create_server(app, Options(settings=app.settings)).openapi()
        rooms = app.rooms
    return {
        "tools": {
            tool.name: fields(input_schema(tool.arguments)) for room in rooms for tool in room.tools
        },
        "resources": {
            each.uri: {"type": each.mime_type} for room in rooms for each in room.resources
        },
        "prompts": {
            each.name: {argument.name: required(argument.required) for argument in each.arguments}
            for room in rooms
            for each in room.prompts
        },
        "routes": dict(routes(openapi)),
        "commands": dict(commands(typer.main.get_command(with_rooms()), "bottega")),
        "messages": dict(messages(protocol())),
        "settings": {
            name.upper(): {"default": json.dumps(field.default, default=str)}
            for name, field in Settings.model_fields.items()
        },
        "errors": {error.type: {"status": str(error.status)} for error in every_error()},
    }


def routes(openapi: Schema) -> Iterator[tuple[str, dict[str, str]]]:
    definitions = openapi["components"]["schemas"]
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            found = {
                f"{each['in']} {each['name']}": (
                    f"{shape(each['schema'], definitions)}{required(each.get('required'))}"
                )
                for each in operation.get("parameters", ())
            }
            for media, content in operation.get("requestBody", {}).get("content", {}).items():
                found |= fields(content["schema"], definitions, f"{media} ")
            for status in operation["responses"].keys() - ERRORS:
                answer = operation["responses"][status].get("content", {})
                found[status] = ", ".join(answer)
                for content in answer.values():
                    found |= fields(content.get("schema", {}), definitions, f"{status} ")
            yield f"{method.upper()} {path}", found


def messages(document: Schema) -> Iterator[tuple[str, dict[str, str]]]:
    for side in ("clientMessages", "serverMessages"):
        for envelope in document[side]["oneOf"]:
            properties = envelope["properties"]
            body = shape(properties["payload"], document["$defs"])
            yield f"{side} {properties['type']['const']}", {"payload": body}


def with_rooms() -> typer.Typer:
    add_rooms()
    return cli


# Typer brings its own copy of click, whose classes it does not export: hence `Any`.
def commands(command: Any, path: str) -> Iterator[tuple[str, dict[str, str]]]:
    if isinstance(command, typer.core.TyperGroup):
        context = typer.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), f"{path} {name}")
        return
    yield (
        path,
        {", ".join(each.opts + each.secondary_opts): value(each) for each in command.params},
    )


def value(parameter: Any) -> str:
    kind = "flag" if getattr(parameter, "is_bool_flag", False) else "value"
    many = "s" if parameter.multiple or parameter.nargs == -1 else ""
    return f"{kind}{many}{required(parameter.required)}"


def every_error() -> Iterator[type[errors.BottegaError]]:
    todo = [errors.BottegaError]
    while todo:
        error = todo.pop()
        todo += [each for each in error.__subclasses__() if each.__module__ == errors.__name__]
        yield error


def fields(schema: Schema, definitions: Schema | None = None, prefix: str = "") -> dict[str, str]:
    """Each property of an object, or of the objects of a list; else one line for the whole."""
    known = schema.get("$defs", {}) if definitions is None else definitions
    whole = resolved(schema, known)
    if whole.get("type") == "array" and "items" in whole:
        return fields(whole["items"], known, f"{prefix}[].")
    if "properties" not in whole:
        return {f"{prefix}body": shape(whole, known)}
    needed = whole.get("required", ())
    return {
        f"{prefix}{name}": f"{shape(each, known)}{required(name in needed)}"
        for name, each in whole["properties"].items()
    }


def required(is_so: bool | None) -> str:
    return "!" if is_so else ""


def shape(schema: Schema, definitions: Schema, within: tuple[str, ...] = ()) -> str:
    """A schema in a few characters: `[{id!: string, tags: [string]}]`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        # A definition within itself goes by its name, else it would never end.
        return name if name in within else shape(definitions[name], definitions, (*within, name))
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            found = (shape(each, definitions, within) for each in schema[choice])
            return " | ".join(sorted(set(found) - {"null"}))
    if "enum" in schema:
        return " | ".join(sorted(map(str, schema["enum"])))
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") == "array":
        return f"[{shape(schema.get('items', {}), definitions, within)}]"
    if "properties" in schema:
        needed = schema.get("required", ())
        inner = (
            f"{name}{required(name in needed)}: {shape(each, definitions, within)}"
            for name, each in sorted(schema["properties"].items())
        )
        return "{" + ", ".join(inner) + "}"
    limits = [
        f"{name} {schema[name]}"
        for name in ("format", "minimum", "maximum", "minLength", "maxLength", "pattern")
        if name in schema
    ]
    return " ".join([str(schema.get("type", "any")), *limits])


def resolved(schema: Schema, definitions: Schema) -> Schema:
    found = schema
    while "$ref" in found:
        found = definitions[found["$ref"].rpartition("/")[2]]
    return found


if __name__ == "__main__":
    print(json.dumps(surface(), indent=1, sort_keys=True, ensure_ascii=False))
