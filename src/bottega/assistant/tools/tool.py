"""A built-in tool: a name, what it is for, the shape of its arguments, and what it does."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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

    @property
    def schema(self) -> Mapping[str, Any]:
        return self.arguments.model_json_schema(by_alias=True)

    async def run(self, arguments: dict[str, Any]) -> Any:
        try:
            asked = self.arguments.model_validate(arguments)
        except ValidationError as error:
            raise InvalidInput(f"{self.name}: {_problems(error)}") from None
        return await self.act(asked)


def _problems(error: ValidationError) -> str:
    told = [
        f"{'.'.join(map(str, problem['loc'])) or 'the arguments'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)
    ]
    return "; ".join(told[:5]) + ". Put it right and call it again."
