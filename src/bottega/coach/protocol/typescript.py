"""The protocol's document as TypeScript types, for the web app."""

import json

from bottega.core.typescript import Schema, definition, type_of

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
