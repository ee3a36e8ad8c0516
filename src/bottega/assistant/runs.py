"""An assistant's turns as the doors use them: started, answered, watched, read and cancelled."""

import asyncio
from collections.abc import Sequence

from bottega.assistant.gates.gate import Gate, GateReply
from bottega.assistant.gates.replies import check_reply
from bottega.assistant.loop.models import asked_for, open_model
from bottega.assistant.loop.parts import Parts
from bottega.assistant.loop.runner import TurnRunner
from bottega.assistant.orders import KIND, AssistantOrder, LoopResult
from bottega.assistant.sessions import AssistantSessions
from bottega.core.budgets import Budget
from bottega.core.ids import new_id
from bottega.core.llm.providers import Provider
from bottega.core.permissions import PermissionMode
from bottega.core.runs import Run, RunEvent, not_ended
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput, NotFound, TooLarge

#: Characters.
LONGEST_INPUT = 50_000


class AssistantRuns:
    def __init__(self, core: Core, parts: Parts, sessions: AssistantSessions | None = None) -> None:
        self._core = core
        self._parts = parts
        self.sessions = sessions or AssistantSessions(core)
        core.runs.register(KIND, TurnRunner(core, parts).run)

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

    async def get(self, run_id: str, *, user_id: str | None = None) -> Run:
        """With a `user_id`, only if it is that user's."""
        run = await self._core.runs.get(run_id, user_id=user_id)
        if run.kind != KIND:
            raise NotFound(f"There is no assistant's turn {run_id!r}.")
        return run

    async def gate(self, run_id: str, *, user_id: str | None = None) -> Gate | None:
        """What it waits for the person to answer, if it does."""
        return _gate(await self.get(run_id, user_id=user_id))

    async def events(
        self, run_id: str, *, user_id: str | None = None, after: int = 0, limit: int = 1000
    ) -> Sequence[RunEvent]:
        await self.get(run_id, user_id=user_id)
        return await self._core.runs.events(run_id, after=after, limit=limit)

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

    async def cancel(self, run_id: str, *, user_id: str | None = None) -> Run:
        """Stop it for good; what the person said stays in the conversation."""
        await self.get(run_id, user_id=user_id)
        return await self._core.runs.cancel(run_id, user_id=user_id)

    async def wait_until_settled(self, run_id: str) -> Run:
        """The run when it waits for somebody or has ended."""
        return await self._core.runs.wait(run_id)

    async def result(self, run_id: str, *, user_id: str | None = None) -> LoopResult:
        """What it came to. One that has not ended is a `Conflict`; a failure is raised."""
        run = await self.get(run_id, user_id=user_id)
        if not run.status.is_final:
            raise not_ended(run, called="turn", lacks="result")
        result: LoopResult = await self._core.runs.result(run_id)
        return result

    async def _check_order(self, order: AssistantOrder) -> None:
        plugin = await self._parts.plugin(order.plugin)
        agent = plugin.agent(order.agent)
        if order.command is not None:
            plugin.command(order.command)
        await asyncio.to_thread(self._parts.resolve_hooks, agent.meta.hooks, order.hooks)
        if order.permission not in tuple(PermissionMode):
            raise InvalidInput(
                f"There is no permission mode {order.permission!r}.",
                valid_options=sorted(PermissionMode),
            )
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
    if len(said) > LONGEST_INPUT:
        raise TooLarge(
            f"The input has {len(said):,} characters, and {LONGEST_INPUT:,} are the most. Put long "
            "texts into a file of the workspace, and name it.",
            length=len(said),
            limit=LONGEST_INPUT,
        )
    return order.model_copy(update={"input": said})


def _gate(run: Run) -> Gate | None:
    return Gate.model_validate(run.waiting_for["prompt"]) if run.waiting_for else None
