"""The protocol as one JSON Schema document (2020-12), for clients that are not ours.

Every message of the coach: its payload, who sends it when, and where the specification had two
ways to say it (`messages.toml`).

The document at `/api/coach/protocol`, the reference page and the web app's types are made from
this list. A client's payloads are the arguments of the operations that its messages ask for.
"""

import builtins
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core.core_schema import DataclassField, ModelField, TypedDictField

from bottega.coach.editor.schemas import Outgoing
from bottega.coach.operations import DOMAINS
from bottega.core import wire
from bottega.core.operations import operations_of

TEXTS = Path(__file__).with_name("messages.toml")

Models = dict[str, list[type[BaseModel]]]


class Direction(StrEnum):
    TO_SERVER = "client to server"
    TO_CLIENT = "server to client"


@dataclass(frozen=True, slots=True)
class ProtocolMessage:
    type: str
    #: One, or the several shapes that its payload may have.
    models: tuple[builtins.type[BaseModel], ...]
    direction: Direction
    #: Who sends it when.
    trigger: str
    #: Where spellings differed, and what was chosen.
    note: str = ""


def _client_models() -> Models:
    operations = [each for domain in DOMAINS for each in operations_of(domain)]
    sent = {said.type: [each.arguments] for each in operations for said in each.messages}
    return {"connection:hello": [wire.Hello], **sent}


def _server_models() -> Models:
    models: Models = defaultdict(list)
    models["connection:init"], models["connection:error"] = [wire.Init], [wire.Problem]
    for model in sorted(_outgoing(Outgoing), key=lambda model: model.__name__):
        models[model.type].append(model)
    return models


def _outgoing(model: type[Outgoing]) -> Iterator[type[Outgoing]]:
    """The models that carry a type of their own: a view may be made from a message, and is none."""
    for each in model.__subclasses__():
        if "type" in vars(each):
            yield each
        yield from _outgoing(each)


def _read(side: str, models: Models, direction: Direction) -> tuple[ProtocolMessage, ...]:
    texts = tomllib.loads(TEXTS.read_text(encoding="utf-8"))[side]
    return tuple(
        ProtocolMessage(models=tuple(models[each["type"]]), direction=direction, **each)
        for each in texts
    )


CLIENT = _read("client", _client_models(), Direction.TO_SERVER)
SERVER = _read("server", _server_models(), Direction.TO_CLIENT)
MESSAGES = (*CLIENT, *SERVER)


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


def _envelope(entry: ProtocolMessage, references: dict[Any, Schema]) -> Schema:
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


def _sides(entry: ProtocolMessage) -> Iterable[Side]:
    mode: JsonSchemaMode = (
        "validation" if entry.direction is Direction.TO_SERVER else "serialization"
    )
    return [(model, mode) for model in entry.models]
