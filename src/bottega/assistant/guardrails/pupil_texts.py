"""The parts of an output that pupils will read themselves, by their headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bottega.core.documents import Document, sections

_FOR_PUPILS = re.compile(
    r"\b(?:work\s?sheet|handout|hand-out|home\s?work|exit\s+(?:ticket|slip|question)|quiz|slides?|"
    r"card\s+sets?|task\s+(?:card|sheet)|(?:fact|information|source|student|pupil|practical|answer|"
    r"help|reading)\s+sheet|comprehension|success\s+criteria|word\s+(?:list|bank)|glossary|"
    r"(?:for|to)\s+(?:the\s+)?(?:pupils|students|learners|class)|"
    r"(?:pupils?|students?|learners?)['’]?\s+(?:task|sheet|text|instructions?|copy|version|activity|"
    r"questions?|handout|worksheet|information|reading|facing|resource))\b",
    re.IGNORECASE,
)
_FOR_STAFF = re.compile(
    r"\b(?:teacher|staff|notes?\s+(?:for|on)|rationale|answers?\s*(?:key)?$|mark(?:ing)?\s+scheme|"
    r"differentiation|assessment|safeguarding|for\s+you\s+to\s+decide)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PartOfText:
    heading: str
    text: str
    #: Of the output, where the part begins.
    line: int
    is_for_pupils: bool


def parts_of(output: str, *, is_all_for_pupils: bool = False) -> Sequence[PartOfText]:
    """Every section with whether pupils read it. `is_all_for_pupils` for an output that is one
    resource: then only what says that it is for staff is not."""
    found = []
    for section in sections(Document("output", {}, output.replace("\r\n", "\n"))):
        path = list(section.path)
        is_ours = any(_FOR_STAFF.search(title) for title in path[-1:])
        is_theirs = is_all_for_pupils or any(_FOR_PUPILS.search(title) for title in path)
        heading = path[-1] if path else ""
        found.append(
            PartOfText(heading, section.text, section.start_line, is_theirs and not is_ours)
        )
    return found
