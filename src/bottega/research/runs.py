"""Research runs as the doors use them: started, answered, watched, read and cancelled."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence

from bottega.core.events import Event
from bottega.core.runs import Run, RunEvent, not_ended
from bottega.core.services import Core
from bottega.core.sessions import SessionKind
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, Conflict, InvalidInput, NotFound, TooLarge
from bottega.library.service import LibraryService
from bottega.research.agents.definition import Agent, StageConfig, StageName
from bottega.research.agents.loading import AgentDescription, AgentListing, agent_folders
from bottega.research.pipeline.files import close_run, read_events, read_state
from bottega.research.pipeline.orchestrator import LoadPrior, Orchestrator
from bottega.research.pipeline.orders import KIND, ExitReason, ResearchOrder, ResearchOutcome
from bottega.research.pipeline.plan_talk import Revise
from bottega.research.pipeline.research import StageFunction
from bottega.research.pipeline.state import PipelineState
from bottega.research.sessions.sessions import ResearchSessions

#: Characters.
LONGEST_QUESTION = 20_000
LONGEST_REPLY = 20_000
MOST_DOLLARS = 10_000.0

#: Called with the agent and the user before a run begins, to switch on the sources it requires.
Prepare = Callable[[Agent, str], Awaitable[None]]


class ResearchRuns:
    def __init__(
        self,
        core: Core,
        libraries: LibraryService,
        stages: Mapping[StageName, StageFunction],
        *,
        revise: Revise,
        load_prior: LoadPrior,
        prepare: Prepare | None = None,
        sessions: ResearchSessions | None = None,
    ) -> None:
        self._core = core
        self._libraries = libraries
        self._sessions = sessions or ResearchSessions(core)
        self._prepare = prepare
        self._closing: set[asyncio.Task[None]] = set()
        orchestrator = Orchestrator(core, libraries, stages, revise, load_prior)
        core.runs.register(KIND, orchestrator.research)
        core.bus.on("run.cancelled", self._hear_of_cancelled, own_only=True)

    async def stop(self) -> None:
        """Finish the files of runs that were cancelled."""
        await asyncio.gather(*self._closing)
        await self._sessions.titles.stop()

    async def agents(self) -> list[AgentListing]:
        return await asyncio.to_thread(lambda: agent_folders(self._core).list())

    async def describe_agent(self, slug: str) -> AgentDescription:
        return await asyncio.to_thread(lambda: agent_folders(self._core).describe(slug))

    async def agent(self, slug: str) -> Agent:
        return await asyncio.to_thread(lambda: agent_folders(self._core).load(slug))

    async def start(
        self, order: ResearchOrder, *, user_id: str = LOCAL_USER, session_id: str | None = None
    ) -> Run:
        """Begin a run, in a session of its own if none is given. Nothing begins if it is wrong."""
        order = _checked(order)
        await self._libraries.libraries.get(order.library, user_id)
        agent = await self.agent(order.agent)
        if order.follow_up_of is not None:
            await self._check_followed(order.follow_up_of, user_id)
        if session_id is not None:
            await self._check_session(session_id, user_id)
        if self._prepare is not None:
            await self._prepare(agent, user_id)
        if session_id is None:
            session_id = await self._open_session(order, user_id)
        run_id = await self._core.runs.start(KIND, order, user_id=user_id, session_id=session_id)
        return await self._core.runs.get(run_id)

    async def get(self, run_id: str, user_id: str | None = None) -> Run:
        """With a `user_id`, only if it is that user's."""
        run = await self._core.runs.get(run_id, user_id=user_id)
        if run.kind != KIND:
            raise NotFound(f"There is no research run {run_id!r}.")
        return run

    async def history(self, run_id: str) -> Sequence[RunEvent]:
        """All that has happened in it."""
        return await read_events(self._core, run_id)

    async def planned(self, run: Run) -> Sequence[StageConfig]:
        """The stages of its agent as it is now; none if the agent is gone or broken."""
        try:
            return (await self.agent(ResearchOrder.model_validate(run.input).agent)).config.stages
        except BottegaError:
            return ()

    async def state(self, run_id: str, user_id: str | None = None) -> PipelineState:
        await self.get(run_id, user_id)
        return await read_state(self._core, run_id)

    async def events(
        self, run_id: str, after: int = 0, *, user_id: str | None = None, limit: int = 1000
    ) -> Sequence[RunEvent]:
        await self.get(run_id, user_id)
        return await self._core.runs.events(run_id, after=after, limit=limit)

    async def reply(
        self, run_id: str, text: str, user_id: str | None = None, *, pause_key: str | None = None
    ) -> Run:
        """Answer a paused run; with the pause's key, that pause and no later one.

        Of two replies at once one is taken. The other is told `Conflict` with the run's status, and
        whoever sent it still has it.
        """
        await self.get(run_id, user_id)
        if not text.strip():
            raise InvalidInput("The reply is empty. Say 1 to go on, or what should be different.")
        if len(text) > LONGEST_REPLY:
            raise _too_long("reply", text, LONGEST_REPLY)
        return await self._core.runs.reply(run_id, text, user_id=user_id, pause_key=pause_key)

    async def cancel(self, run_id: str, user_id: str | None = None) -> Run:
        """Stop it for good; what it had found is summarised and kept."""
        await self.get(run_id, user_id)
        run = await self._core.runs.cancel(run_id, user_id=user_id)
        await asyncio.gather(*self._closing)
        return run

    async def answer(self, run_id: str, user_id: str | None = None) -> ResearchOutcome:
        """What the run came to. One that has not ended is a `Conflict`; a failure is raised."""
        run = await self.get(run_id, user_id)
        if not run.status.is_final:
            raise not_ended(run, called="run", lacks="answer")
        outcome: ResearchOutcome = await self._core.runs.result(run_id)
        return outcome

    async def wait_until_settled(self, run_id: str) -> Run:
        """The run when it waits for somebody or has ended."""
        return await self._core.runs.wait(run_id)

    async def _open_session(self, order: ResearchOrder, user_id: str) -> str:
        session = await self._sessions.create(
            user_id=user_id, library=order.library, agent=order.agent
        )
        self._sessions.titles.begin(session.id, order.question)
        return session.id

    async def _check_session(self, session_id: str, user_id: str) -> None:
        session = await self._core.sessions.get(session_id, user_id=user_id)
        if session.kind != SessionKind.RESEARCH:
            raise InvalidInput(
                f"The session {session_id!r} is of the kind {session.kind}. Research needs one of "
                "its own kind: leave it out, and one is opened."
            )
        for run in await self._core.runs.list(kind=KIND, session_id=session_id):
            if not run.status.is_final:
                raise Conflict(
                    f"The run {run.id!r} of this session is {run.status}. Reply to it, wait for "
                    "its end, or cancel it first.",
                    status=run.status,
                    run_id=run.id,
                )

    async def _check_followed(self, run_id: str, user_id: str) -> None:
        run = await self.get(run_id, user_id)
        outcome = ResearchOutcome.model_validate(run.output) if run.output else None
        if outcome is None or outcome.exit_reason is not ExitReason.COMPLETED:
            raise Conflict(
                f"The run {run_id!r} is {run.status} and has no answer to follow up. Follow up one "
                "that was completed, or ask without follow_up_of.",
                status=run.status,
            )

    def _hear_of_cancelled(self, event: Event) -> None:
        if event.payload["kind"] == KIND:
            task = asyncio.create_task(
                close_run(
                    self._core, event.payload["run_id"], event.session_id, ExitReason.CANCELLED
                )
            )
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


def _checked(order: ResearchOrder) -> ResearchOrder:
    question = order.question.strip()
    if not question:
        raise InvalidInput("The question is empty. Ask something that the library can answer.")
    if len(question) > LONGEST_QUESTION:
        raise _too_long("question", question, LONGEST_QUESTION)
    budget = order.budget_usd
    if budget is not None and not (math.isfinite(budget) and 0 <= budget <= MOST_DOLLARS):
        raise InvalidInput(f"A budget of {budget} dollars cannot be kept: give 0 to 10000.")
    return order.model_copy(update={"question": question})


def _too_long(what: str, text: str, most: int) -> TooLarge:
    return TooLarge(
        f"The {what} has {len(text):,} characters, and {most:,} are the most. Nothing was started "
        "and nothing is lost. Ask for the gist of it here, and add long texts to a library.",
        length=len(text),
        limit=most,
    )
