"""Hooks by name, and what happens when they run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from bottega.assistant.hooks.registry import HookRegistry
from bottega.assistant.loop.hooks import (
    METHODS,
    Hook,
    HookAbort,
    HookSubject,
    Revision,
    SubagentCall,
    ToolUse,
    run_hooks,
)
from bottega.assistant.loop.turn import Turn
from bottega.assistant.plugins.catalogue import HOOKS
from bottega.assistant.sessions.schemas import Point
from bottega.conversation.tools import Handoff
from bottega.core.runs.context import describe, restore
from bottega.core.traces import SpanStatus
from bottega.errors import BudgetExceeded, InvalidInput
from tests.assistant.hook_turns import open_turn


class Noting(Hook):
    name = "noting"

    async def pre_loop(self, turn: Turn) -> None:
        turn.note(self.name, "Seen.")


class Refusing(Hook):
    name = "refusing"

    async def pre_loop(self, turn: Turn) -> None:
        raise HookAbort(self.name, "That is not for us.")


class Broken(Hook):
    name = "broken"

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def pre_loop(self, turn: Turn) -> None:
        raise self._error


class Revising(Hook):
    name = "revising"

    async def post_loop(self, turn: Turn) -> Revision | None:
        return Revision("Shorter.")


class Everywhere(Hook):
    name = "everywhere"

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def pre_loop(self, turn: Turn) -> None:
        self.seen.append("preLoop")

    async def post_loop(self, turn: Turn) -> Revision | None:
        self.seen.append("postLoop")
        return None

    async def pre_model(self, turn: Turn) -> None:
        self.seen.append("preModel")

    async def post_model(self, turn: Turn) -> None:
        self.seen.append("postModel")

    async def pre_tool(self, turn: Turn, use: ToolUse) -> None:
        self.seen.append(f"preTool {use.name}")

    async def post_tool(self, turn: Turn, use: ToolUse) -> None:
        self.seen.append(f"postTool {use.result}")

    async def on_handoff(self, turn: Turn, transfer: Handoff) -> None:
        self.seen.append(f"onHandoff {transfer.to_agent}")

    async def on_subagent_start(self, turn: Turn, call: SubagentCall) -> None:
        self.seen.append(f"onSubagentStart {call.agent}")

    async def on_subagent_end(self, turn: Turn, call: SubagentCall) -> None:
        self.seen.append(f"onSubagentEnd {call.summary}")


@asynccontextmanager
async def registry(root: Path, *more: type[Hook]) -> AsyncIterator[HookRegistry]:
    async with open_turn(root) as app:
        yield HookRegistry(app.parts, {hook.name: hook for hook in more})


@pytest.mark.requirement("AS-201")
async def test_the_agents_hooks_come_first_and_the_callers_after_them(tmp_path: Path) -> None:
    """Merge order, each hook once, and fresh ones for every turn."""
    async with registry(tmp_path, Noting, Refusing) as known:
        own = ["memory-capture", "feedforward"]
        hooks = known.resolve(own, ["noting", "feedforward", "refusing"])
        assert [hook.name for hook in hooks] == [*own, "noting", "refusing"]
        assert all(new is not old for new, old in zip(known.resolve(own), hooks, strict=False))


@pytest.mark.requirement("AS-202")
async def test_an_unknown_hook_is_refused_with_its_place_and_the_nearest_name(
    tmp_path: Path,
) -> None:
    """Whether the agent's file names it or the caller."""
    async with registry(tmp_path) as known:
        with pytest.raises(InvalidInput, match=r"Number 2 of the agent's hooks.*'feedforward'\?"):
            known.resolve(["memory-capture", "feedfoward"])
        with pytest.raises(InvalidInput, match=r"Number 1 of the caller's hooks") as refused:
            known.resolve([], ["spelling"])
        assert "teacher-adjudication" in refused.value.details["valid_options"]


@pytest.mark.requirement("AS-211")
async def test_every_hook_that_a_plugin_may_name_can_be_found(tmp_path: Path) -> None:
    """Validation and the loop know the same hooks."""
    async with registry(tmp_path) as known:
        assert set(known.names) == HOOKS


