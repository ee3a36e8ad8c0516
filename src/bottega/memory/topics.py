"""Events of the memory. Ids only: what is forgotten must not live on in the log."""

from bottega.core.topics import Topic

TOPICS = (
    Topic("memory.added", "Memories were added.", ("ids",)),
    Topic("memory.changed", "Memories were edited, restored or told again.", ("ids",)),
    Topic("memory.forgotten", "A memory was forgotten.", ("ids",)),
)
