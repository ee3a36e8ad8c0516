"""Arguments as a client sent them, checked; what is wrong is said so that a model can mend it.

The SDK answers bad arguments with bare text. Ours are an `InvalidInput` like any other, which
names each field, what it was, and what it could have been.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bottega.core.rooms import In, Tool
from bottega.core.text.words import shorten, shown
from bottega.errors import InvalidInput

MAX_PROBLEMS = 5
#: With the ellipsis.
MAX_SHOWN = 61


def check_arguments(tool: Tool[In], arguments: Mapping[str, Any]) -> In:
    model = tool.arguments
    # A name nobody reads is a slip of the caller; silence would hide it.
    extra: Literal["forbid"] | None = (
        None if model.model_config.get("extra") == "allow" else "forbid"
    )
    try:
        return model.model_validate(arguments, extra=extra)
    except ValidationError as error:
        raise InvalidInput(f"{tool.name}: {_explain(error, model)}") from None


def argument_names(model: type[BaseModel]) -> list[str]:
    """The names that callers use: aliases where a field has one."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _explain(error: ValidationError, model: type[BaseModel]) -> str:
    details = error.errors(include_url=False)
    problems = [_problem(detail, model) for detail in details[:MAX_PROBLEMS]]
    if len(details) > MAX_PROBLEMS:
        problems.append(f"and {len(details) - MAX_PROBLEMS} more")
    return "; ".join(problems)


def _problem(detail: ErrorDetails, model: type[BaseModel]) -> str:
    field = _path(detail["loc"])
    match detail["type"]:
        case "missing":
            return f"`{field}` is missing"
        case "extra_forbidden":
            return f"`{field}` is not an argument{_suggest(detail['loc'], model)}"
        case "enum" | "literal_error":
            options = detail.get("ctx", {}).get("expected", "")
            return f"`{field}` is {shown(detail['input'], MAX_SHOWN)}; valid options: {options}"
    message = detail["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    if not detail["loc"]:
        return message
    return f"`{field}` is {shown(detail['input'], MAX_SHOWN)}; {message}"


def _suggest(loc: tuple[int | str, ...], model: type[BaseModel]) -> str:
    if len(loc) != 1:
        return " there"
    names = argument_names(model)
    if not names:
        return "; this tool takes none"
    near = get_close_matches(str(loc[0]), names, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    return f"{hint}; valid arguments: {', '.join(names)}"


def _path(loc: tuple[int | str, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return shorten(path.lstrip("."), MAX_SHOWN)
