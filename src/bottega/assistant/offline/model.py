"""A model that is none: it plays an agent by the plugin's templates, the same way every time.

It calls tools and answers as a model would, so that hooks, gates, limits and traces are the very
path that a model takes. It keeps nothing between requests: a run that goes on after a crash asks it
only for what is not on record.

Importing this imports Pydantic AI.
"""

import asyncio
import hashlib
import json

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from bottega.assistant.loop.agent_loop import LAST_ANSWER
from bottega.assistant.loop.turn import Turn
from bottega.assistant.offline.answering import Answering
from bottega.assistant.offline.errands import Errand, errands
from bottega.assistant.offline.handing_over import handover
from bottega.assistant.offline.knowledge import gather
from bottega.assistant.offline.playbook import find_changes, find_playbook
from bottega.assistant.offline.situation import is_from_the_loop, look
from bottega.assistant.offline.structured import shape

NAME = "offline"


class OfflineModel(Model):
    def __init__(self, turn: Turn) -> None:
        super().__init__()
        self._turn = turn
        self._agent = turn.agent

    @property
    def model_name(self) -> str:
        return NAME

    @property
    def system(self) -> str:
        return NAME

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        turn, embedder = self._turn, self._turn.core.embedder
        parameters = model_request_parameters
        situation = look(messages, parameters, _instructions(messages, parameters), turn.output)
        playbook = await asyncio.to_thread(find_playbook, turn.plugin, *self._names())
        if situation.prompt != LAST_ANSWER:
            if (transfer := handover(situation, turn.plugin)) is not None:
                return _calls([transfer], messages)
            is_revision = is_from_the_loop(situation.prompt) and bool(turn.output)
            if playbook is not None and not is_revision:
                wanted = await errands(situation, playbook, embedder)
                if wanted:
                    return _calls(wanted, messages)
        changes = await asyncio.to_thread(find_changes, turn.plugin)
        text = await Answering(situation, playbook, changes, embedder).answer()
        if (wanted_shape := parameters.output_object) is not None:
            known = await gather(situation, playbook, embedder)
            output = playbook.meta.output if playbook else {}
            text = json.dumps(shape(wanted_shape.json_schema, text, known, output))
        return _response(TextPart(text))

    def _names(self) -> list[str]:
        """What its playbook may be called: the command, the agent, or a command of the agent's, for
        a session that goes on without one."""
        turn, agent = self._turn, self._agent.name
        own = [each.name for each in turn.plugin.commands.values() if each.meta.agent == agent]
        # After a handover the command is another agent's.
        is_own = turn.command is not None and turn.command.name in own
        return [*([turn.command.name] if turn.command and is_own else []), agent, *own]


def _calls(wanted: list[Errand], messages: list[ModelMessage]) -> ModelResponse:
    return _response(
        *(
            ToolCallPart(each.tool, each.arguments, tool_call_id=_id(each, len(messages)))
            for each in wanted
        )
    )


def _response(*parts: TextPart | ToolCallPart) -> ModelResponse:
    return ModelResponse(
        parts=list(parts),
        model_name=NAME,
        provider_name=NAME,
        finish_reason="tool_call" if isinstance(parts[0], ToolCallPart) else "stop",
    )


def _id(errand: Errand, at: int) -> str:
    """The same call at the same place has the same id."""
    told = f"{at} {errand.tool} {json.dumps(errand.arguments, sort_keys=True)}"
    return f"offline_{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _instructions(messages: list[ModelMessage], parameters: ModelRequestParameters) -> str:
    if parts := parameters.instruction_parts:
        return "\n\n".join(part.content for part in parts)
    told = (each.instructions for each in reversed(messages) if isinstance(each, ModelRequest))
    return next((text for text in told if text), "")
