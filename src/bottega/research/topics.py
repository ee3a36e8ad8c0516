"""Events of research: of its runs, of its conversations, and what it asks of people."""

from bottega.core.topics import Topic, of_run
from bottega.research.pipeline.state import ResearchEvent

_REQUEST = ("request_id", "kind", "status")
_STAGE = ("stage", "name")
_PLACE = (*_STAGE, "id", "iteration")

TOPICS = (
    of_run(ResearchEvent.STAGE_STARTED, "A stage began.", *_PLACE, "description"),
    of_run(
        ResearchEvent.STAGE_COMPLETED,
        "A stage is done, with what it gave and what it cost.",
        *(*_PLACE, "output", "cost", "input_tokens", "output_tokens", "duration_ms"),
    ),
    of_run(
        ResearchEvent.STAGE_BLOCKED, "A stage lacks what its agent requires.", *_STAGE, "missing"
    ),
    of_run(
        ResearchEvent.REPAIR_STARTED, "What failed goes back.", *_STAGE, "iteration", "failures"
    ),
    of_run(
        ResearchEvent.SUBSTEP,
        "A search, a check or a model call began or ended.",
        *("id", "parent", *_STAGE, "type", "tool"),
        *("input?", "result?", "is_error?", "cost?", "input_tokens?", "output_tokens?"),
    ),
    of_run(
        ResearchEvent.PAUSE_MESSAGE, "What is shown at a pause.", *_STAGE, "kind", "text", "body"
    ),
    of_run(ResearchEvent.RESUMED, "The person lets it go on.", *_STAGE, "reply"),
    of_run(ResearchEvent.PLAN_MODIFIED, "The person changed the plan.", *_STAGE, "reply", "output"),
    of_run(
        ResearchEvent.BREAKOUT_PENDING,
        "The person seems to want to leave, and is asked.",
        *(*_STAGE, "user_message", "detected_by"),
    ),
    of_run(ResearchEvent.BREAKOUT, "The person left.", *_STAGE, "user_message", "confirmed"),
    Topic("research.asked", "An agent asks a person: a pause, a plan, a credential.", _REQUEST),
    Topic("research.answered", "The person answered, or the question was closed.", _REQUEST),
    Topic("session.imported", "A research session came in from a file.", ("kind", "title")),
    Topic("conversation.text", "A piece of an answer, as it is written.", ("text",), is_kept=False),
    Topic("conversation.tool", "A tool that an answer uses.", ("tool",), is_kept=False),
)
