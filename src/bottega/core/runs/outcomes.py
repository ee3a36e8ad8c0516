"""What a step came to, as JSON: a value by its declared type, or an error of our tree.

A step's outcome is read back after a crash, so the first time too the run gets what was written
down, never the object that the step had in hand: a run that works once works on every replay.
The stored form is plain JSON that anyone may look at, and nothing in it names code to load.
"""

import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, get_type_hints

from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from bottega import errors
from bottega.errors import BottegaError


class StepFailed(BottegaError):
    """A step raised an error that is not of our tree."""

    type = "step_failed"


_BY_TYPE: dict[str, type[BottegaError]] = {
    error.type: error
    for error in (*vars(errors).values(), StepFailed)
    if inspect.isclass(error) and issubclass(error, BottegaError)
}


def describe(error: Exception) -> dict[str, Any]:
    if isinstance(error, BottegaError):
        details = to_jsonable_python(error.details, fallback=str)
        return {"type": error.type, "message": error.message, "details": details}
    return {
        "type": StepFailed.type,
        "message": f"{type(error).__name__}: {error}",
        "details": {},
    }


def restore(error: dict[str, Any]) -> BottegaError:
    kind = _BY_TYPE.get(error["type"], StepFailed)
    return kind(error["message"], **error["details"])


def unforeseen(error: Exception) -> Exception | None:
    """The error, if its traceback belongs in the log: those of our tree say all in a sentence."""
    return None if isinstance(error, BottegaError) else error


def adapter_of(type_: Any) -> TypeAdapter[Any]:
    try:
        return _cached_adapter(type_)
    except TypeError:  # an annotation that cannot be hashed
        return TypeAdapter(type_)


@functools.lru_cache(maxsize=512)
def _cached_adapter(type_: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type_)


def result_type(function: Callable[..., Any]) -> Any:
    """What the function is annotated to give; without an annotation, plain JSON."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    # Of all hints only this one: what stands under TYPE_CHECKING for an argument cannot be found,
    # and would make plain JSON of every result.
    given = {"return": getattr(function, "__annotations__", {}).get("return", Any)}
    names = getattr(function, "__globals__", {})
    return get_type_hints(SimpleNamespace(__annotations__=given), names)["return"]
