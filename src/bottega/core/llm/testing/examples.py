"""The smallest value that a JSON schema allows, for a reply that nobody scripted."""

from typing import Any

FORMATS = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "PT0S",
    "email": "someone@example.com",
    "uri": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def example(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    root = schema if root is None else root
    if reference := schema.get("$ref"):
        return example(_resolve(reference, root), root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for alternatives in ("anyOf", "oneOf", "allOf"):
        if options := schema.get(alternatives):
            return example(_simplest(options), root)
    kind = schema.get("type", "object" if "properties" in schema else "null")
    return _of_type(kind[0] if isinstance(kind, list) else kind, schema, root)


def _of_type(kind: str, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    match kind:
        case "object":
            properties = schema.get("properties", {})
            return {name: example(properties[name], root) for name in schema.get("required", ())}
        case "array":
            items = schema.get("prefixItems") or [schema.get("items", {})] * schema.get(
                "minItems", 0
            )
            return [example(item, root) for item in items]
        case "string":
            return FORMATS.get(schema.get("format", ""), "x" * schema.get("minLength", 0))
        case "integer" | "number":
            return _number(schema, step=1 if kind == "integer" else 0.5)
        case "boolean":
            return False
        case _:
            return None


def _number(schema: dict[str, Any], step: float) -> float:
    if "minimum" in schema:
        return float(schema["minimum"]) if step < 1 else int(schema["minimum"])
    if "exclusiveMinimum" in schema:
        return schema["exclusiveMinimum"] + step  # type: ignore[no-any-return]
    return min(0, schema.get("maximum", 0), schema.get("exclusiveMaximum", 1) - step)  # type: ignore[no-any-return]


def _simplest(options: list[dict[str, Any]]) -> dict[str, Any]:
    return next((option for option in options if option.get("type") == "null"), options[0])


def _resolve(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    node: Any = root
    for step in reference.removeprefix("#/").split("/"):
        node = node[step]
    return node  # type: ignore[no-any-return]
