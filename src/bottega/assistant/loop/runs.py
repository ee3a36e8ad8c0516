"""An assistant's turns as the doors use them: started, answered, watched, read and cancelled."""

import asyncio

from bottega.assistant.loop.hooks import LoopDependencies
from bottega.assistant.loop.models import asked_for, open_model
from bottega.assistant.loop.runner import TurnRunner
from bottega.assistant.sessions.schemas import KIND, AssistantOrder, LoopResult
from bottega.assistant.sessions.service import AssistantSessions
from bottega.conversation.gates import Gate, GateReply
from bottega.conversation.pauses import permission_mode
from bottega.conversation.replies import check_reply
from bottega.conversation.runs import SessionRuns, check_length
from bottega.core.clock import new_id
from bottega.core.llm.costs import Budget
from bottega.core.llm.providers import Provider
from bottega.core.runs import Run
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput

#: Characters.
LONGEST_INPUT = 50_000


class AssistantRuns(SessionRuns[LoopResult]):
    def __init__(
        self, core: Core, dependencies: LoopDependencies, sessions: AssistantSessions | None = None
    ) -> None:
        super().__init__(core, KIND, called="assistant's turn", result="result")
        self._dependencies = dependencies
        self.sessions = sessions or AssistantSessions(core)
        core.runs.register(KIND, TurnRunner(core, dependencies).run)

    async def start(
        self, order: AssistantOrder, *, user_id: str = LOCAL_USER, session_id: str | None = None
    ) -> Run:
        """Begin a turn, in a session of its own if none is given. Nothing begins if it is wrong."""
        order = _with_checked_input(order)
        await self._check_order(order)
        if session_id is None:
            session_id = (await self.sessions.create(order, user_id=user_id)).id
        else:
            await self._check_session(session_id, order, user_id)
        run_id = new_id("run_")
        await self.sessions.claim(session_id, run_id)
        await self._core.runs.start(
            KIND, order, user_id=user_id, session_id=session_id, run_id=run_id
        )
        return await self._core.runs.get(run_id)

    async def gate(self, run_id: str, *, user_id: str | None = None) -> Gate | None:
        """What it waits for the person to answer, if it does."""
        return _gate(await self.get(run_id, user_id=user_id))

    async def reply(self, run_id: str, reply: GateReply, *, user_id: str | None = None) -> Run:
        """Answer what it asks. What the gate does not offer is refused, and the gate stays open."""
        run = await self.get(run_id, user_id=user_id)
        gate = _gate(run)
        if gate is None or run.waiting_for is None:
            raise Conflict(
                f"The turn {run_id!r} is {run.status} and asks nothing.", status=run.status
            )
        checked = check_reply(gate, reply)
        return await self._core.runs.reply(
            run_id,
            checked.model_dump(mode="json"),
            user_id=user_id,
            # The gate that the reply was held against, and no later one.
            pause_key=run.waiting_for["key"],
        )

    async def _check_order(self, order: AssistantOrder) -> None:
        plugin = await self._dependencies.plugin(order.plugin)
        agent = plugin.agent(order.agent)
        if order.command is not None:
            plugin.command(order.command)
        await asyncio.to_thread(self._dependencies.resolve_hooks, agent.meta.hooks, order.hooks)
        permission_mode(order.permission)
        named = asked_for(order, agent.meta)
        if named not in (None, Provider.OFFLINE):
            # A flag that cannot be followed is said at once, not in the middle of a turn.
            await open_model(
                self._core.gateway, order, agent.meta, session_id=None, budget=Budget()
            )

    async def _check_session(self, session_id: str, order: AssistantOrder, user_id: str) -> None:
        view = await self.sessions.get(session_id, user_id=user_id)
        if view.row.plugin != order.plugin:
            raise InvalidInput(
                f"The session {session_id!r} belongs to the plugin {view.row.plugin!r}, not to "
                f"{order.plugin!r}. Go on with that, or leave the session out."
            )


def _with_checked_input(order: AssistantOrder) -> AssistantOrder:
    said = order.input.strip()
    if not said:
        raise InvalidInput("The input is empty. Say what the assistant should do.")
    advice = "Put long texts into a file of the workspace, and name it."
    check_length("input", said, LONGEST_INPUT, advice)
    return order.model_copy(update={"input": said})


def _gate(run: Run) -> Gate | None:
    return Gate.model_validate(run.waiting_for["prompt"]) if run.waiting_for else None