@pytest.mark.requirement("AS-203")
async def test_a_hook_runs_at_each_of_the_nine_points_that_it_has_something_for(
    tmp_path: Path,
) -> None:
    """With the call, transfer or subagent that the point is about."""
    hook = Everywhere()
    subjects: dict[Point, HookSubject] = {
        Point.PRE_TOOL: ToolUse("read_file", {}),
        Point.POST_TOOL: ToolUse("read_file", {}, result="text"),
        Point.ON_HANDOFF: Handoff("planner", "reviewer", {}),
        Point.ON_SUBAGENT_START: SubagentCall("reviewer", "look"),
        Point.ON_SUBAGENT_END: SubagentCall("reviewer", "look", "fine"),
    }
    async with open_turn(tmp_path) as app:
        for point in Point:
            await run_hooks(point, [hook, Noting()], app.turn, subjects.get(point))
        assert hook.seen == [
            "preLoop",
            "postLoop",
            "preModel",
            "postModel",
            "preTool read_file",
            "postTool text",
            "onHandoff reviewer",
            "onSubagentStart reviewer",
            "onSubagentEnd fine",
        ]
        assert set(METHODS) == set(Point)
        # The other hook has something at one point only, and is nowhere else in the trace.
        assert len(await app.spans("hook everywhere")) == len(Point)
        assert len(await app.spans("hook noting")) == 1


@pytest.mark.requirement("AS-204", "AS-210")
async def test_every_run_of_a_hook_is_a_span_and_an_event(tmp_path: Path) -> None:
    """Name, point, outcome and notes, with the session; notes are feedback."""
    async with open_turn(tmp_path) as app:
        await app.before(Noting())
        [span] = await app.spans("hook noting")
        assert (span.kind, span.session_id) == ("hook", app.turn.session_id)
        assert span.run_id == app.turn.run_id
        assert span.attributes["bottega.hook.point"] == "preLoop"
        assert span.attributes["bottega.hook.outcome"] == "pass"
        assert list(span.attributes["bottega.hook.notes"]) == ["Seen."]
        told = {"name": "noting", "point": "preLoop", "outcome": "pass", "note": "Seen."}
        assert app.steps.told == [("hook", told)]
        assert [each.text for each in app.turn.context.feedback] == ["Seen."]


@pytest.mark.requirement("AS-205")
async def test_an_abort_ends_it_at_once_and_is_traced(tmp_path: Path) -> None:
    """Hooks after it do not run; name and reason are in the error, the span, the event."""
    async with open_turn(tmp_path) as app:
        with pytest.raises(HookAbort) as aborted:
            await app.before(Refusing(), Noting())
        assert (aborted.value.hook, aborted.value.reason) == ("refusing", "That is not for us.")
        [span] = await app.spans("hook refusing")
        assert span.status == SpanStatus.ERROR
        assert span.attributes["bottega.hook.outcome"] == "abort"
        assert await app.spans("hook noting") == []
        [(_, told)] = app.steps.told
        assert (told["outcome"], told["note"]) == ("abort", "That is not for us.")


@pytest.mark.requirement("AS-206")
async def test_an_abort_out_of_a_durable_step_is_still_an_abort(tmp_path: Path) -> None:
    """A step keeps an error's words and not its class."""
    restored = restore(describe(HookAbort("broken", "Too young for that.")))
    assert not isinstance(restored, HookAbort)
    async with open_turn(tmp_path) as app:
        with pytest.raises(HookAbort) as aborted:
            await app.before(Broken(restored))
        assert aborted.value.reason == "Too young for that."


@pytest.mark.requirement("AS-207")
async def test_a_hook_that_breaks_is_noted_and_the_loop_goes_on(tmp_path: Path) -> None:
    """Its fault stands in the trace and the feedback, and the next hook runs."""
    async with open_turn(tmp_path) as app:
        await app.before(Broken(ValueError("no such key")), Noting())
        [span] = await app.spans("hook broken")
        assert span.attributes["bottega.hook.outcome"] == "failed"
        first, second = app.turn.context.feedback
        assert first.source == "broken"
        assert "ValueError: no such key" in first.text
        assert second.source == "noting"


@pytest.mark.requirement("AS-208")
@pytest.mark.parametrize(
    "error", [OperationalError("select 1", {}, Exception("gone")), BudgetExceeded("All spent.")]
)
async def test_an_outage_or_a_spent_budget_is_not_the_hooks_fault(
    tmp_path: Path, error: Exception
) -> None:
    """The run must not go on past them as if the hook had been wrong."""
    async with open_turn(tmp_path) as app:
        with pytest.raises(type(error)):
            await app.before(Broken(error), Noting())
        assert await app.spans("hook noting") == []


@pytest.mark.requirement("AS-209")
async def test_the_first_revision_ends_the_round(tmp_path: Path) -> None:
    """Hooks after it would judge a text that is not the last."""
    last = Everywhere()
    async with open_turn(tmp_path) as app:
        assert await app.after(Revising(), last) == Revision("Shorter.")
        assert last.seen == []
        [span] = await app.spans("hook revising")
        assert span.attributes["bottega.hook.outcome"] == "revise"
