"""Reading a source's `config.json`: checked, with the line and column of what is wrong.

Unlike other documents it may hold a secret in the wrong place, so no message repeats a value.
"""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bottega.core.documents import DocumentError, KeyPath, Problem
from bottega.core.documents.json_document import read_json
from bottega.core.documents.problems import place
from bottega.research.sources.definition import AnyConfig, Auth, HttpConfig, StdioConfig

_MODELS: Mapping[str, type[AnyConfig]] = {"stdio": StdioConfig, "http": HttpConfig}


def parse_config(text: str, path: str | Path) -> AnyConfig:
    """Raises `DocumentError` with every problem found."""
    data, positions = read_json(text, path)
    model = _MODELS.get(str(data.get("type")))
    if model is None:
        at = place(positions, ("type",))
        raise DocumentError(path, Problem(*at, "'type' says how it is reached: 'stdio' or 'http'"))
    try:
        return model.model_validate(data)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        problems = (Problem(*place(positions, it["loc"]), _explain(it, model)) for it in details)
        raise DocumentError(path, *problems) from None


def _explain(detail: ErrorDetails, model: type[AnyConfig]) -> str:
    where = detail["loc"]
    name = ".".join(str(part) for part in where)
    if detail["type"] == "missing":
        return f"missing key {name!r}"
    if detail["type"] == "extra_forbidden":
        known = _keys(model, where)
        close = difflib.get_close_matches(str(where[-1]), known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
        return f"unknown key {name!r}; {hint}"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{name}: {message}" if name else message


def _keys(model: type[AnyConfig], where: KeyPath) -> Sequence[str]:
    fields = Auth.model_fields if where[:-1] == ("auth",) else model.model_fields
    return [info.alias or name for name, info in fields.items()]
