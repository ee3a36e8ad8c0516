"""Research that is killed: it goes on, and no finished call is paid twice."""

import asyncio
import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bottega.core.llm.testing import LoopbackApi, Received
from tests.processes import warm
from tests.research.crashing import PLACES, question_for

HOME = Path(__file__).parents[2]
PATIENCE = 90


async def process(root: Path, api: LoopbackApi, what: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(*warm(), "-m", "tests.research.crashing", str(root), api.url, what),
        cwd=HOME,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=2**24,
    )


def is_for(place: str, prompt: str) -> Any:
    def accepts(request: Received) -> bool:
        text = str(request.body["messages"][0]["content"])
        return question_for(place) in text and prompt in text

    return accepts


def calls_of(api: LoopbackApi, place: str) -> dict[str, int]:
    """How often the stages of a run asked the model what; a title is asked for beside them."""
    texts = [str(request.body["messages"][0]["content"]) for request in api.requests]
    mine = [text for text in texts if question_for(place) in text]
    kinds = Counter(
        "repair" if "again 1" in text else "write" if "write: " in text else "plan"
        for text in mine
        if "plan: " in text or "write: " in text
    )
    return dict(kinds)


async def kill_when_held(killed: asyncio.subprocess.Process, api: LoopbackApi) -> None:
    assert killed.stdout is not None
    assert killed.stderr is not None
    waits = {"held search", "held pause", "held output"}
    # Two are held in their first call, one in its second, one in its third; and six titles.
    expected = len(PLACES) * 2 + 4
    try:
        async with asyncio.timeout(PATIENCE):
            while waits:
                line = await killed.stdout.readline()
                if not line:
                    pytest.fail((await killed.stderr.read()).decode())
                waits.discard(line.decode().strip())
            await api.received(expected)
    finally:
        killed.send_signal(signal.SIGKILL)
        await killed.communicate()


@pytest.mark.requirement("RS-192", "RS-193")
async def test_runs_killed_at_every_kind_of_place_go_on_and_pay_nothing_twice(
    tmp_path: Path,
) -> None:
    """Kill -9 in a model's call, a tool, a pause, a repair and the last stage.

    RS-193: after it every event and every substep is there once.
    """
    async with LoopbackApi() as api:
        for place, prompt in (("plan", "plan: "), ("write", "write: "), ("repair", "again 1")):
            api.reply(json={"text": "too late"}, hold=asyncio.Event(), when=is_for(place, prompt))
        api.reply(json={"text": "five marks"}, times=1_000)
        await kill_when_held(await process(tmp_path, api, "hold"), api)

        finisher = await process(tmp_path, api, "finish")
        async with asyncio.timeout(PATIENCE):
            out, errors = await finisher.communicate()
        ended = [json.loads(line) for line in out.decode().splitlines() if line.startswith("{")]
        assert [run["status"] for run in ended] == ["completed"] * len(PLACES), errors.decode()

        # Only what was in flight when the process died is asked again.
        once = {"plan": 1, "write": 1}
        assert {place: calls_of(api, place) for place in PLACES} == {
            "plan": {"plan": 2, "write": 1},
            "search": once,
            "pause": once,
            "write": {"plan": 1, "write": 2},
            "repair": {"plan": 1, "write": 1, "repair": 2},
            "output": once,
        }
        for run in ended:
            check_events(run["events"], is_repaired="repair" in run["question"])


def check_events(events: list[dict[str, Any]], *, is_repaired: bool) -> None:
    assert [event["position"] for event in events] == list(range(1, len(events) + 1))
    of = {
        kind: [event["payload"] for event in events if event["type"] == kind]
        for kind in ("stage_started", "stage_completed", "substep", "recovered", "pause_message")
    }
    stages = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), *([(3, 1), (4, 1)] * is_repaired), (5, 0)]
    for kind in ("stage_started", "stage_completed"):
        assert [(each["stage"], each["iteration"]) for each in of[kind]] == stages
    told = Counter((each["id"], each["type"]) for each in of["substep"])
    assert set(told.values()) == {1}
    # A plan, two searches, a text, its judgement and a file; two more for a repair.
    numbers = {int(identifier.rpartition("-")[2]) for identifier, _ in told}
    assert numbers == set(range(1, 7 + 2 * is_repaired))
    assert len(of["recovered"]) == 1
