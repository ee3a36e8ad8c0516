"""An agent's `outputSchema`: asked for in the provider's own way, and checked here.

Importing this imports Pydantic AI.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic_ai import NativeOutput, PromptedOutput, StructuredDict
from pydantic_ai.models import Model
from pydantic_ai.output import OutputSpec


def output_type(model: Model, schema: Mapping[str, Any] | None) -> OutputSpec[Any]:
    if schema is None:
        return str
    shape = StructuredDict(dict(schema), name="answer")
    if model.profile.get("supports_json_schema_output"):
        return NativeOutput(shape)
    return PromptedOutput(shape)


def misfit(schema: Mapping[str, Any], value: object) -> str | None:
    """How the value fails the schema, in words for the model; `None` if it fits."""
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
    from jsonschema.exceptions import best_match  # type: ignore[import-untyped]

    error = best_match(Draft202012Validator(schema).iter_errors(value))
    if error is None:
        return None
    place = "".join(f"[{step!r}]" for step in error.absolute_path) or "the answer"
    return f"It does not fit the outputSchema at {place}: {error.message}"


def misfit_of_text(schema: Mapping[str, Any], text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return "It does not fit the outputSchema: it is not even JSON."
    return misfit(schema, value) or "It does not fit the outputSchema."
