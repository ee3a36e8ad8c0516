"""A built-in tool: a name, what it is for, the shape of its arguments, and what it does.

`built` makes one of a function, whose docstring is what the model reads of it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bottega.core.text.words import one_line
from bottega.errors import InvalidInput


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Path = Annotated[str, Field(max_length=4096)]
Text = Annotated[str, Field(max_length=4_000_000)]

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class BuiltTool(Generic[A]):
    """What the loop calls an `AgentTool`."""

    name: str
    description: str
    arguments: type[A]
    act: Callable[[A], Awaitable[Any]]
    #: A call is one durable step, unless it asks the person or changes the turn.
    in_step: bool = True
    #: What an argument may be, where that is known only now.
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def schema(self) -> Mapping[str, Any]:
        schema = self.arguments.model_json_schema(by_alias=True)
        for name, choices in self.choices.items():
            schema["properties"][name]["enum"] = list(choices)
        return schema

    async def run(self, arguments: dict[str, Any]) -> Any:
        try:
            asked = self.arguments.model_validate(arguments)
        except ValidationError as error:
            raise InvalidInput(f"{self.name}: {_problems(error)}") from None
        return await self.act(asked)


def built(act: Callable[[A], Awaitable[Any]], *, in_step: bool = True) -> BuiltTool[A]:
    """By its name, its docstring and the model that it takes."""
    [asked] = [hint for name, hint in get_type_hints(act).items() if name != "return"]
    return BuiltTool(act.__name__, one_line(act.__doc__ or ""), asked, act, in_step)


def _problems(error: ValidationError) -> str:
    told = [
        f"{'.'.join(map(str, problem['loc'])) or 'the arguments'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)
    ]
    return "; ".join(told[:5]) + ". Put it right and call it again."
