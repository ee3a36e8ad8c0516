"""What the observer knows of one session while it lasts. All in memory, all in seconds."""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bottega.coach.editor.state import EditorState
from bottega.coach.observer.schemas import Nudge

#: FR-133.
COOLDOWN = 120.0
FLOW_WINDOW = 60.0
FLOW_ACTIONS = 10
#: FR-132.
EDITS_TO_EVALUATE = 5
IDLE_AFTER = 300.0

KEPT = 20


class Suppression(StrEnum):
    """Why a trigger, or a verdict, comes to nothing."""

    MUTED = "muted"
    COOLDOWN = "cooldown"
    FLOW_STATE = "flow_state"
    LOW_CONFIDENCE = "low_confidence"


@dataclass(slots=True)
class EditCount:
    """Edits of one file in this phase, most of which the action log never sees."""

    count: int = 0
    last: float = 0.0


@dataclass(slots=True)
class ObserverState:
    session_id: str
    editor: EditorState
    last_activity_timestamp: float
    active: bool = True
    muted: bool = False
    last_nudge_timestamp: float | None = None
    last_evaluation_timestamp: float | None = None
    buffer_updates_since_last_eval: int = 0
    #: Only the newest that can matter: with one more than flow allows, the oldest tells it.
    recent_actions: deque[float] = field(default_factory=lambda: deque(maxlen=FLOW_ACTIONS + 1))
    evaluation_in_progress: bool = False
    #: How long they may do nothing before the next look. It doubles with each look that finds
    #: nothing to say, and there is none after a nudge: who went to lunch is not called every
    #: two minutes, and costs no call a minute.
    idle_patience: float = IDLE_AFTER
    #: Why the last edits did not lead to a look; each reason is logged once, not at every key.
    edits_held_back: Suppression | None = None
    current_file: str | None = None
    current_file_since: float = 0.0
    edits: dict[str, EditCount] = field(default_factory=dict)

    def acted(self, now: float) -> None:
        self.recent_actions.append(now)
        self.was_active(now)

    def was_active(self, now: float) -> None:
        self.last_activity_timestamp = now
        self.idle_patience = IDLE_AFTER

    def edited(self, path: str, now: float) -> None:
        self.acted(now)
        self.turned_to(path, now)
        self.buffer_updates_since_last_eval += 1
        edits = self.edits.setdefault(path, EditCount())
        edits.count += 1
        edits.last = now

    def turned_to(self, path: str | None, now: float) -> None:
        if path != self.current_file:
            self.current_file, self.current_file_since = path, now

    def idle_for(self, now: float) -> float:
        return now - self.last_activity_timestamp

    def is_idle(self, now: float) -> bool:
        return self.idle_for(now) > IDLE_AFTER

    def suppression(self, now: float) -> Suppression | None:
        """FR-133: muted, then cooldown, then flow."""
        if self.muted:
            return Suppression.MUTED
        if self.last_nudge_timestamp is not None and now - self.last_nudge_timestamp < COOLDOWN:
            return Suppression.COOLDOWN
        if len(self.recent_actions) > FLOW_ACTIONS and now - self.recent_actions[0] <= FLOW_WINDOW:
            return Suppression.FLOW_STATE
        return None

    def begin_evaluation(self) -> None:
        self.evaluation_in_progress = True
        # Reset now, not at the end: what is typed meanwhile counts for the next one (FR-148).
        self.buffer_updates_since_last_eval = 0
        self.edits_held_back = None


@dataclass(frozen=True, slots=True)
class SentNudge:
    session_id: str
    sent_at: datetime
    nudge: Nudge


class Nudges:
    def __init__(self) -> None:
        #: By user, oldest first.
        self._sent: defaultdict[str, deque[SentNudge]] = defaultdict(lambda: deque(maxlen=KEPT))
        self._handed_over: dict[str, datetime] = {}

    def add(self, user_id: str, sent: SentNudge) -> None:
        self._sent[user_id].append(sent)

    def of(self, user_id: str) -> list[SentNudge]:
        """Oldest first."""
        return list(self._sent.get(user_id, ()))

    def hand_over(self, user_id: str, after: datetime | None = None) -> list[SentNudge]:
        """Those since `after`; without it, those not handed over before."""
        since = after or self._handed_over.get(user_id)
        fresh = [sent for sent in self.of(user_id) if since is None or sent.sent_at > since]
        if fresh:
            self._handed_over[user_id] = fresh[-1].sent_at
        return fresh
