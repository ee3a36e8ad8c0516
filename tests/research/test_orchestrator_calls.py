"""The calls of a stage: durable, paid once, shown as substeps, over the provider's real wire."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.core.events import Event
from bottega.core.llm.testing import LoopbackApi, Received
from bottega.core.runs import RunStatus
from bottega.research.agents.definition import Depth, StageName
from bottega.research.agents.folders import SHIPPED
from bottega.research.pipeline.schemas import ExitReason
from bottega.research.sessions.files import session_folder
from tests.research.orchestration import Script, ScriptedResearch, open_scripted_research

#: What the model costs for a million tokens in, and out.
PRICE_IN, PRICE_OUT = 3.0, 15.0
TASKS = ("plan", "write", "calibrate", "revise")


def prompt_of(request: Received) -> str:
    return str(request.body["messages"][0]["content"][0]["text"])


def asks(task: str) -> Callable[[Received], bool]:
    """For a reply that is meant for one task's calls."""
    return lambda request: prompt_of(request).startswith(f"{task}: ")


def asked(api: LoopbackApi, *tasks: str) -> list[Received]:
    """The calls that stages made; a title is asked for beside them."""
    return [each for each in api.requests if any(asks(task)(each) for task in tasks or TASKS)]


async def substeps_of(research: ScriptedResearch, run_id: str) -> list[dict[str, Any]]:
    events = await research.runs.history(run_id)
    return [event.payload for event in events if event.type == "substep"]


@pytest.mark.requirement("RS-136", "RS-137")
async def test_calls_are_substeps_under_their_stage(tmp_path: Path) -> None:
    """Ids are unique, and nest under the stage and the iteration that made the call.

    RS-137: each call is told when it starts and when it is done, also those made together.
    """
    async with open_scripted_research(
        tmp_path, Script(passes=[False, True], searches=5)
    ) as research:
        run = await research.finish()
        substeps = await substeps_of(research, run.id)
        numbers = [int(each["id"].removeprefix(f"orch-{run.id}-")) for each in substeps]
        pairs = Counter(numbers)
        assert sorted(pairs) == list(range(1, 11))
        types: dict[int, list[str]] = {}
        for number, each in zip(numbers, substeps, strict=True):
            types.setdefault(number, []).append(each["type"])
        assert Counter(map(tuple, types.values())) == {
            ("llm_start", "llm_complete"): 3,
            ("mcp_start", "mcp_result"): 7,
        }
        parents = {each["parent"].removeprefix(f"orch-{run.id}-") for each in substeps}
        assert parents == {"s0-0", "s2-0", "s3-0", "s4-0", "s3-1", "s4-1"}
        stages = await research.events(run, "stage_started")
        assert {each["parent"] for each in substeps} <= {event.payload["id"] for event in stages}
        searched = [each for each in substeps if each["tool"] == "orch_kb_search"]
        for each in searched:
            number = next(s["input"]["query"][-1] for s in searched if s["id"] == each["id"])
            if each["type"] == "mcp_result":
                assert each["result"] == f"1 found: paragraph {number}"


@pytest.mark.requirement("RS-135")
async def test_text_is_shown_while_it_comes_and_is_not_stored(tmp_path: Path) -> None:
    """Deltas pass by on the bus; the finished call keeps the whole."""
    heard: list[Event] = []
    async with LoopbackApi() as api:
        text = "The dues are five marks a night for every boat."
        api.reply(json={"text": text}, when=asks("write"))
        async with open_scripted_research(tmp_path, api=api) as research:
            research.app.core.bus.on("run.delta", heard.append)
            run = await research.finish(depth=Depth.QUICK)
            events = await research.events(run)
            [done] = [
                event.payload
                for event in events
                if event.payload.get("type") == "llm_complete" and event.payload["stage"] == 3
            ]
            pieces = [e.payload["text"] for e in heard if e.payload["substep"] == done["id"]]
            assert len(pieces) > 3
            assert json.loads("".join(pieces)) == json.loads(done["result"]) == {"text": text}
            assert {event.user_id for event in heard} == {run.user_id}
            assert not [event for event in events if event.type == "delta"]
            await research.app.core.bus.flush()
            assert all(not event.durable for event in heard)


@pytest.mark.requirement("RS-132")
async def test_prose_around_json_is_read(tmp_path: Path) -> None:
    """The object is found, and nothing is asked twice."""
    async with LoopbackApi() as api:
        api.reply(text='Sure!\n```json\n{"text": "five marks",}\n```', when=asks("write"))
        async with open_scripted_research(tmp_path, api=api) as research:
            run = await research.finish(depth=Depth.QUICK)
            assert (await research.runs.result(run.id)).markdown == "# five marks"
            assert len(asked(api)) == 2


