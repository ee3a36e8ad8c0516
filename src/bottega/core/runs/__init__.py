"""Durable runs: work of many steps that survives a crash, waits for people, and is paid for once.

@runs.kind("research")
async def research(run: RunContext, question: Question) -> Answer:
    plan = await run.step("plan", make_plan, question)
    if await run.pause("review the plan", prompt=plan.model_dump()) == "stop":
        …
"""

from bottega.core.runs.context import RunContext, StepFailed
from bottega.core.runs.run import Run, RunEvent, RunStatus, not_ended, rebuild
from bottega.core.runs.runs import DEFAULT_QUEUE, Runs

__all__ = [
    "DEFAULT_QUEUE",
    "Run",
    "RunContext",
    "RunEvent",
    "RunStatus",
    "Runs",
    "StepFailed",
    "not_ended",
    "rebuild",
]
