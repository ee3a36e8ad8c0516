"""What a hostile caller sends: values that fit a JSON schema, nearly fit, or do not at all."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

DEEP = 400
STRINGS: Sequence[str] = (
    *("", " ", "\x00", "a\x00b", "\ud800", "\udfff\ud800", "\u202e", "\ufeff", "\u2028", "é" * 300),
    *("𝕏" * 100, "A" * 20_000, "word " * 2_000, "\r\nSet-Cookie: a=b", "\t\n", "\x1b[2J", "\x7f"),
    *("../../../etc/passwd", "/etc/passwd", "..", ".", "/", "\\\\host\\share", "CON", "a/" * 600),
    *(".env", ".git/config", "%2e%2e%2f", "%00", "%", "file:///etc/passwd", "http://127.0.0.1:1/"),
    *("http://[::1", "//", "javascript:alert(1)", "data:,", "ftp://x", "http://\x00", "http://é.é"),
    *("'; DROP TABLE runs; --", '"', "'", "NEAR(", "a AND", "*", "NOT", "a:b", "(", "col:*", "^a"),
    *("{{7*7}}", "${jndi:ldap://x}", "%s%n", "{0}", "__class__", "$(id)", "`id`", "-rf", "--help"),
    *("(a+)+$", "[", "\\", "(?P<", "a{99999999}", "0", "-1", "1e999", "NaN", "null", "true", "[]"),
    *("2026-13-45", "0001-01-01T00:00:00-14:00", "9999-12-31T23:59:59.999999-14:00", "24:00"),
    *("+1000000000-01-01", "1969", "P1Y", "now", "2026-02-30T00:00:00Z", "America/Nowhere", "UTC"),
    *("local", "owner", "run_0", "mem_0", "0" * 32, "kept.py", "python", "x@y", "<b>&amp;</b>"),
)
NUMBERS: Sequence[float | int] = (
    *(0, 1, -1, 2, 7, 100, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64),
    *(-(2**63) - 1, 10**40, 1e308, -1e308, 5e-324, 0.1, -0.0, 1.5, float("nan"), float("inf")),
)
KEYS: Sequence[str] = ("", "__proto__", "$ref", "id", "type", "a.b", "\x00", "é", "x" * 500, "0")

Schema = Mapping[str, Any]


class HostileValues:
    def __init__(self, random_: random.Random, definitions: Mapping[str, Schema]) -> None:
        self._random = random_
        self._definitions = definitions

    def of(self, schema: Schema, depth: int = 0) -> Any:
        """By the schema in two of three cases."""
        if depth > 6 or self._random.random() < 0.2:
            return self.anything()
        if "$ref" in schema:
            name = str(schema["$ref"]).rpartition("/")[2]
            return self.of(self._definitions.get(name, {}), depth + 1)
        for name in ("anyOf", "oneOf", "allOf"):
            if schema.get(name):
                return self.of(self._random.choice(schema[name]), depth + 1)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._random.choice(schema["enum"])
        return self._of_type(schema, depth)

    def anything(self) -> Any:
        chosen = self._random.randrange(12)
        if chosen < 6:
            return self.string()
        if chosen < 8:
            return self._random.choice(NUMBERS)
        if chosen == 8:
            return self._random.choice((None, True, False, [], {}))
        if chosen == 9:
            return {self._random.choice(KEYS): self.string() for _ in range(3)}
        if chosen == 10:
            return [self._random.choice(NUMBERS) for _ in range(self._random.randrange(50))]
        return deep(self._random.randrange(2, DEEP), self._random.random() < 0.5)

    def string(self) -> str:
        first = self._random.choice(STRINGS)
        return first if self._random.random() < 0.8 else first + self._random.choice(STRINGS)

    def _of_type(self, schema: Schema, depth: int) -> Any:
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = self._random.choice(kind)
        match kind:
            case "string":
                return self.string()
            case "integer":
                least = schema.get("minimum", 0)
                return self._random.choice((int(least), int(least) + 1, 1, 5, *NUMBERS[:9]))
            case "number":
                return self._random.choice((schema.get("minimum", 0), 0.5, 1.0, *NUMBERS))
            case "boolean":
                return self._random.random() < 0.5
            case "null":
                return None
            case "array":
                items = schema.get("items") or {}
                number = self._random.choice((0, 1, 1, 2, 30))
                return [self.of(items, depth + 1) for _ in range(number)]
            case "object":
                return self._object(schema, depth)
        return self.anything()

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        required = set(schema.get("required", ()))
        made = {
            name: self.of(field, depth + 1)
            for name, field in schema.get("properties", {}).items()
            if self._random.random() < (0.97 if name in required else 0.4)
        }
        if self._random.random() < 0.05:
            made[self._random.choice(KEYS)] = self.anything()
        return made


def deep(levels: int, is_list: bool) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value] if is_list else {"a": value}
    return value
