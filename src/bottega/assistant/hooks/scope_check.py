"""Turns away what a plugin is not for, before anything is spent on it.

The plugin's own descriptions say what it is for. What is clearly inside passes; of the rest a
model judges, where there is one, and else only what is clearly something else is turned away: a
wrong refusal is worse than a wrong pass.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.assistant.guardrails.scope import (
    LONGEST,
    PluginDomain,
    ScopeEstimate,
    ScopeLevel,
    estimate_scope,
)
from bottega.assistant.hooks.surroundings import ask_fast
from bottega.assistant.loop.hooks import Hook, HookAbort
from bottega.assistant.loop.turn import Turn
from bottega.assistant.workspace.service import workspace_for
from bottega.core.llm.tasks import Task, Tier

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")


class ScopeVerdict(BaseModel):
    in_scope: bool
    reason: str = Field("", max_length=400)


@dataclass(frozen=True, slots=True)
class ScopeInput:
    request: str
    domain: PluginDomain
    bearing: ScopeEstimate
    #: Said in a conversation that goes on: it may lean on what came before.
    is_follow_up: bool = False


def prompt(asked: ScopeInput) -> str:
    return json.dumps(
        {
            "assistant": asked.domain.plugin,
            "commands": list(asked.domain.offers),
            "its_work": list(asked.domain.sentences),
            "in_a_conversation": asked.is_follow_up,
            "request": asked.request,
        },
        ensure_ascii=False,
    )


def offline(asked: ScopeInput) -> ScopeVerdict:
    """Refuses only what is clear, and nothing that may lean on what was said before."""
    is_outside = asked.bearing.scope is ScopeLevel.OUTSIDE and not asked.is_follow_up
    reason = f"It sounds like “{asked.bearing.foreign}”." if is_outside else ""
    return ScopeVerdict(in_scope=not is_outside, reason=reason)


scope_check = Task("scope_check", Tier.FAST, INSTRUCTIONS, prompt, ScopeVerdict, offline)


class ScopeCheck(Hook):
    name = "scope-check"

    async def pre_loop(self, turn: Turn) -> None:
        decision = await turn.steps.step("scope check", self._decide, turn)
        if not decision.in_scope:
            domain = PluginDomain.of(turn.plugin)
            raise HookAbort(self.name, _refusal(domain, decision.reason.strip()))

    async def _decide(self, turn: Turn) -> ScopeVerdict:
        """In a step: a model may be asked."""
        domain = PluginDomain.of(turn.plugin)
        bearing = await estimate_scope(turn.input, domain, turn.core.embedder, await _names(turn))
        if bearing.scope is ScopeLevel.INSIDE:
            decision, judge = ScopeVerdict(in_scope=True), "likeness"
        else:
            is_follow_up = turn.order.command is None
            asked = ScopeInput(turn.input[:LONGEST], domain, bearing, is_follow_up)
            answer = await ask_fast(turn, scope_check, asked)
            decision = answer.output
            judge = "likeness" if answer.offline else answer.model
        _trace(turn, bearing, decision, judge)
        return decision


async def _names(turn: Turn) -> list[str]:
    """The person's files by their names: `3B` of `classes/3B.md`."""
    workspace = workspace_for(turn.core, turn.user_id, turn.plugin)
    in_folders = (path.rsplit("/", 1)[1] for path in await workspace.files() if "/" in path)
    return [name.rsplit(".", 1)[0] for name in in_folders]


def _refusal(domain: PluginDomain, reason: str) -> str:
    offers = "\n".join(f"- {offer}" for offer in domain.offers)
    said = f" {reason}" if reason else ""
    can = f" What I can do here:\n{offers}\n" if offers else " "
    return (
        f"This is not something that {domain.plugin} can help with.{said}{can}"
        "If I misread you, say how it belongs to that, and I will gladly try."
    )


def _trace(turn: Turn, bearing: ScopeEstimate, decision: ScopeVerdict, judge: str) -> None:
    turn.trace(
        "scope check",
        {
            "bottega.scope": bearing.scope.value,
            "bottega.scope.score": bearing.score,
            "bottega.scope.nearest": bearing.nearest,
            "bottega.scope.foreign": bearing.foreign,
            "bottega.scope.in_scope": decision.in_scope,
            "bottega.scope.judge": judge,
        },
    )
