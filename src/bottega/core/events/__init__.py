"""Events: published once, delivered to every subscriber, in this process and in others."""

from bottega.core.events.bus import EventBus, Subscription
from bottega.core.events.log import MISSED, CommittedEvent, Event, EventLog, Interest

__all__ = ["MISSED", "CommittedEvent", "Event", "EventBus", "EventLog", "Interest", "Subscription"]
