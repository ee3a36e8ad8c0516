"""The REST document as TypeScript: the shapes, and `paths` as `openapi-fetch` reads them."""

from collections.abc import Iterator
from typing import Any

from bottega.core.typescript import Schema, comment, definition, key, type_of

HEADER = "// Written by `make docs` from the server's OpenAPI document.\n"


def typescript(openapi: Schema) -> str:
    shapes = openapi["components"]["schemas"]
    return "\n".join(
        [
            HEADER,
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