@pytest.mark.requirement("RS-133")
async def test_prose_instead_of_json_is_asked_for_once_more(tmp_path: Path) -> None:
    """With the schema spelled out; both calls are shown and paid for."""
    async with LoopbackApi() as api:
        api.reply(text="I would rather talk.", when=asks("write"), usage=(1_000_000, 0))
        api.reply(json={"text": "five marks"}, when=asks("write"), usage=(0, 1_000_000))
        async with open_scripted_research(tmp_path, api=api) as research:
            run = await research.finish(depth=Depth.QUICK, budget_usd=100)
            outcome = await research.runs.result(run.id)
            assert outcome.markdown == "# five marks"
            first, again = map(prompt_of, asked(api, "write"))
            assert again.startswith(first)
            assert "I would rather talk." in again
            assert '"required": ["text"]' in again
            calls = [
                each
                for each in await substeps_of(research, run.id)
                if each["type"] == "llm_complete" and each["stage"] == 3
            ]
            assert [(each["is_error"], each["cost"]) for each in calls] == [
                (True, PRICE_IN),
                (False, PRICE_OUT),
            ]
            assert (await research.runs.state(run.id)).costs[3] == PRICE_IN + PRICE_OUT
            assert outcome.cost > PRICE_IN + PRICE_OUT


@pytest.mark.requirement("RS-134")
async def test_a_model_that_never_gives_json_fails_the_run_with_a_clear_word(
    tmp_path: Path,
) -> None:
    """After the second time; what was done before is kept."""
    async with LoopbackApi() as api:
        api.reply(text="Let me think about it.", when=asks("write"), times=9)
        async with open_scripted_research(tmp_path, api=api) as research:
            run = await research.finish(depth=Depth.QUICK)
            assert run.status is RunStatus.FAILED
            assert run.error is not None
            assert run.error["message"].startswith("The model was asked write twice and gave no")
            assert len(asked(api)) == 3
            state = await research.runs.state(run.id)
            assert (state.completed_stages, state.exit_reason) == ((0, 1, 2), ExitReason.ERROR)


@pytest.mark.requirement("RS-139")
async def test_a_provider_s_trouble_is_tried_again_and_a_refusal_is_not(tmp_path: Path) -> None:
    """Once more than the SDK itself tries; what is final fails at once."""
    async with LoopbackApi() as api:
        api.reply(status=529, when=asks("plan"), times=3, headers={"retry-after-ms": "1"})
        api.reply(json={"text": "planned"}, when=asks("plan"))
        api.reply(text="I will not.", stop_reason="refusal", when=asks("write"), usage=(10, 10))
        async with open_scripted_research(tmp_path, api=api) as research:
            run = await research.finish(depth=Depth.QUICK)
            assert len(asked(api)) == 3 + 1 + 1
            assert run.error is not None
            assert run.error["type"] == "model_refusal"
            state = await research.runs.state(run.id)
            assert state.completed_stages == (0, 1, 2)
            # A refusal is paid for as well.
            assert state.costs[3] == (10 * PRICE_IN + 10 * PRICE_OUT) / 1_000_000


@pytest.mark.requirement("RS-123")
async def test_costs_are_told_by_stage(tmp_path: Path) -> None:
    """Tokens and dollars of each, and of the whole."""
    async with LoopbackApi() as api:
        api.reply(json={"text": "a"}, when=asks("plan"), usage=(100_000, 1_000))
        api.reply(json={"text": "b"}, when=asks("write"), usage=(200_000, 2_000))
        async with open_scripted_research(tmp_path, api=api) as research:
            run = await research.finish(depth=Depth.QUICK)
            completed = await research.events(run, "stage_completed")
            assert [
                (e.payload["input_tokens"], e.payload["output_tokens"], round(e.payload["cost"], 6))
                for e in completed
            ] == [
                (100_000, 1_000, 0.315),
                (0, 0, 0),
                (0, 0, 0),
                (200_000, 2_000, 0.63),
                (0, 0, 0),
                (0, 0, 0),
            ]
            assert all(event.payload["duration_ms"] >= 0 for event in completed)
            assert round((await research.runs.result(run.id)).cost, 6) == 0.945
            assert round((await research.runs.state(run.id)).cost, 6) == 0.945


@pytest.mark.requirement("RS-124", "RS-125")
async def test_a_run_stops_when_its_money_is_spent(tmp_path: Path) -> None:
    """The next call is refused before it is made; state and summary are kept.

    RS-125: the order's budget counts, else the agent's ten dollars; none at all allows no call.
    """
    async with LoopbackApi() as api:
        api.reply(json={"text": "a"}, when=asks("plan"), usage=(1_000_000, 0), times=1)
        api.reply(json={"text": "a"}, when=asks("plan"), usage=(4_000_000, 0), times=1)
        async with open_scripted_research(tmp_path, api=api) as research:
            for budget, spent, calls in ((2.0, 3.0, 1), (None, 12.0, 2), (0.0, 0.0, 2)):
                run = await research.finish(depth=Depth.QUICK, budget_usd=budget)
                assert run.error is not None
                assert run.error["type"] == "budget_exceeded"
                assert f"${spent:.4f} so far" in run.error["message"]
                assert len(asked(api)) == calls
                assert run.session_id is not None
                folder = session_folder(research.app.core.choices.data_dir, run.session_id)
                summary = json.loads(folder.summary.read_text())
                assert (summary["wasPartial"], summary["exitReason"]) == (True, "error")
                assert summary["completedStages"] == ([0, 1, 2] if spent else [])


