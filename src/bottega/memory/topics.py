"""Events of the memory. Ids only: what is forgotten must not live on in the log."""

from bottega.core.events.topic import Topic

TOPICS = (
    Topic("memory.added", "Memories were added.", ("ids",)),
    Topic("memory.changed", "A memory was edited or restored.", ("ids",)),
    Topic("memory.forgotten", "A memory was forgotten.", ("ids",)),
)
