"""What a request is about, in its own words: `iteration` in "a lesson on iteration for 3B"."""

import re

from bottega.assistant.workspace.topics import words_of

LONGEST = 80

_ABOUT = re.compile(
    r"\b(?:on|about|introducing|covering|around|into)\s+(?P<topic>.+?)"
    r"(?=\s+(?:for|with|using|to|at|in)\s+(?:my|our|the|class|group|year|\w{1,3})\b"
    r"|\s+(?:for|with)\s+\S+\s*$|[.,;:?!\n(]|$)",
    re.IGNORECASE,
)
_VERBS = re.compile(
    r"^\s*(?:please\s+)?(?:can you\s+|could you\s+)?(?:create|make|plan|write|draft|prepare|give|"
    r"refine|review|check|look at)\b(?:\s+(?:me|us|a|an|the|my|lesson|plan)\b)*",
    re.IGNORECASE,
)


def topic_of(request: str, class_id: str | None = None) -> str:
    found = _ABOUT.search(request)
    topic = found["topic"] if found else _VERBS.sub("", request.split("\n")[0])
    if class_id:
        topic = re.sub(rf"\s*\b(?:for|with)?\s*{re.escape(class_id)}\b", "", topic, flags=re.I)
    topic = " ".join(topic.split()).strip(" .,;:!?\"'")
    if not words_of(topic):
        topic = " ".join(request.split())
    return topic if len(topic) <= LONGEST else topic[:LONGEST].rsplit(" ", 1)[0]