@pytest.mark.requirement("RS-197")
async def test_what_tools_pay_for_models_counts_as_well(tmp_path: Path) -> None:
    """A model that a tool asks is paid from the run's budget, and stops it when spent."""
    async with LoopbackApi() as api:
        api.reply(json={"text": "a"}, when=asks("plan"), usage=(0, 0))
        api.reply(json={"text": "a"}, when=asks("write"), usage=(0, 0))
        api.reply(json={"text": "a"}, when=asks("write"), usage=(1_000_000, 0))
        script = Script(passes=[False, True])
        async with open_scripted_research(tmp_path, script, api=api) as research:
            script.judge = research.app.core.gateway
            run = await research.finish(budget_usd=2.0)
            assert run.error is not None
            assert run.error["type"] == "budget_exceeded"
            told = [each for each in await substeps_of(research, run.id) if each.get("cost")]
            assert [(each["tool"], each["cost"]) for each in told] == [
                ("orch_citation_verify", 3.0)
            ]


@pytest.mark.requirement("RS-194")
async def test_what_was_paid_is_known_after_a_restart(tmp_path: Path) -> None:
    """Costs are added up from the steps on record, so no restart gives fresh money."""
    async with LoopbackApi() as api:
        api.reply(json={"text": "a"}, when=asks("plan"), usage=(1_000_000, 0))
        async with open_scripted_research(tmp_path, api=api) as research:
            run = await research.settled(await research.start(depth=Depth.QUICK, budget_usd=2.0))
        async with open_scripted_research(tmp_path, api=api) as research:
            await research.app.core.runs.recover()
            run = await research.say(run, "1")
            assert run.error is not None
            assert "The budget of $2.0000 is spent: $3.0000 so far." in run.error["message"]
            assert len(asked(api)) == 1


@pytest.mark.requirement("RS-125")
async def test_offline_costs_nothing_and_needs_no_budget(tmp_path: Path) -> None:
    """A budget of nothing is enough where nothing is paid."""
    async with open_scripted_research(tmp_path) as research:
        run = await research.finish(budget_usd=0.0)
        assert (run.status, (await research.runs.result(run.id)).cost) == (RunStatus.COMPLETED, 0)


@pytest.mark.requirement("RS-141", "RS-140")
async def test_an_agent_chooses_model_thinking_and_window(tmp_path: Path) -> None:
    """Its model and thinking are used for what needs an able model.

    RS-140: a prompt that would not fit its window is refused before it is paid for.
    """
    config = json.loads((SHIPPED / "deep-research" / "config.json").read_text())
    for stage in config["stages"]:
        stage.pop("prompt", None)
    config["orchestrator"] = {
        "model": "anthropic:claude-opus-4-6",
        "thinking": "high",
        "contextWindow": 8_000,
    }
    folder = tmp_path / "data" / "agents" / "mine"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "AGENT.md").write_text("---\nname: Mine\ndescription: For tests.\n---\n")
    async with LoopbackApi() as api, open_scripted_research(tmp_path, api=api) as research:
        api.reply(json={"text": "five marks"}, when=asks("write"))
        run = await research.finish(agent="mine", depth=Depth.QUICK)
        assert run.status is RunStatus.COMPLETED
        assert {request.body["model"] for request in asked(api)} == {"claude-opus-4-6"}
        assert all("thinking" in request.body for request in asked(api))

        run = await research.finish(agent="mine", question="Why? " * 4_000)
        assert run.error is not None
        assert run.error["type"] == "too_large"
        assert "the agent's context window has 8000" in run.error["message"]
        assert len(asked(api)) == 2
        assert research.script.names[-1] is StageName.ANALYZE


@pytest.mark.requirement("RS-138")
async def test_what_is_large_is_cut_where_it_is_shown(tmp_path: Path) -> None:
    """Events hold the beginning of long inputs and results, the run the whole."""
    async with LoopbackApi() as api:
        api.reply(json={"text": "x" * 30_000}, when=asks("write"))
        async with open_scripted_research(tmp_path, api=api) as research:
            run = await research.finish(depth=Depth.QUICK)
            substeps = await substeps_of(research, run.id)
            assert max(len(each.get("result", "")) for each in substeps) == 20_000
            assert len((await research.runs.result(run.id)).markdown) == 30_002
