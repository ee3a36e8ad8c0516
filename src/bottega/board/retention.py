"""What the board writes by itself: agents' hooks. What a person typed to an agent is not that."""

from bottega.board.agents.hook_events import HookName
from bottega.board.agents.tables import HookEvent
from bottega.core.retention import Log

LOGS = (
    Log(
        HookEvent,
        "hooks",
        "created_at",
        ("number",),
        lambda moment: (
            (HookEvent.created_at < moment) & (HookEvent.event != HookName.USER_PROMPT_SUBMIT)
        ),
        "number",
        "prompts of people",
    ),
)
