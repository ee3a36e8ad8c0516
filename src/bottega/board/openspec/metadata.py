"""`.openspec.yaml`, the small print of a change.

Read as YAML 1.2, as the CLI does: `yes` is a word there and `2026-11-15` is text, not a date.
"""

import re
from datetime import date
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

FILE_NAME = ".openspec.yaml"
#: The schema that the CLI brings with it, and what a change without metadata follows.
DEFAULT_SCHEMA = "spec-driven"
#: Far more than anybody writes; the parser's time grows with the square of brackets in brackets.
MAX_CHARACTERS = 16 * 1024
MAX_BRACKETS = 200

Words = Annotated[str, Field(min_length=1)]
Kebab = Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$")]


class Initiative(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    store: Kebab
    id: Kebab


class ChangeMetadata(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)

    #: Which workflow the change's files follow.
    schema_: Words = Field(alias="schema")
    created: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    goal: Words | None = None
    affected_areas: list[Words] | None = None
    initiative: Initiative | None = None
    #: The change alters no behaviour, so it may come without delta specs.
    skip_specs: bool | None = None
    #: Archiving may delete a capability's spec when its last requirement is removed.
    retire_capabilities: bool | None = None


class MetadataError(ValueError):
    """The file is not what the CLI accepts. `marks_no_specs`: it seems to set `skip_specs`, which
    then does not count."""

    def __init__(self, line: int | None, message: str, *, marks_no_specs: bool) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
        self.marks_no_specs = marks_no_specs


class _Loader(yaml.SafeLoader):
    """SafeLoader with the words that YAML 1.2 knows: true, false, null and numbers."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", ["t", "T", "f", "F"]),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", list("-+0123456789")),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), _first
    )

_MARK = re.compile(r"^\s*(['\"]?)skip_specs\1\s*:", re.MULTILINE)


def parse_metadata(text: str) -> ChangeMetadata:
    data = _read_yaml(text)
    if not isinstance(data, dict):
        raise MetadataError(None, "must be lines of `key: value`", marks_no_specs=False)
    try:
        return ChangeMetadata.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        marks = data.get("skip_specs", False) is not False
        message = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise MetadataError(None, message, marks_no_specs=marks) from None


def _read_yaml(text: str) -> Any:
    """Any, because a person may have written anything."""
    if len(text) > MAX_CHARACTERS:
        raise _not_yaml(text, None, f"over {MAX_CHARACTERS:,} characters")
    if text.count("[") + text.count("{") > MAX_BRACKETS:
        raise _not_yaml(text, None, f"over {MAX_BRACKETS} brackets")
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise _not_yaml(text, line, error.problem or error.context or "") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _not_yaml(text, None, str(error).partition("\n")[0]) from None


def render_metadata(created: date, *, skip_specs: bool) -> str:
    text = f"schema: {DEFAULT_SCHEMA}\ncreated: {created.isoformat()}\n"
    return text + "skip_specs: true\n" if skip_specs else text


def with_specs(text: str) -> str:
    """The same without the mark that the change has no delta specs."""
    return "".join(line for line in text.splitlines(keepends=True) if not _MARK.match(line))


def _not_yaml(text: str, line: int | None, why: str) -> MetadataError:
    marks = _MARK.search(text[:MAX_CHARACTERS]) is not None
    return MetadataError(line, f"not valid YAML: {why}", marks_no_specs=marks)
