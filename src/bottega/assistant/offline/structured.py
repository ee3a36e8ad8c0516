"""An answer in the shape of an `outputSchema`: the playbook's own, and for the rest what fits."""

from collections.abc import Mapping
from typing import Any

from bottega.assistant.offline.template import Known, fill

#: Levels of a schema that are followed.
DEEPEST = 8


def shape(
    schema: Mapping[str, Any], text: str, known: Known, output: Mapping[str, Any]
) -> dict[str, Any]:
    """`text` is the answer as it would have been without a schema."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    shaped: dict[str, Any] = {}
    for name, wanted in properties.items():
        if name in output:
            shaped[name] = _filled(output[name], known, wanted)
        elif name in known.lists and _is_texts(wanted):
            shaped[name] = [item["text"] for item in known.lists[name] if "text" in item]
        elif name in required:
            shaped[name] = _fitting(wanted, text)
    return shaped


def _filled(spec: Any, known: Known, schema: Mapping[str, Any]) -> Any:  # any JSON
    if isinstance(spec, str):
        return fill(spec, known).strip()
    if isinstance(spec, list):
        return [_filled(each, known, {}) for each in spec]
    if not isinstance(spec, dict):
        return spec
    if "each" not in spec:
        return {name: _filled(each, known, {}) for name, each in spec.items()}
    fields = {name: each for name, each in spec.items() if name != "each"}
    items = known.lists.get(spec["each"], ())
    filled = [
        _filled(fields, Known({**known.values, **item}, known.flags, known.lists), {})
        for item in items
    ]
    return filled[: schema.get("maxItems", len(filled))]


def _is_texts(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "array" and schema.get("items", {}).get("type") == "string"


def _fitting(schema: Mapping[str, Any], text: str, deeper: int = DEEPEST) -> Any:  # any JSON
    """The least that the schema allows; a string says what the answer says."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "string":
            return text[: schema.get("maxLength", len(text))]
        case "array":
            least = schema.get("minItems", 0) if deeper else 0
            return [_fitting(schema.get("items", {}), text, deeper - 1)] * least
        case "object":
            required = schema.get("required", ()) if deeper else ()
            properties = schema.get("properties", {})
            return {name: _fitting(properties.get(name, {}), text, deeper - 1) for name in required}
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case _:
            return None
