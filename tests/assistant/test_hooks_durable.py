"""Hooks with people in them, in real runs: pauses that last, and answers that count."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bottega.assistant.gates.gate import GateKind
from bottega.assistant.gates.replies import read_reply
from bottega.assistant.hooks.hook import Hook, Revision
from bottega.assistant.hooks.names import find_names
from bottega.assistant.hooks.parts import HookParts
from bottega.assistant.hooks.registry import HookRegistry
from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files.access import Access
from bottega.assistant.memory_files.files import MemoryFiles
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.assistant.orders import LoopStatus
from bottega.core.llm.testing.scripted import Step
from bottega.core.runs import Run, RunStatus
from bottega.core.users import LOCAL_USER
from tests.assistant.hook_house import CLASS_3B, DRAFT
from tests.assistant.house import write_files
from tests.assistant.loop_house import PLUGIN, LoopHouse, open_loop_house

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
) -> AsyncIterator[LoopHouse]:
    """Without a model but for the agent's own, which says the steps."""
    write_files(root / "plugins" / PLUGIN / "workspace", {"classes/3B.md": CLASS_3B})
    async with open_loop_house(root, *steps) as house:
        files = MemoryFiles(house.core.database, house.core.traces)
        registry = HookRegistry(HookParts(MemoryNotebook(files), find_names))
        for hook in (Guardrail(), *registry.resolve(PEOPLE)):
            house.hook(hook)
        house.agent(hooks=["guardrail", *PEOPLE], maxTurns=max_turns)
        yield house


async def start(house: LoopHouse) -> Run:
    return await house.settled(
        await house.start("a lesson on iteration for 3B", provider="offline")
    )


async def type_in(house: LoopHouse, run: Run, line: str) -> Run:
    gate = await house.runs.gate(run.id)
    assert gate is not None
    await house.runs.reply(run.id, read_reply(gate, line))
    return await house.settled(run)


async def remembered(house: LoopHouse) -> str:
    files = MemoryFiles(house.core.database, house.core.traces)
    return await files.entrypoint("3B", Access(LOCAL_USER))


async def kinds(house: LoopHouse, run: Run, type: str) -> Sequence[str]:
    return [e.payload["kind"] for e in await house.events(run.id) if e.type == type]


async def test_a_whole_turn_with_a_person_in_it(tmp_path: Path) -> None:
    """AS-225: every gate is a pause, told before and after. AS-273: a revision goes through every
    postLoop hook again, within the turn's limits. AS-239: a correction is in the prompt.
    """
    async with open_people_house(tmp_path, DRAFT, REVISED) as house:
        run = await start(house)
        for line, kind in zip(TYPED, GATES, strict=True):
            assert run.status is RunStatus.PAUSED
            assert run.waiting_for is not None
            assert run.waiting_for["reason"] == kind
            run = await type_in(house, run, line)
        result = await house.runs.result(run.id)
        assert result.status is LoopStatus.SUCCESS
        assert result.turns == 2
        # The starter is the new one, and the accepted section is not smoothed.
        assert result.text == DRAFT.replace("10 minutes", "5 minutes")
        guardrail = house.hooks["guardrail"]
        assert isinstance(guardrail, Guardrail)
        assert guardrail.judged == [DRAFT, REVISED]
        assert await kinds(house, run, "gate") == GATES
        assert await kinds(house, run, "gate_answered") == GATES
        assert "26 pupils now" in house.turns[0].additions["feedforward"]
        assert "rather than 10" in await remembered(house)
        session_id = str(run.session_id)
        decisions = await house.runs.sessions.decisions(session_id, user_id=LOCAL_USER)
        assert [row.kind for row in decisions if row.kind != "reflection"] == [
            "feedforward",
            *["adjudication"] * 4,
            *["memory_capture"] * 2,
        ]


async def test_a_revision_has_only_the_limits_that_remain(tmp_path: Path) -> None:
    """AS-273: a turn of one model call has none left for another draft; the draft is not lost."""
    async with open_people_house(tmp_path, DRAFT, REVISED, max_turns=1) as house:
        run = await start(house)
        for line in TYPED[:3]:
            run = await type_in(house, run, line)
        result = await house.runs.result(run.id)
        assert result.status is LoopStatus.MAX_TURNS
        assert result.text == DRAFT


async def test_a_person_who_never_answers_holds_up_nothing_and_loses_nothing(
    tmp_path: Path,
) -> None:
    """AS-227, AS-290: at every gate the house is closed and opened again; each gate still asks,
    what was answered counts, and no model is asked and nothing remembered twice.
    """
    scripts: list[list[Step]] = [[], [DRAFT], [], [REVISED], [], []]
    run: Run | None = None
    for line, kind, script in zip([None, *TYPED], [None, *GATES], scripts, strict=True):
        async with open_people_house(tmp_path, *script) as house:
            if run is None:
                run = await start(house)
                continue
            await house.core.runs.recover()
            gate = await house.runs.gate(run.id)
            assert gate is not None
            assert gate.kind is kind
            run = await type_in(house, run, line or "")
            if run.status is RunStatus.COMPLETED:
                result = await house.runs.result(run.id)
                assert result.text == DRAFT.replace("10 minutes", "5 minutes")
                assert result.turns == 2
                assert await kinds(house, run, "gate") == GATES
                session_id = str(run.session_id)
                rows = await house.runs.sessions.decisions(session_id, user_id=LOCAL_USER)
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
                assert (await remembered(house)).count("rather than 10") == 1
                spans = await house.spans(result.trace_id)
                outcomes = [
                    span.attributes["bottega.hook.outcome"]
                    for span in spans
                    if span.name == "hook feedforward"
                ]
                assert outcomes[0] == "interrupted"
                assert outcomes[-1] == "pass"
    assert run is not None
    assert run.status is RunStatus.COMPLETED
