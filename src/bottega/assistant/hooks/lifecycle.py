"""Runs the hooks of one point, in their order.

A `HookAbort` is the one error that ends the loop. Any other is the hook's own fault: it is noted
for whoever reads the result, stands in the trace and the log, and the loop goes on without that
hook. A database that does not answer is nobody's fault and passes through: a run that went on
would come to other steps than those on record.
"""

from collections.abc import Sequence
from enum import StrEnum

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bottega.assistant.hooks.hook import (
    Hook,
    HookAbort,
    Point,
    Revision,
    SubagentCall,
    ToolUse,
    Transfer,
)
from bottega.assistant.loop.turn import Turn
from bottega.core.traces import SpanKind
from bottega.errors import BottegaError, BudgetExceeded

METHODS = {
    Point.PRE_LOOP: "pre_loop",
    Point.POST_LOOP: "post_loop",
    Point.PRE_MODEL: "pre_model",
    Point.POST_MODEL: "post_model",
    Point.PRE_TOOL: "pre_tool",
    Point.POST_TOOL: "post_tool",
    Point.ON_HANDOFF: "on_handoff",
    Point.ON_SUBAGENT_START: "on_subagent_start",
    Point.ON_SUBAGENT_END: "on_subagent_end",
}

#: What a hook is shown beside the turn, at the points that have such a thing.
Subject = ToolUse | Transfer | SubagentCall

log = structlog.get_logger()


class HookOutcome(StrEnum):
    PASSED = "pass"
    REVISE = "revise"
    ABORT = "abort"
    #: An error that is no abort: the loop goes on without it.
    FAILED = "failed"
    #: The process was stopped while it waited; after the restart it asks again.
    INTERRUPTED = "interrupted"


async def run_hooks(
    point: Point, hooks: Sequence[Hook], turn: Turn, subject: Subject | None = None
) -> Revision | None:
    """Each hook that has something to do here. The first `Revision` ends it: hooks after that one
    would judge a text that is not the last."""
    for hook in hooks:
        if takes_part(hook, point):
            revision = await _run(point, hook, turn, subject)
            if revision is not None:
                return revision
    return None


def takes_part(hook: Hook, point: Point) -> bool:
    return point in points_of(type(hook))


def points_of(kind: type[Hook]) -> list[Point]:
    """Where hooks of this kind have something to do."""
    return [
        point
        for point, method in METHODS.items()
        if getattr(kind, method) is not getattr(Hook, method)
    ]


async def _run(point: Point, hook: Hook, turn: Turn, subject: Subject | None) -> Revision | None:
    attributes = {
        "bottega.hook.name": hook.name,
        "bottega.hook.point": point.value,
        "bottega.hook.outcome": HookOutcome.INTERRUPTED.value,
    }
    noted = len(turn.context.feedback)
    with turn.core.traces.span(
        f"hook {hook.name}",
        SpanKind.HOOK,
        session_id=turn.session_id,
        user_id=turn.user_id,
        run_id=turn.run_id,
        attributes=attributes,
    ) as span:
        revision, outcome, abort = await _call(point, hook, turn, subject)
        notes = [feedback.text for feedback in turn.context.feedback[noted:]]
        span.set_attribute("bottega.hook.outcome", outcome.value)
        span.set_attribute("bottega.hook.notes", notes)
        told = {"name": hook.name, "point": point.value, "outcome": outcome.value}
        await turn.steps.emit("hook", {**told, "note": "\n".join(notes)})
        if abort is not None:
            raise abort
    return revision


async def _call(
    point: Point, hook: Hook, turn: Turn, subject: Subject | None
) -> tuple[Revision | None, HookOutcome, HookAbort | None]:
    method = getattr(hook, METHODS[point])
    try:
        revision = await (method(turn) if subject is None else method(turn, subject))
    except (SQLAlchemyError, BudgetExceeded):  # what is spent ends the loop by its own status
        raise
    except Exception as error:  # the edge of a hook
        abort = _as_abort(hook, error)
        if abort is not None:
            turn.note(hook.name, abort.reason)
            return None, HookOutcome.ABORT, abort
        log.warning("hook.failed", hook=hook.name, point=point, error=str(error), exc_info=error)
        turn.note(hook.name, f"This hook failed and was left out: {type(error).__name__}: {error}")
        return None, HookOutcome.FAILED, None
    if revision is None:
        return None, HookOutcome.PASSED, None
    return revision, HookOutcome.REVISE, None


def _as_abort(hook: Hook, error: Exception) -> HookAbort | None:
    """Also one that was raised inside a durable step, which keeps only the error's words."""
    if isinstance(error, HookAbort):
        return error
    if isinstance(error, BottegaError) and error.details.get("hook") == hook.name:
        return HookAbort(hook.name, error.message.removeprefix(f"{hook.name}: "))
    return None
