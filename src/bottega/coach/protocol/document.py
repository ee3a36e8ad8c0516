"""The protocol as one JSON Schema document (2020-12), for clients that are not ours."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core.core_schema import DataclassField, ModelField, TypedDictField

from bottega.coach.protocol.catalogue import CLIENT, SERVER, Direction, Entry

Schema = dict[str, Any]
#: A payload's model, as it is read or as it is written.
Side = tuple[type[BaseModel], JsonSchemaMode]


class _Terse(GenerateJsonSchema):
    """We send our messages whole: only what may be null can be missing. Titles repeat names."""

    def field_is_required(
        self, field: ModelField | DataclassField | TypedDictField, total: bool
    ) -> bool:
        inner = field["schema"]
        is_set = inner["type"] == "default" and inner.get("default", ...) is not None
        if self.mode == "serialization" and is_set:
            return True
        return super().field_is_required(field, total)

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


@cache
def schema() -> Schema:
    """Shared by all callers: do not change it."""
    sides = list(dict.fromkeys(side for entry in (*CLIENT, *SERVER) for side in _sides(entry)))
    references, document = models_json_schema(sides, by_alias=True, schema_generator=_Terse)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The coach's WebSocket protocol",
        "description": "Every message at /ws. A message with an `id` is answered with that `id`.",
        "anyOf": [{"$ref": "#/clientMessages"}, {"$ref": "#/serverMessages"}],
        "clientMessages": {"oneOf": [_envelope(entry, references) for entry in CLIENT]},
        "serverMessages": {"oneOf": [_envelope(entry, references) for entry in SERVER]},
        "$defs": document["$defs"],
    }


def _envelope(entry: Entry, references: dict[Any, Schema]) -> Schema:
    payloads = [references[side] for side in _sides(entry)]
    required = ["type", "payload"]
    if entry.direction is Direction.TO_CLIENT:
        required.append("timestamp")
    return {
        "type": "object",
        "description": entry.trigger,
        "properties": {
            "type": {"const": entry.type},
            "payload": payloads[0] if len(payloads) == 1 else {"anyOf": payloads},
            "id": {"type": "string", "description": "Chosen by who asks; answers repeat it."},
            "timestamp": {"type": "integer", "description": "Unix time in milliseconds."},
        },
        "required": required,
    }


def _sides(entry: Entry) -> Iterable[Side]:
    mode: JsonSchemaMode = (
        "validation" if entry.direction is Direction.TO_SERVER else "serialization"
    )
    return [(model, mode) for model in entry.models]
