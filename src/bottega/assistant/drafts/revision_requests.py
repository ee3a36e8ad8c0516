"""What a person wants changed, as it is told to the model, and read again by a model of ours.

Change these sections, and only these:
- Starter: shorter, five minutes at most
Write 2 alternatives for these:
- Plenary
Accepted; repeat them word for word:
- Success criteria
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

#: How many versions to choose from; a person compares two, and skims five.
ALTERNATIVES = 2

OPENING = (
    "The person has read the draft and wants it changed. Give the whole document again, with the "
    "same headings in the same order, and nothing before or after it."
)
CHANGE = "Change these sections, and only these:"
CHANGE_ALL = "Change this throughout:"
VARY = (
    "Write {n} alternatives for these, each under a heading “Alternative 1”, “Alternative 2” and "
    "so on within its section, each complete in itself and truly different:"
)
ACCEPTED = "Accepted; repeat them word for word:"

_VARY = re.compile(r"Write \d+ alternatives for these")
_LINE = re.compile(r"- (?P<title>.+?): (?P<text>.+)")


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    #: The section; `None` is the whole.
    section: str | None
    text: str


@dataclass(frozen=True, slots=True)
class RevisionRequests:
    changes: Sequence[ChangeRequest] = field(default=())
    #: Sections to write alternatives for.
    alternatives: Sequence[str] = field(default=())
    accepted: Sequence[str] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.changes or self.alternatives)


def write_requests(requests: RevisionRequests) -> str:
    whole = [f"- {_line(each.text)}" for each in requests.changes if each.section is None]
    parts = [
        f"- {_line(each.section)}: {_line(each.text)}"
        for each in requests.changes
        if each.section is not None
    ]
    blocks = (
        (CHANGE_ALL, whole),
        (CHANGE, parts),
        (VARY.format(n=ALTERNATIVES), [f"- {_line(each)}" for each in requests.alternatives]),
        (ACCEPTED, [f"- {_line(each)}" for each in requests.accepted]),
    )
    written = ["\n".join((head, *lines)) for head, lines in blocks if lines]
    return "\n\n".join((OPENING, *written))


def read_requests(prompt: str) -> RevisionRequests | None:
    """The requests that a prompt was written from; `None` if it is none of ours."""
    if not prompt.startswith(OPENING):
        return None
    blocks = {
        head: list(takewhile(lambda line: line.startswith("- "), lines))
        for head, *lines in (block.split("\n") for block in prompt.split("\n\n")[1:])
    }
    varied = next((lines for head, lines in blocks.items() if _VARY.match(head)), [])
    parts = (_LINE.fullmatch(line) for line in blocks.get(CHANGE, []))
    return RevisionRequests(
        changes=[
            *(ChangeRequest(None, line[2:]) for line in blocks.get(CHANGE_ALL, [])),
            *(ChangeRequest(found["title"], found["text"]) for found in parts if found),
        ],
        alternatives=[line[2:] for line in varied],
        accepted=[line[2:] for line in blocks.get(ACCEPTED, [])],
    )


def _line(text: str) -> str:
    """On one line: a person's text must not read like one of our headings."""
    return " ".join(text.split())
