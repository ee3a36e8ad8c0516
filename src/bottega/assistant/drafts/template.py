"""The template of an answer, filled.

    {topic}  {minutes:starter}       a value
    {if:eal} … {else} … {end}        lines that depend on a flag
    {each:outcomes} … {none} … {end} lines for every item, with its {text}, {code}, {evidence}

What stands in braces and is no value of ours stays as it is. What is filled in is not read again.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_DIRECTIVE = re.compile(r"\s*\{(?:(if|each):([\w-]+)|(else|none|end))\}\s*")
_VALUE = re.compile(r"\{([A-Za-z][\w:+-]*)\}")
_BLANKS = re.compile(r"\n{3,}")

Values = Mapping[str, str]
#: Levels of a schema that are followed.
DEEPEST_SCHEMA = 8


@dataclass(frozen=True, slots=True)
class TemplateData:
    """What a template can be filled with."""

    values: Values = field(default_factory=dict)
    flags: Collection[str] = ()
    lists: Mapping[str, Sequence[Values]] = field(default_factory=dict)


@dataclass(slots=True)
class _Block:
    kind: str
    name: str
    lines: "list[str | _Block]" = field(default_factory=list)
    otherwise: "list[str | _Block]" = field(default_factory=list)
    is_otherwise: bool = False

    def add(self, line: "str | _Block") -> None:
        (self.otherwise if self.is_otherwise else self.lines).append(line)


def fill(template: str, known: TemplateData) -> str:
    lines = _render(_parse(template).lines, known, known.values)
    return _BLANKS.sub("\n\n", "\n".join(lines)).strip() + "\n"


def names_in(template: str) -> set[str]:
    """The values, `if:` flags and `each:` lists that it uses, as they are written."""
    found = {match[1] for match in _VALUE.finditer(template)}
    return found - {"else", "none", "end"}


def _parse(template: str) -> _Block:
    open_blocks = [_Block("all", "")]
    for line in template.split("\n"):
        directive = _DIRECTIVE.fullmatch(line)
        if directive is None:
            open_blocks[-1].add(line)
        elif directive[1]:
            block = _Block(directive[1], directive[2])
            open_blocks[-1].add(block)
            open_blocks.append(block)
        elif directive[3] != "end":
            open_blocks[-1].is_otherwise = True
        elif len(open_blocks) > 1:
            open_blocks.pop()
    return open_blocks[0]


def _render(
    lines: "Sequence[str | _Block]", known: TemplateData, values: Values, deeper: int = 8
) -> Iterator[str]:
    for line in lines:
        if isinstance(line, str):
            yield _VALUE.sub(lambda found: values.get(found[1], found[0]), line)
        elif not deeper:
            continue
        elif line.kind == "if":
            chosen = line.lines if line.name in known.flags else line.otherwise
            yield from _render(chosen, known, values, deeper - 1)
        elif items := known.lists.get(line.name):
            for item in items:
                yield from _render(line.lines, known, {**values, **item}, deeper - 1)
        else:
            yield from _render(line.otherwise, known, values, deeper - 1)


def shape(
    schema: Mapping[str, Any], text: str, known: TemplateData, output: Mapping[str, Any]
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


def _filled(spec: Any, known: TemplateData, schema: Mapping[str, Any]) -> Any:  # any JSON
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
        _filled(fields, TemplateData({**known.values, **item}, known.flags, known.lists), {})
        for item in items
    ]
    return filled[: schema.get("maxItems", len(filled))]


def _is_texts(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "array" and schema.get("items", {}).get("type") == "string"


def _fitting(schema: Mapping[str, Any], text: str, deeper: int = DEEPEST_SCHEMA) -> Any:  # any JSON
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
