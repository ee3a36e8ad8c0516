"""Turns away what a plugin is not for, before anything is spent on it.

The plugin's own descriptions say what it is for. What is clearly inside passes; of the rest a
model judges, where there is one, and else only what is clearly something else is turned away: a
wrong refusal is worse than a wrong pass.
"""

from pydantic import BaseModel

from bottega.assistant.guardrails.domain import Domain
from bottega.assistant.guardrails.scope import LONGEST, Bearing, Scope, take_bearing
from bottega.assistant.hooks.asking import ask_fast
from bottega.assistant.hooks.hook import Hook, HookAbort
from bottega.assistant.loop.turn import Turn
from bottega.assistant.prompts.scope_check import ScopeInput, scope_check
from bottega.assistant.workspace.workspace import workspace_for
from bottega.core.traces import SpanKind


class ScopeDecision(BaseModel):
    in_scope: bool
    reason: str = ""


class ScopeCheck(Hook):
    name = "scope-check"

    async def pre_loop(self, turn: Turn) -> None:
        decision = await turn.steps.step("scope check", self._decide, turn)
        if not decision.in_scope:
            raise HookAbort(self.name, _refusal(Domain.of(turn.plugin), decision.reason))

    async def _decide(self, turn: Turn) -> ScopeDecision:
        """In a step: a model may be asked."""
        domain = Domain.of(turn.plugin)
        bearing = await take_bearing(turn.input, domain, turn.core.embedder, await _names(turn))
        if bearing.scope is Scope.INSIDE:
            decision, judge = ScopeDecision(in_scope=True), "likeness"
        else:
            is_follow_up = turn.order.command is None
            asked = ScopeInput(turn.input[:LONGEST], domain, bearing, is_follow_up)
            answer = await ask_fast(turn, scope_check, asked)
            verdict = answer.output
            decision = ScopeDecision(in_scope=verdict.in_scope, reason=verdict.reason.strip())
            judge = "likeness" if answer.offline else answer.model
        _trace(turn, bearing, decision, judge)
        return decision


async def _names(turn: Turn) -> list[str]:
    """The person's files by their names: `3B` of `classes/3B.md`."""
    workspace = workspace_for(turn.core, turn.user_id, turn.plugin)
    in_folders = (path.rsplit("/", 1)[1] for path in await workspace.files() if "/" in path)
    return [name.rsplit(".", 1)[0] for name in in_folders]


def _refusal(domain: Domain, reason: str) -> str:
    offers = "\n".join(f"- {offer}" for offer in domain.offers)
    said = f" {reason}" if reason else ""
    can = f" What I can do here:\n{offers}\n" if offers else " "
    return (
        f"This is not something that {domain.plugin} can help with.{said}{can}"
        "If I misread you, say how it belongs to that, and I will gladly try."
    )


def _trace(turn: Turn, bearing: Bearing, decision: ScopeDecision, judge: str) -> None:
    with turn.core.traces.span(
        "scope check",
        SpanKind.HOOK,
        session_id=turn.session_id,
        user_id=turn.user_id,
        run_id=turn.run_id,
        attributes={
            "bottega.scope": bearing.scope.value,
            "bottega.scope.score": bearing.score,
            "bottega.scope.nearest": bearing.nearest,
            "bottega.scope.foreign": bearing.foreign,
            "bottega.scope.in_scope": decision.in_scope,
            "bottega.scope.judge": judge,
        },
    ):
        pass
