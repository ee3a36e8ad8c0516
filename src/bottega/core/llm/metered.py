"""A model for agent loops: every request of the loop is priced and logged.

A loop asks the model as often as its tools need, so it cannot be one task of the gateway. What
holds for a task holds here for each request: refused when the budget is spent, priced, in the
ledger and in a span, and failing with an error of our tree.

Importing this imports Pydantic AI: only `Gateway.model` does.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai import exceptions as ai
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings, merge_model_settings

from bottega.core.llm import failures
from bottega.core.llm.costs import Budget, PendingCall
from bottega.core.llm.providers import ModelName
from bottega.core.llm.tasks import Usage

#: A block in which one request happens, given what is asked.
Recorder = Callable[[str], AbstractContextManager[PendingCall]]


class MeteredModel(WrapperModel):
    def __init__(
        self,
        wrapped: Model,
        name: ModelName,
        call_type: str,
        record: Recorder,
        budget: Budget | None,
        max_tokens: int,
        check: Callable[[], Awaitable[None]],
    ) -> None:
        """`check` raises before a request that its payer may not make."""
        super().__init__(wrapped)
        self._check = check
        self._name = name
        self._call_type = call_type
        self._record = record
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
        await self._check()
        with self._metered(messages) as pending:
            reply = await super().request(messages, model_settings, model_request_parameters)
            pending.spend(_usage(reply))
            self._finish(pending, reply)
        return reply

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        await self._check()
        with self._metered(messages) as pending:
            async with super().request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                try:
                    yield stream
                finally:
                    # Also when the listener left: what came was paid for.
                    pending.spend(_usage(stream.get()))
            reply = stream.get()
            # Read to its end, and not by a listener who left: then somebody else cut it.
            is_read = reply.state == "complete" or stream.state == "incomplete"
            if is_read and reply.finish_reason is None:
                raise failures.broken_off(self._name, self._call_type)
            self._finish(pending, reply)

    @contextmanager
    def _metered(self, messages: Sequence[ModelMessage]) -> Iterator[PendingCall]:
        if self._budget is not None:
            self._budget.check()
        with self._record(_asked(messages)) as pending:
            try:
                yield pending
            except (ai.AgentRunError, ai.UserError) as error:
                raise failures.explain(error, self._name) from error

    def _finish(self, pending: PendingCall, reply: ModelResponse) -> None:
        if reply.finish_reason == "content_filter":
            raise failures.refused(reply, self._name, self._call_type)
        if reply.finish_reason == "length":
            raise failures.cut_off(reply, self._name, self._call_type, self._max_tokens)
        pending.answer("".join(part.content for part in reply.parts if isinstance(part, TextPart)))


def _usage(reply: ModelResponse) -> Usage:
    return Usage(reply.usage.input_tokens, reply.usage.output_tokens)


def _asked(messages: Sequence[ModelMessage]) -> str:
    """What was asked, without times and ids: the same conversation has the same hash."""
    return "\n".join(
        f"{part.part_kind}: {getattr(part, 'content', None) or getattr(part, 'args', None)}"
        for message in messages
        for part in message.parts
    )
