"""A stage's calls outside of a run: made at once, paid when they are made, shown nowhere."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from bottega.core.llm.tasks import Task
from bottega.core.services import Core

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DirectCalls:
    core: Core
    session_id: str

    @property
    def offline(self) -> bool:
        return self.core.gateway.mode.offline

    async def ask(self, task: Task[In, Out], input: In, *, max_tokens: int = 4096) -> Out:
        return await self.core.gateway.run(
            task, input, retry=True, session_id=self.session_id, max_tokens=max_tokens
        )

    async def tool(
        self,
        name: str,
        function: Callable[[], Awaitable[T]],
        *,
        input: Mapping[str, Any],
        shown: Callable[[T], str],
        result: type[T],
    ) -> T:
        return await function()

    async def status(self, message: str) -> None:
        pass
