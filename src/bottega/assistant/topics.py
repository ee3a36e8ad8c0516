"""Events of the assistant: all of them are told by its runs."""

from bottega.core.topics import of_run

TOPICS = (
    of_run("turn_started", "A turn began.", "input", "plugin", "command", "agent", "trace_id"),
    of_run("prompt_assembled", "An agent's prompt is ready.", "agent", "tokens"),
    of_run(
        "model_turn",
        "A model replied.",
        *("agent", "turn", "input_tokens", "output_tokens", "cost", "stop_reason", "text"),
        "tool_calls",
    ),
    of_run(
        "tool_call",
        "A tool was used, or refused.",
        *("agent", "id", "name", "arguments", "state", "retries", "result"),
    ),
    of_run("tasks", "The agent's list of tasks changed.", "tasks"),
    of_run("hook", "A hook ran.", "name", "point", "outcome", "note"),
    of_run("gate", "A person is asked.", "kind", "gate"),
    of_run("gate_answered", "The person answered.", "kind", "reply"),
    of_run("handoff", "Another agent takes over.", "from", "to", "context"),
    of_run(
        "subagent",
        "A subagent started or ended.",
        *("agent", "task", "state", "status?", "summary?", "decisions?", "constraints?", "turns?"),
    ),
    of_run("artefact", "A document is finished.", "text", "path"),
    of_run("case_played", "An eval played one of its cases.", "case", "variant", "score", "of"),
)
