"""Events: what happened, told once to everyone who wants to know, here and in other processes."""

from bottega.core.events.bus import EventBus
from bottega.core.events.event import MISSED, CommittedEvent, Event, Interest
from bottega.core.events.log import EventLog
from bottega.core.events.subscription import Subscription

__all__ = ["MISSED", "CommittedEvent", "Event", "EventBus", "EventLog", "Interest", "Subscription"]
