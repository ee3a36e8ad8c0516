"""A model for agent loops: every request that the loop makes is on the books.

A loop asks the model as often as its tools need, so it cannot be one task of the gateway. What
holds for a task holds here for each request: refused when the budget is spent, priced, in the
ledger and in a span, and failing with an error of our tree.

Importing this imports Pydantic AI: only `Gateway.model` does.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai import exceptions as ai
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings, merge_model_settings

from bottega.core.budgets import Budget
from bottega.core.llm import failures
from bottega.core.llm.books import Entry
from bottega.core.llm.providers import ModelName
from bottega.core.llm.tasks import Usage

#: A block in which one request happens, given what is asked.
Book = Callable[[str], AbstractContextManager[Entry]]


class MeteredModel(WrapperModel):
    def __init__(
        self,
        wrapped: Model,
        name: ModelName,
        call_type: str,
        book: Book,
        budget: Budget | None,
        max_tokens: int,
    ) -> None:
        super().__init__(wrapped)
        self._name = name
        self._call_type = call_type
        self._book = book
        self._budget = budget
        self._max_tokens = max_tokens

    @property
    def settings(self) -> ModelSettings | None:
        """Those of the model, with our limit; an agent's own settings go before both."""
        return merge_model_settings(ModelSettings(max_tokens=self._max_tokens), super().settings)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        with self._metered(messages) as entry:
            reply = await super().request(messages, model_settings, model_request_parameters)
            entry.spend(_usage(reply))
            self._finish(entry, reply)
        return reply

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        with self._metered(messages) as entry:
            async with super().request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                try:
                    yield stream
                finally:
                    # Also when the listener left: what came was paid for.
                    entry.spend(_usage(stream.get()))
            self._finish(entry, stream.get())

    @contextmanager
    def _metered(self, messages: Sequence[ModelMessage]) -> Iterator[Entry]:
        if self._budget is not None:
            self._budget.check()
        with self._book(_told(messages)) as entry:
            try:
                yield entry
            except (ai.AgentRunError, ai.UserError) as error:
                raise failures.explain(error, self._name) from error

    def _finish(self, entry: Entry, reply: ModelResponse) -> None:
        if reply.finish_reason == "content_filter":
            raise failures.refused(reply, self._name, self._call_type)
        entry.answer("".join(part.content for part in reply.parts if isinstance(part, TextPart)))


def _usage(reply: ModelResponse) -> Usage:
    return Usage(reply.usage.input_tokens, reply.usage.output_tokens)


def _told(messages: Sequence[ModelMessage]) -> str:
    """What was asked, without times and ids: the same conversation has the same hash."""
    return "\n".join(
        f"{part.part_kind}: {getattr(part, 'content', None) or getattr(part, 'args', None)}"
        for message in messages
        for part in message.parts
    )
