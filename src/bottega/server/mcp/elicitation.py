"""Tool calls whose result asks a person something, for clients that can show a form.

What is asked waits in the database before anybody is asked: the tool made it so. An answer goes on
from dataclasses import dataclass
from there; none, whether refused, too late or cut off, leaves everything as it is, and the tool's
result is what a client without forms gets. A question is put to a person once: whoever asks for
the state of a run again and again does not open a form each time.

A client with a session is asked while its call waits. A stateless one gets the question as the
answer to its call, and calls again with what the person said.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import orjson
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from pydantic import ValidationError

from bottega.core.rooms import Asking, Caller, Question
from bottega.errors import Conflict, InvalidInput
from bottega.server.mcp.arguments import check_arguments
from bottega.server.mcp.calls import CallResult, ToolCalls
from bottega.server.mcp.catalog import RoomTool
from bottega.server.mcp.requests import Context, is_stateless

#: Questions that are remembered as put.
MOST_REMEMBERED = 1_000
#: The one form in an answer to a stateless client.
FORM = "answer"
#: In the place of an answer: nobody waits for one any more.
CLOSED = object()


class Refused:
    """Questions that a person did not want, or did not get to."""

    def __init__(self) -> None:
        self._states: dict[str, None] = {}

    def __contains__(self, state: str) -> bool:
        return state in self._states

    def add(self, state: str) -> None:
        self._states[state] = None
        while len(self._states) > MOST_REMEMBERED:
            del self._states[next(iter(self._states))]


@dataclass(slots=True)
class AskingCall:
    """One call of a tool that may ask."""

    found: RoomTool
    asking: Asking
    context: Context
    params: CallToolRequestParams
    caller: Caller
    refused: Refused
    patience: float
    #: What a stateless client is asked in the place of the result.
    left_open: Question | None = None

    async def run(self, calls: ToolCalls) -> CallResult | InputRequiredResult:
        work = self._step if is_stateless(self.context) else self._converse
        arguments = self.params.arguments or {}
        found = self.found
        result = await calls.run(
            found.room, found.tool, arguments, self.caller, work, granted_as=found.granted_as
        )
        if self.left_open is None:
            return result
        return InputRequiredResult(
            input_requests={FORM: _form(self.left_open)}, request_state=_state(self.left_open)
        )

    async def _converse(self) -> Any:
        """Call, and ask until nothing is asked any more or nobody answers."""
        asked = check_arguments(self.found.tool, self.params.arguments or {})
        result = await self.found.tool.run(asked, self.caller)
        while (question := self._question(asked, result)) is not None:
            outcome = await self._put(question)
            if outcome is CLOSED:
                result = await self.asking.current(question.about, self.caller)
            elif isinstance(outcome, ElicitResult) and outcome.action == "accept":
                result = await self._answer(question.about, outcome.content or {})
            else:
                self.refused.add(_state(question))
        return result

    async def _step(self) -> Any:
        """Call, or go on with what the person said to the question of the call before."""
        asked = check_arguments(self.found.tool, self.params.arguments or {})
        state = self.params.request_state
        if state is None:
            result = await self.found.tool.run(asked, self.caller)
        else:
            result = await self._go_on(state)
        self.left_open = self._question(asked, result)
        return result

    async def _go_on(self, state: str) -> Any:
        about = _about(state, self.asking.names)
        reply = (self.params.input_responses or {}).get(FORM)
        if isinstance(reply, ElicitResult) and reply.action == "accept":
            return await self._answer(about, reply.content or {})
        self.refused.add(state)
        return await self.asking.current(about, self.caller)

    def _question(self, asked: Any, result: Any) -> Question | None:
        question = self.asking.question(asked, result)
        return None if question is None or _state(question) in self.refused else question

    async def _answer(self, about: Mapping[str, str], form: Mapping[str, Any]) -> Any:
        filled = {name: value for name, value in form.items() if value not in (None, "")}
        try:
            return await self.asking.answer(about, filled, self.caller)
        except InvalidInput as error:
            raise InvalidInput(
                f"{error.message} Nothing is lost: the question is still open.",
                **{**error.details, **about},
            ) from None
        except Conflict:
            # Answered at another door meanwhile: the result says how.
            return await self.asking.current(about, self.caller)

    async def _put(self, question: Question) -> ElicitResult | object | None:
        """What the person said, if anything; `CLOSED` if somebody answered at another door."""
        outcome: ElicitResult | object | None = CLOSED
        async with anyio.create_task_group() as tasks:

            async def give_up_when_closed() -> None:
                await self.asking.closed(question.about, self.caller)
                tasks.cancel_scope.cancel()

            tasks.start_soon(give_up_when_closed)
            outcome = await self._elicit(question)
            tasks.cancel_scope.cancel()
        return outcome

    async def _elicit(self, question: Question) -> ElicitResult | None:
        related = ServerMessageMetadata(related_request_id=self.context.request_id)
        try:
            return await self.context.session.send_request(
                _form(question), ElicitResult, self.patience, related
            )
        except (MCPError, ValidationError):
            # Too late, cut off, or a client that cannot after all: as if it had not been asked.
            return None


def _form(question: Question) -> ElicitRequest:
    return ElicitRequest(
        params=ElicitRequestFormParams(message=question.message, requested_schema=question.form)
    )


def _state(question: Question) -> str:
    return orjson.dumps(question.about, option=orjson.OPT_SORT_KEYS).decode()


def _about(state: str, names: Collection[str]) -> dict[str, str]:
    """What a client gave back. It names what its user may answer anyway, and nothing else."""
    try:
        about = orjson.loads(state)
    except orjson.JSONDecodeError:
        about = None
    if (
        not isinstance(about, dict)
        or about.keys() != set(names)
        or not all(isinstance(value, str) for value in about.values())
    ):
        raise InvalidInput("The request state is not one that this server gave out.")
    return about
