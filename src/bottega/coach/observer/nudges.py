"""The latest nudges of each person, for a page that opens late and for an agent's next hook."""

from collections import defaultdict, deque
from dataclasses import dataclass
from datetime import datetime

from bottega.coach.protocol.learning import Nudge

KEPT = 20


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
