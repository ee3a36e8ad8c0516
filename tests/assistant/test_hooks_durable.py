"""Hooks with people in them, in real runs: pauses that last, and answers that count."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bottega.assistant.guardrails.names import find_names
from bottega.assistant.hooks.registry import HookRegistry
from bottega.assistant.hooks.surroundings import HookDependencies
from bottega.assistant.loop.hooks import Hook, Revision
from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.assistant.memory_files.paths import MemoryAccess
from bottega.assistant.memory_files.service import MemoryFiles
from bottega.assistant.sessions.schemas import LoopStatus
from bottega.conversation.gates import GateKind
from bottega.conversation.replies import read_reply
from bottega.core.llm.testing.scripted import Step
from bottega.core.runs import Run, RunStatus
from bottega.core.users import LOCAL_USER
from tests.assistant.builders import write_files
from tests.assistant.hook_turns import CLASS_3B, DRAFT
from tests.assistant.loop_app import PLUGIN, LoopApp, open_loop

PEOPLE = ["feedforward", "reflection-prompt", "teacher-adjudication", "memory-capture"]
REVISED = DRAFT.replace("10 minutes", "5 minutes").replace("Pairs", "Smoothed pairs")
#: At each gate of a turn, what the person types.
TYPED = ["26 pupils now", "", "revise 1: shorter", "", "yes"]
GATES = [
    GateKind.FEEDFORWARD,
    GateKind.REFLECTION,
    GateKind.ADJUDICATION,
    GateKind.ADJUDICATION,
    GateKind.MEMORY_CAPTURE,
]


class Guardrail(Hook):
    """Notes what it is given to judge."""

    name = "guardrail"

    def __init__(self) -> None:
        self.judged: list[str] = []

    async def post_loop(self, turn: Turn) -> Revision | None:
        self.judged.append(turn.output)
        return None


@asynccontextmanager
async def open_people_house(
    root: Path, *steps: Step, max_turns: int = 25
) -> AsyncIterator[LoopApp]:
    """Without a model but for the agent's own, which says the steps."""
    write_files(root / "plugins" / PLUGIN / "workspace", {"classes/3B.md": CLASS_3B})
    async with open_loop(root, *steps) as app:
        files = MemoryFiles(app.core.database, app.core.traces)
        registry = HookRegistry(HookDependencies(MemoryNotebook(files), find_names))
        for hook in (Guardrail(), *registry.resolve(PEOPLE)):
            app.hook(hook)
        app.agent(hooks=["guardrail", *PEOPLE], maxTurns=max_turns)
        yield app


async def start(app: LoopApp) -> Run:
    return await app.settled(await app.start("a lesson on iteration for 3B", provider="offline"))


async def type_in(app: LoopApp, run: Run, line: str) -> Run:
    gate = await app.runs.gate(run.id)
    assert gate is not None
    await app.runs.reply(run.id, read_reply(gate, line))
    return await app.settled(run)


async def remembered(app: LoopApp) -> str:
    files = MemoryFiles(app.core.database, app.core.traces)
    return await files.entrypoint("3B", MemoryAccess(LOCAL_USER))


async def kinds(app: LoopApp, run: Run, type: str) -> Sequence[str]:
    return [e.payload["kind"] for e in await app.events(run.id) if e.type == type]


@pytest.mark.requirement("AS-225", "AS-273", "AS-239")
async def test_a_whole_turn_with_a_person_in_it(tmp_path: Path) -> None:
    """Every gate is a pause, told before and after. AS-273: a revision goes through every
    postLoop hook again, within the turn's limits. AS-239: a correction is in the prompt.
    """
    async with open_people_house(tmp_path, DRAFT, REVISED) as app:
        run = await start(app)
        for line, kind in zip(TYPED, GATES, strict=True):
            assert run.status is RunStatus.PAUSED
            assert run.waiting_for is not None
            assert run.waiting_for["reason"] == kind
            run = await type_in(app, run, line)
        result = await app.runs.result(run.id)
        assert result.status is LoopStatus.SUCCESS
        assert result.turns == 2
        # The starter is the new one, and the accepted section is not smoothed.
        assert result.text == DRAFT.replace("10 minutes", "5 minutes")
        guardrail = app.hooks["guardrail"]
        assert isinstance(guardrail, Guardrail)
        assert guardrail.judged == [DRAFT, REVISED]
        assert await kinds(app, run, "gate") == GATES
        assert await kinds(app, run, "gate_answered") == GATES
        assert "26 pupils now" in app.turns[0].additions["feedforward"]
        assert "rather than 10" in await remembered(app)
        session_id = str(run.session_id)
        decisions = await app.runs.sessions.decisions(session_id, user_id=LOCAL_USER)
        assert [row.kind for row in decisions if row.kind != "reflection"] == [
            "feedforward",
            *["adjudication"] * 4,
            *["memory_capture"] * 2,
        ]


@pytest.mark.requirement("AS-273")
async def test_a_revision_has_only_the_limits_that_remain(tmp_path: Path) -> None:
    """A turn of one model call has none left for another draft; the draft is not lost."""
    async with open_people_house(tmp_path, DRAFT, REVISED, max_turns=1) as app:
        run = await start(app)
        for line in TYPED[:3]:
            run = await type_in(app, run, line)
        result = await app.runs.result(run.id)
        assert result.status is LoopStatus.MAX_TURNS
        assert result.text == DRAFT


@pytest.mark.requirement("AS-227", "AS-290")
async def test_a_person_who_never_answers_holds_up_nothing_and_loses_nothing(
    tmp_path: Path,
) -> None:
    """At every gate the house is closed and opened again; each gate still asks,
    what was answered counts, and no model is asked and nothing remembered twice.
    """
    scripts: list[list[Step]] = [[], [DRAFT], [], [REVISED], [], []]
    run: Run | None = None
    for line, kind, script in zip([None, *TYPED], [None, *GATES], scripts, strict=True):
        async with open_people_house(tmp_path, *script) as app:
            if run is None:
                run = await start(app)
                continue
            await app.core.runs.recover()
            gate = await app.runs.gate(run.id)
            assert gate is not None
            assert gate.kind is kind
            run = await type_in(app, run, line or "")
            if run.status is RunStatus.COMPLETED:
                result = await app.runs.result(run.id)
                assert result.text == DRAFT.replace("10 minutes", "5 minutes")
                assert result.turns == 2
                assert await kinds(app, run, "gate") == GATES
                session_id = str(run.session_id)
                rows = await app.runs.sessions.decisions(session_id, user_id=LOCAL_USER)
                decided = [(row.kind, row.decision) for row in rows if row.kind != "reflection"]
                assert decided == [
                    ("feedforward", "modify"),
                    ("adjudication", "revise"),
                    ("adjudication", "accept"),
                    ("adjudication", "accept"),
                    ("adjudication", "accept"),
                    ("memory_capture", "confirm"),
                    ("memory_capture", "confirm"),
                ]
                assert (await remembered(app)).count("rather than 10") == 1
                spans = await app.spans(result.trace_id)
                outcomes = [
                    span.attributes["bottega.hook.outcome"]
                    for span in spans
                    if span.name == "hook feedforward"
                ]
                assert outcomes[0] == "interrupted"
                assert outcomes[-1] == "pass"
    assert run is not None
    assert run.status is RunStatus.COMPLETED
