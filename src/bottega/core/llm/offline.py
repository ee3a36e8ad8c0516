"""The provider that is no provider: answers worked out by the task's own code.

It is a real mode: no key, no network, and every task still does its job as well as deterministic
code can. Its calls stand in the ledger as `offline`, free, and its answers say what they are.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from pydantic import BaseModel

from bottega.core.llm.tasks import Out, Task

In = TypeVar("In")


async def work_out(task: Task[In, Out], input: In) -> Out:
    if inspect.iscoroutinefunction(task.offline):
        return await cast("Callable[[In], Awaitable[Out]]", task.offline)(input)
    # It may rank or read at length: not on the loop.
    return await asyncio.to_thread(cast("Callable[[In], Out]", task.offline), input)


def as_text(output: BaseModel | str) -> str:
    """An answer in the form in which a model would have streamed it."""
    return output if isinstance(output, str) else output.model_dump_json()
