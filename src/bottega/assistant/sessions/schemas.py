"""What a turn is asked, what happens in it, and what it comes to."""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, Field

#: The kind of our runs.
KIND = "assistant"


class AssistantOrder(BaseModel, frozen=True):
    """The input of a run: one thing a person said, to a command or in a session that goes on."""

    plugin: str
    #: Without, the session's agent goes on with the conversation.
    command: str | None = None
    agent: str
    input: str
    #: Over the agent file's own.
    provider: str | None = None
    model: str | None = None
    max_turns: int | None = Field(None, ge=1, le=1000)
    max_budget_usd: float | None = Field(None, ge=0)
    memory: bool = True
    #: Names of hooks that run after the agent's own.
    hooks: list[str] = []
    #: Ask for a rating before the person sees what they are to judge.
    ask_confidence: bool = False
    #: `explore`, `ask` or `execute`; what tools may do.
    permission: str = "ask"
    #: Switched off for an ablation: `skills`, `workspace`, `memory`, `subagents`, `hooks`.
    without: list[str] = []


class LoopStatus(StrEnum):
    SUCCESS = "success"
    MAX_TURNS = "error_max_turns"
    MAX_BUDGET = "error_max_budget"
    HOOK_ABORT = "error_hook_abort"
    TOOL_RETRIES = "error_tool_retry_exhausted"
    NO_PROGRESS = "error_no_progress"


class LoopResult(BaseModel, frozen=True):
    """The output of a run."""

    status: LoopStatus
    #: Why, if it is an error: the hook's reason, the limit.
    reason: str | None = None
    hook: str | None = None
    text: str = ""
    #: Where the agent has an `outputSchema`.
    output: dict[str, Any] | None = None
    #: The agent that ended it: another one after a handoff.
    agent: str = ""
    turns: int = 0
    cost: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    trace_id: str | None = None
    #: Files of the workspace that were written.
    written: list[str] = []
    offline: bool = False


class Point(StrEnum):
    PRE_LOOP = "preLoop"
    POST_LOOP = "postLoop"
    PRE_MODEL = "preModel"
    POST_MODEL = "postModel"
    PRE_TOOL = "preTool"
    POST_TOOL = "postTool"
    ON_HANDOFF = "onHandoff"
    ON_SUBAGENT_START = "onSubagentStart"
    ON_SUBAGENT_END = "onSubagentEnd"


class HookOutcome(StrEnum):
    PASSED = "pass"
    REVISE = "revise"
    ABORT = "abort"
    #: An error that is no abort: the loop goes on without it.
    FAILED = "failed"
    #: The process was stopped while it waited; after the restart it asks again.
    INTERRUPTED = "interrupted"


class CallState(StrEnum):
    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"
