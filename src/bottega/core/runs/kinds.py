"""A kind of run: its name, its function, and the models that go in and come out."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, ValidationError

from bottega.core.runs.context import RunContext
from bottega.errors import InvalidInput

In = TypeVar("In", bound=BaseModel)
Out = TypeVar("Out", bound=BaseModel | None)

Body = Callable[[RunContext, In], Awaitable[Out]]


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    body: Callable[[RunContext, Any], Awaitable[BaseModel | None]]
    input: type[BaseModel]
    output: type[BaseModel] | None

    def check(self, given: BaseModel | Mapping[str, Any]) -> BaseModel:
        if isinstance(given, self.input):
            return given
        try:
            return self.input.model_validate(given)
        except ValidationError as error:
            wrong = "; ".join(
                f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()
            )
            raise InvalidInput(f"Wrong input for a {self.name!r} run: {wrong}.") from None


def make_kind(name: str, body: Body[In, Out]) -> Kind:
    """Read the models off the function: `async def f(run: RunContext, input: In) -> Out`."""
    hints = get_type_hints(body)
    parameters = [hints.get(parameter) for parameter in inspect.signature(body).parameters]
    output = hints.get("return", Any)
    if output is type(None):
        output = None
    if (
        len(parameters) != 2
        or not _is_model(parameters[1])
        or not (output is None or _is_model(output))
    ):
        raise TypeError(
            f"The run kind {name!r} must be `async def f(run: RunContext, input: Model) -> Model`, "
            f"with pydantic models; it is {inspect.signature(body)}."
        )
    return Kind(name, body, parameters[1], output)  # type: ignore[arg-type]


def _is_model(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, BaseModel)
