"""Messages to and from the observer."""

from datetime import datetime
from typing import ClassVar

from pydantic import AwareDatetime, BaseModel

from bottega.coach.editor.schemas import Outgoing
from bottega.coach.enums import Signal
from bottega.core.wire import Wired


class Mute(Wired):
    muted: bool


class IdleStart(Wired):
    last_action_timestamp: int | float | str | None = None


class NudgeContext(BaseModel):
    """snake_case on the wire too, as the observer's story has it."""

    current_file: str | None = None
    expected_file: str | None = None
    time_in_file: str | None = None
    phase_description: str | None = None


class Nudge(Outgoing):
    type: ClassVar[str] = "observer:nudge"
    signal: Signal
    confidence: float
    context: NudgeContext
    #: The same in words, for a person.
    message: str
    #: Worked out by rule, without a model.
    offline: bool = False


class ObserverStatus(Outgoing):
    type: ClassVar[str] = "observer:status"
    active: bool
    muted: bool
    last_evaluation: str | None


class NudgeView(Nudge):
    session_id: str
    sent_at: datetime


class ObserverView(ObserverStatus):
    #: The latest, oldest first.
    nudges: list[NudgeView]


class AgentNudge(Wired):
    signal: Signal
    sent_at: datetime
    #: What to put into the agent's context.
    text: str


class HandedOver(Wired):
    nudges: list[AgentNudge]


class NudgesRequest(Wired):
    after: AwareDatetime | None = None
