"""When a loop has gone on for long enough: turns, money, a call that keeps failing, no progress.

Progress is a tool call that was not made before with those arguments, a changed task, or a final
text. What is counted lives in the `LoopContext`; all of it follows from the steps on record.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bottega.assistant.loop.turn import LoopContext, ToolCallRecord
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.assistant.sessions.schemas import AssistantOrder, CallState, LoopStatus
from bottega.core.llm.costs import Budget
from bottega.errors import BottegaError, BudgetExceeded

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart

#: For a subagent whose file does not say.
SUBAGENT_TURNS = 10


class LoopStop(BottegaError):
    """A limit was reached."""

    def __init__(self, status: LoopStatus, reason: str) -> None:
        self.loop_status = status
        super().__init__(reason)

    @property
    def is_stall(self) -> bool:
        """Whether a last answer may still be asked for."""
        return self.loop_status in (LoopStatus.NO_PROGRESS, LoopStatus.TOOL_RETRIES)


@dataclass(frozen=True, slots=True)
class LoopLimits:
    max_turns: int
    max_tool_retries: int
    max_no_progress_iterations: int
    force_finalize_on_stall: bool

    @classmethod
    def of(
        cls, agent: AgentDefinition, order: AssistantOrder, *, is_subagent: bool = False
    ) -> "LoopLimits":
        meta = agent.meta
        if is_subagent:
            is_said = "max_turns" in meta.model_fields_set
            max_turns = meta.max_turns if is_said else SUBAGENT_TURNS
        else:
            max_turns = order.max_turns or meta.max_turns
        return cls(
            max_turns,
            meta.max_tool_retries,
            meta.max_no_progress_iterations,
            meta.force_finalize_on_stall,
        )


class LimitGuard:
    """Counts turns, costs, failures and stalls in the `LoopContext`; raises `LoopStop`."""

    def __init__(self, context: LoopContext, limits: LoopLimits) -> None:
        self._context = context
        #: Of the whole turn, and of the agent that is active.
        self._whole = self._own = limits
        self._switched_at = 0
        self._made: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._records: dict[str, ToolCallRecord] = {}
        self._is_new = False
        self._tasks = self._task_state()
        self._exhausted: ToolCallRecord | None = None

    @property
    def limits(self) -> LoopLimits:
        return self._own

    def switch_agent(self, limits: LoopLimits) -> None:
        """Another agent goes on, with its own limits within those of the turn."""
        self._own = limits
        self._switched_at = self._context.summary.turns
        self._context.summary.stalled = 0

    def check_turn(self, budget: Budget) -> None:
        """Before a model is asked."""
        turns = self._context.summary.turns
        for limits, since in ((self._whole, 0), (self._own, self._switched_at)):
            if turns - since >= limits.max_turns:
                raise LoopStop(
                    LoopStatus.MAX_TURNS,
                    f"No end after {limits.max_turns} turns of the model, which is maxTurns.",
                )
        try:
            budget.check()
        except BudgetExceeded as error:
            raise LoopStop(LoopStatus.MAX_BUDGET, error.message) from error

    def count_reply(self, reply: "ModelResponse", cost: float) -> list[ToolCallRecord]:
        """A model has answered; the calls that it wants."""
        summary = self._context.summary
        summary.turns += 1
        summary.input_tokens += reply.usage.input_tokens
        summary.output_tokens += reply.usage.output_tokens
        summary.cost += cost
        calls = [self._record(call) for call in reply.tool_calls]
        self._is_new = not calls
        for call in calls:
            signature = _signature(call)
            if signature not in self._made:
                self._made.add(signature)
                self._is_new = True
                summary.marks.append(call.name)
        return calls

    def settle(self, call_id: str, *, failed: bool) -> ToolCallRecord:
        record = self._records[call_id]
        summary = self._context.summary
        summary.tool_calls += 1
        record.state = CallState.FAILED if failed else CallState.COMPLETED
        if failed:
            summary.failed_tool_calls += 1
            self._failures[_signature(record)] += 1
            if record.retries >= self._own.max_tool_retries:
                self._exhausted = record
        return record

    def check_progress(self) -> None:
        """After the tools have run."""
        summary, tasks = self._context.summary, self._task_state()
        if self._is_new or tasks != self._tasks:
            summary.stalled = 0
        else:
            summary.stalled += 1
        self._tasks = tasks
        if (call := self._exhausted) is not None:
            self._exhausted = None
            raise LoopStop(
                LoopStatus.TOOL_RETRIES,
                f"The same call of {call.name} failed {call.retries + 1} times "
                f"(maxToolRetries is {self._own.max_tool_retries}).",
            )
        if summary.stalled >= self._own.max_no_progress_iterations:
            raise LoopStop(
                LoopStatus.NO_PROGRESS,
                f"{summary.stalled} turns in a row brought nothing new: no other tool call, no "
                "changed task, no answer.",
            )

    def _record(self, call: "ToolCallPart") -> ToolCallRecord:
        record = ToolCallRecord(call.tool_call_id, call.tool_name, call.args_as_dict())
        record.retries = self._failures[_signature(record)]
        self._context.tool_calls.append(record)
        self._records[record.id] = record
        return record

    def _task_state(self) -> Sequence[dict[str, Any]]:
        return [asdict(task) for task in self._context.task_progress]


def _signature(call: ToolCallRecord) -> str:
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True, default=str)}"
